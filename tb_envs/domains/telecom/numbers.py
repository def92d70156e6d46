"""What a number hangs on: SIM cards, moves between operators, and restrictions."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.telecom.lines import Fee
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Number = Annotated[str, Field(pattern=r"^07700 900\d{3}$")]


@tool(writes=True)
def issue_sim(
    db: Db, subscription_id: str, kind: Literal["physical", "esim"], reason_code: str, fee: Fee
) -> Row:
    """Give a mobile line a new SIM.

    An eSIM works at once and ends the SIM before it. A card is sent by post; the old SIM stays
    until the card is put in.

    Args:
        subscription_id: The line, such as SUB-5104.
        kind: A card, or an eSIM.
        reason_code: An SWP code.
        fee: What is billed for it; 0 for nothing.
    """
    require_code(db, reason_code, "SWP")
    line = db.require(
        f"There is no active mobile line {subscription_id}.",
        "SELECT esim FROM subscriptions JOIN plans ON code = plan_code WHERE id = %(id)s"
        " AND subscriptions.kind = 'mobile' AND status = 'active' FOR UPDATE OF subscriptions",
        id=subscription_id,
    )
    if kind == "esim" and not line["esim"]:
        raise ToolRefusal(f"The plan of {subscription_id} allows no eSIM.")
    db.execute(
        "UPDATE sims SET status = 'retired' WHERE subscription_id = %(id)s"
        " AND (status = 'shipped' OR status = 'active' AND %(kind)s::text = 'esim')",
        id=subscription_id,
        kind=kind,
    )
    return db.require(
        "The SIM could not be issued.",
        "INSERT INTO sims (subscription_id, kind, status, reason, fee, activated_at)"
        " VALUES (%(id)s, %(kind)s::sim_kind, %(status)s::sim_status, %(reason)s, %(fee)s,"
        " CASE WHEN %(status)s::sim_status = 'active' THEN clock_now() END)"
        " RETURNING id, subscription_id, kind, status, reason, fee",
        id=subscription_id,
        kind=kind,
        status="active" if kind == "esim" else "shipped",
        reason=reason_code,
        fee=fee,
    )


@tool(writes=True)
def create_port_request(
    db: Db,
    subscription_id: str,
    direction: Literal["in", "out"],
    number: Number,
    other_operator: str,
    pac: Annotated[str, Field(pattern=r"^[A-Z]{3}\d{6}$")] | None = None,
) -> Row:
    """Ask for a number to be brought to a line ("in"), or make the code to take it away ("out").

    Args:
        subscription_id: Our line, such as SUB-5104.
        direction: In or out.
        number: The number that moves, such as 07700 900123.
        other_operator: From where, or to where.
        pac: The code of the operator that is left, such as ABC123456; only for "in".
    """
    line = db.require(
        f"There is no active mobile line {subscription_id}.",
        "SELECT number FROM subscriptions WHERE id = %(id)s AND kind = 'mobile'"
        " AND status = 'active' FOR UPDATE",
        id=subscription_id,
    )
    if (direction == "in") != (pac is not None):
        raise ToolRefusal("Give a pac for a number that comes in; for one that leaves we make it.")
    if direction == "out" and number != line["number"]:
        raise ToolRefusal(f"The number of {subscription_id} is {line['number']}, not {number}.")
    if db.one(
        "SELECT id FROM port_requests WHERE number = %(number)s"
        " AND status IN ('requested', 'scheduled')",
        number=number,
    ):
        raise ToolRefusal(f"A request for {number} is under way; cancel it first.")
    return db.require(
        "The request could not be made.",
        "INSERT INTO port_requests (subscription_id, direction, number, other_operator, pac)"
        " VALUES (%(id)s, %(direction)s, %(number)s, %(operator)s,"
        " coalesce(%(pac)s, 'LKW' || nextval('pac_number')))"
        " RETURNING id, direction, number, other_operator, pac, status",
        id=subscription_id,
        direction=direction,
        number=number,
        operator=other_operator,
        pac=pac,
    )


@tool(writes=True)
def cancel_port_request(db: Db, port_request_id: str) -> Row:
    """Stop a number's move to or from another operator while it is not completed.

    Args:
        port_request_id: The request, such as PRT-6104.
    """
    request = db.require(
        f"There is no port request {port_request_id}.",
        "SELECT status FROM port_requests WHERE id = %(id)s FOR UPDATE",
        id=port_request_id,
    )
    if request["status"] not in ("requested", "scheduled"):
        raise ToolRefusal(f"{port_request_id} is {request['status']} and cannot be stopped.")
    return db.require(
        "The request could not be stopped.",
        "UPDATE port_requests SET status = 'cancelled' WHERE id = %(id)s"
        " RETURNING id, direction, number, status",
        id=port_request_id,
    )


@tool(writes=True)
def place_restriction(db: Db, subscription_id: str, code: str) -> Row:
    """Keep a line from being used.

    Args:
        subscription_id: The line, such as SUB-5104.
        code: An RST code.
    """
    require_code(db, code, "RST")
    line = db.require(
        f"There is no subscription {subscription_id}.",
        "SELECT account_id FROM subscriptions WHERE id = %(id)s FOR UPDATE",
        id=subscription_id,
    )
    if db.one(
        "SELECT id FROM restrictions WHERE subscription_id = %(id)s AND code = %(code)s"
        " AND lifted_at IS NULL",
        id=subscription_id,
        code=code,
    ):
        raise ToolRefusal(f"{code} stands on {subscription_id} already.")
    return db.require(
        "The restriction could not be placed.",
        "INSERT INTO restrictions (account_id, subscription_id, code)"
        " VALUES (%(account)s, %(id)s, %(code)s) RETURNING id, subscription_id, code",
        account=line["account_id"],
        id=subscription_id,
        code=code,
    )


@tool(writes=True)
def lift_restriction(db: Db, restriction_id: int) -> Row:
    """Take a restriction away; the line works again unless another one stands.

    Args:
        restriction_id: The restriction's number.
    """
    return db.require(
        f"There is no restriction {restriction_id} that stands.",
        "UPDATE restrictions SET lifted_at = clock_now() WHERE id = %(id)s AND lifted_at IS NULL"
        " RETURNING id, account_id, subscription_id, code",
        id=restriction_id,
    )


TOOLS = (
    issue_sim,
    create_port_request,
    cancel_port_request,
    place_restriction,
    lift_restriction,
)
