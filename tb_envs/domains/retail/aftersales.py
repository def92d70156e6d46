"""Returns and warranty claims."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.retail.orders import Line, Quantity
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Fee = Annotated[Decimal, Field(ge=0, le=100, decimal_places=2)]


@tool
def list_returns(db: Db, order_number: str) -> Row:
    """List the returns and the warranty claims of an order, the oldest first.

    Args:
        order_number: The order, such as ORD-48210.
    """
    returns = db.all(
        "SELECT id, line, quantity, reason, label_fee, status, requested_at, received_at,"
        " condition FROM returns WHERE order_number = %(number)s ORDER BY requested_at, id",
        number=order_number,
    )
    claims = db.all(
        "SELECT id, line, fault, remedy, status, opened_at, closed_at FROM warranty_claims"
        " WHERE order_number = %(number)s ORDER BY opened_at, id",
        number=order_number,
    )
    return {"returns": returns, "warranty_claims": claims}


@tool(writes=True)
def create_return(
    db: Db, order_number: str, line: Line, quantity: Quantity, reason_code: str, label_fee: Fee
) -> Row:
    """Authorise a return and make its label. It refunds nothing.

    Args:
        order_number: The order, such as ORD-48210.
        line: The line's number in the order.
        quantity: How many come back.
        reason_code: An RSN code.
        label_fee: What the customer pays for the label; 0 for none.
    """
    require_code(db, reason_code, "RSN")
    found = db.require(
        f"There is no line {line} in {order_number}.",
        "SELECT status, quantity - cancelled_quantity - (SELECT coalesce(sum(returns.quantity), 0)"
        "  FROM returns WHERE returns.order_number = order_lines.order_number"
        "  AND returns.line = order_lines.line AND returns.status NOT IN ('rejected', 'expired'))"
        " AS left_over FROM order_lines WHERE order_number = %(number)s AND line = %(line)s"
        " FOR UPDATE",
        number=order_number,
        line=line,
    )
    if found["status"] != "delivered":
        raise ToolRefusal(f"Line {line} of {order_number} is {found['status']}, not delivered.")
    if quantity > found["left_over"]:
        raise ToolRefusal(f"Only {found['left_over']} of line {line} can still come back.")
    return db.require(
        "The return could not be made.",
        "INSERT INTO returns (order_number, line, quantity, reason, label_fee) VALUES"
        " (%(number)s, %(line)s, %(quantity)s, %(reason)s, %(fee)s)"
        " RETURNING id, order_number, line, quantity, reason, label_fee, status",
        number=order_number,
        line=line,
        quantity=quantity,
        reason=reason_code,
        fee=label_fee,
    )


@tool(writes=True)
def settle_return(db: Db, return_id: str, decision: Literal["accepted", "rejected"]) -> Row:
    """Accept or reject goods that came back. It refunds nothing by itself.

    Args:
        return_id: The return, such as RMA-2204.
        decision: Whether the goods are kept or go back to the customer.
    """
    found = db.require(
        f"There is no return {return_id}.",
        "SELECT status FROM returns WHERE id = %(id)s FOR UPDATE",
        id=return_id,
    )
    if found["status"] != "received":
        raise ToolRefusal(f"{return_id} is {found['status']}; only a received one is settled.")
    return db.require(
        "The return could not be settled.",
        "UPDATE returns SET status = %(decision)s WHERE id = %(id)s"
        " RETURNING id, order_number, line, quantity, status",
        id=return_id,
        decision=decision,
    )


@tool(writes=True)
def open_warranty_claim(
    db: Db,
    order_number: str,
    line: Line,
    fault_code: str,
    remedy: Literal["repair", "replacement", "refund", "none"],
) -> Row:
    """Record a fault of a delivered item and what is done about it; it moves no goods or money.

    A claim with a replacement, a refund or none is closed at once; a repair stays open.

    Args:
        order_number: The order, such as ORD-48210.
        line: The line's number in the order.
        fault_code: An FLT code.
        remedy: What is done.
    """
    require_code(db, fault_code, "FLT")
    ends = {"replacement": "replaced", "refund": "refunded", "none": "rejected"}
    status = ends.get(remedy, "open")
    return db.require(
        f"Line {line} of {order_number} is not a delivered line.",
        "INSERT INTO warranty_claims (order_number, line, fault, remedy, status, closed_at)"
        " SELECT order_number, line, %(fault)s, %(remedy)s, %(status)s::warranty_status,"
        " CASE WHEN %(status)s <> 'open' THEN clock_now() END FROM order_lines"
        " WHERE order_number = %(number)s AND line = %(line)s AND status = 'delivered'"
        " RETURNING id, order_number, line, fault, remedy, status",
        number=order_number,
        line=line,
        fault=fault_code,
        remedy=remedy,
        status=status,
    )


TOOLS = (list_returns, create_return, settle_return, open_warranty_claim)
