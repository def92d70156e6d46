"""Payments of bookings and the money that goes back."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=9_999_999, decimal_places=2)]


@tool
def list_payments(db: Db, booking_reference: str) -> list[Row]:
    """List the payments of a booking, the oldest first, each with its refunds.

    Args:
        booking_reference: The booking, such as BKG-4710.
    """
    db.require(
        f"There is no booking {booking_reference}.",
        "SELECT reference FROM bookings WHERE reference = %(reference)s",
        reference=booking_reference,
    )
    payments = db.all(
        "SELECT id, method, instrument, amount, currency, status, paid_at FROM payments"
        " WHERE booking_reference = %(reference)s ORDER BY paid_at, id",
        reference=booking_reference,
    )
    refunds = db.all(
        "SELECT refund.id, payment_id, destination, refund.amount, reason_code, approval_id,"
        " refund.status, refund.created_at FROM refunds AS refund"
        " JOIN payments ON payments.id = payment_id"
        " WHERE booking_reference = %(reference)s ORDER BY refund.created_at, refund.id",
        reference=booking_reference,
    )
    for payment in payments:
        payment["refunds"] = [
            {name: value for name, value in refund.items() if name != "payment_id"}
            for refund in refunds
            if refund["payment_id"] == payment["id"]
        ]
    return payments


@tool(writes=True)
def issue_refund(
    db: Db, payment_id: str, amount: Amount, reason_code: str, approval_id: str | None = None
) -> Row:
    """Pay money back the way it was paid: to the card, the account or the invoice.

    Args:
        payment_id: The payment, such as PAY-4710.
        amount: How much, in the payment's currency.
        reason_code: A REF code.
        approval_id: The approval that covers the refund, such as APR-2107.
    """
    return _give_back(db, payment_id, "original_payment", amount, reason_code, approval_id)


@tool(writes=True)
def issue_travel_credit(
    db: Db, payment_id: str, amount: Amount, reason_code: str, approval_id: str | None = None
) -> Row:
    """Give money back as travel credit, which can only be spent with us.

    Args:
        payment_id: The payment that it is given for, such as PAY-4710.
        amount: How much, in the payment's currency.
        reason_code: A REF code.
        approval_id: The approval that covers the credit, such as APR-2107.
    """
    return _give_back(db, payment_id, "travel_credit", amount, reason_code, approval_id)


def _give_back(
    db: Db,
    payment_id: str,
    destination: Literal["original_payment", "travel_credit"],
    amount: Decimal,
    reason_code: str,
    approval_id: str | None,
) -> Row:
    require_code(db, reason_code, "REF")
    payment = db.require(
        f"There is no payment {payment_id}.",
        "SELECT amount, currency, status FROM payments WHERE id = %(payment_id)s FOR UPDATE",
        payment_id=payment_id,
    )
    if payment["status"] != "captured":
        raise ToolRefusal(f"{payment_id} is {payment['status']}: there is nothing to give back.")
    earlier = db.require(
        f"There is no payment {payment_id}.",
        "SELECT coalesce(sum(amount), 0) AS amount FROM refunds"
        " WHERE payment_id = %(payment_id)s AND status <> 'failed'",
        payment_id=payment_id,
    )
    left = payment["amount"] - earlier["amount"]
    if amount > left:
        raise ToolRefusal(
            f"{amount} is more than the {left} {payment['currency']} left on {payment_id}."
        )
    return db.require(
        "The refund could not be recorded.",
        "INSERT INTO refunds (payment_id, destination, amount, currency, reason_code, approval_id)"
        " VALUES (%(payment_id)s, %(destination)s, %(amount)s, %(currency)s, %(reason_code)s,"
        " %(approval_id)s) RETURNING id, payment_id, destination, amount, currency, status",
        payment_id=payment_id,
        destination=destination,
        amount=amount,
        currency=payment["currency"],
        reason_code=reason_code,
        approval_id=approval_id,
    )


TOOLS = (list_payments, issue_refund, issue_travel_credit)
