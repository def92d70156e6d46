"""Complaints, and requests about personal data."""

import datetime as dt
from typing import Literal

from tb_envs.domains.codes import require_code
from tb_envs.domains.neobank.accounts import Money
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_cases(
    db: Db,
    customer_id: str,
    kind: str | None = None,
    status: Literal["open", "closed"] | None = None,
) -> list[Row]:
    """List a customer's complaints and data requests, the newest first. All criteria must match.

    Args:
        customer_id: The customer, such as CUS-1204.
        kind: A CSE code.
        status: Only cases in this status.
    """
    return db.all(
        "SELECT id, account_id, kind, topic, status, due_on, outcome, redress, approval_id,"
        " opened_at, closed_at FROM cases WHERE customer_id = %(customer)s"
        " AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::case_status)"
        " ORDER BY opened_at DESC, id LIMIT 25",
        customer=customer_id,
        kind=kind,
        status=status,
    )


@tool(writes=True)
def open_case(
    db: Db,
    customer_id: str,
    kind: str,
    topic: str,
    due_on: dt.date,
    account_id: str | None = None,
) -> Row:
    """Open a complaint or a data request.

    Args:
        customer_id: Whose case it is, such as CUS-1204.
        kind: A CSE code.
        topic: A TOP code.
        due_on: The day by which it is answered.
        account_id: The account that it is about.
    """
    require_code(db, kind, "CSE")
    require_code(db, topic, "TOP")
    return db.require(
        "The case could not be opened.",
        "INSERT INTO cases (customer_id, account_id, kind, topic, due_on)"
        " VALUES (%(customer)s, %(account)s, %(kind)s, %(topic)s, %(due_on)s)"
        " RETURNING id, kind, topic, status, due_on",
        customer=customer_id,
        account=account_id,
        kind=kind,
        topic=topic,
        due_on=due_on,
    )


@tool(writes=True)
def close_case(
    db: Db,
    case_id: str,
    outcome_code: str,
    redress: Money | None = None,
    approval_id: str | None = None,
) -> Row:
    """Close a case, with redress or without; redress is paid to the account at night.

    Args:
        case_id: The case, such as CAS-3104.
        outcome_code: An OUT code.
        redress: How much is paid; needed with OUT-REDRESS.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, outcome_code, "OUT")
    if (outcome_code == "OUT-REDRESS") != bool(redress):
        raise ToolRefusal("Give a redress with OUT-REDRESS, and only with it.")
    return db.require(
        f"{case_id} is not an open case.",
        "UPDATE cases SET status = 'closed', outcome = %(outcome)s,"
        " redress = coalesce(%(redress)s, 0), approval_id = %(approval)s, closed_at = clock_now()"
        " WHERE id = %(id)s AND status = 'open' RETURNING id, status, outcome, redress",
        id=case_id,
        outcome=outcome_code,
        redress=redress,
        approval=approval_id,
    )


TOOLS = (list_cases, open_case, close_case)
