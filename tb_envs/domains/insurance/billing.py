"""Premiums, fees, and premium that goes back."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=99_999, decimal_places=2)]


@tool
def list_billing(db: Db, policy_number: str) -> Row:
    """List a policy's instalments and fees, the oldest first, and premium that was refunded.

    Args:
        policy_number: The policy, such as TMA-41207.
    """
    instalments = db.all(
        "SELECT id, kind, fee_for, due_on, amount, status, paid_on, paid_with, waiver, waived_on"
        " FROM instalments WHERE policy_number = %(number)s ORDER BY due_on, id",
        number=policy_number,
    )
    refunds = db.all(
        "SELECT id, instalment_id, amount, reason, approval_id, issued_at FROM premium_refunds"
        " WHERE policy_number = %(number)s ORDER BY issued_at, id",
        number=policy_number,
    )
    return {"instalments": instalments, "refunds": refunds}


@tool(writes=True)
def waive_fee(db: Db, instalment_id: str, waiver_code: str) -> Row:
    """Waive a fee that is not paid yet. A fee that was paid is refunded instead.

    Args:
        instalment_id: The fee, such as BIL-61204.
        waiver_code: A WVR code.
    """
    require_code(db, waiver_code, "WVR")
    fee = db.require(
        f"There is no instalment {instalment_id}.",
        "SELECT kind, status FROM instalments WHERE id = %(id)s FOR UPDATE",
        id=instalment_id,
    )
    if fee["kind"] == "premium":
        raise ToolRefusal(f"{instalment_id} is premium, not a fee.")
    if fee["status"] not in ("scheduled", "overdue"):
        raise ToolRefusal(f"{instalment_id} is {fee['status']} already.")
    return db.require(
        "The fee could not be waived.",
        "UPDATE instalments SET status = 'waived', waiver = %(code)s,"
        " waived_on = clock_now()::date WHERE id = %(id)s"
        " RETURNING id, kind, amount, status, waiver",
        id=instalment_id,
        code=waiver_code,
    )


@tool(writes=True)
def refund_premium(
    db: Db,
    instalment_id: str,
    amount: Amount,
    reason_code: str,
    approval_id: str | None = None,
) -> Row:
    """Give back premium or a fee, the way that the instalment was paid.

    Args:
        instalment_id: The paid instalment or fee that is given back, in part or whole.
        amount: How much.
        reason_code: An RFP code.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "RFP")
    paid = db.require(
        f"There is no instalment {instalment_id}.",
        "SELECT status, amount - (SELECT coalesce(sum(amount), 0) FROM premium_refunds"
        "  WHERE instalment_id = instalments.id) AS left_over"
        " FROM instalments WHERE id = %(id)s FOR UPDATE",
        id=instalment_id,
    )
    if paid["status"] != "paid":
        raise ToolRefusal(f"{instalment_id} is {paid['status']}: there is nothing to give back.")
    if amount > paid["left_over"]:
        raise ToolRefusal(f"{amount} is more than the {paid['left_over']} left of {instalment_id}.")
    return db.require(
        "The refund could not be recorded.",
        "INSERT INTO premium_refunds (policy_number, instalment_id, amount, reason, approval_id)"
        " SELECT policy_number, id, %(amount)s, %(reason)s, %(approval_id)s FROM instalments"
        " WHERE id = %(id)s RETURNING id, policy_number, instalment_id, amount, reason",
        id=instalment_id,
        amount=amount,
        reason=reason_code,
        approval_id=approval_id,
    )


TOOLS = (list_billing, waive_fee, refund_premium)
