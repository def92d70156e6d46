"""Payments, refunds and gift cards."""

import datetime as dt
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=99_999, decimal_places=2)]

GIFT_CARD_LIFE = dt.timedelta(days=730)


@tool
def list_payments(db: Db, order_number: str) -> Row:
    """List an order's payments with their refunds, and the gift cards given for it.

    Args:
        order_number: The order, such as ORD-48210.
    """
    payments = db.all(
        "SELECT id, method, instrument, amount, status, paid_at FROM payments"
        " WHERE order_number = %(number)s ORDER BY paid_at, id",
        number=order_number,
    )
    for payment in payments:
        payment["refunds"] = db.all(
            "SELECT id, amount, reason, return_id, approval_id, status, created_at FROM refunds"
            " WHERE payment_id = %(id)s ORDER BY created_at, id",
            id=payment["id"],
        )
    given = db.all(
        "SELECT id, holder_id, initial_amount, reason, issued_at FROM gift_cards"
        " WHERE source_order = %(number)s AND reason IS NOT NULL ORDER BY issued_at, id",
        number=order_number,
    )
    return {"payments": payments, "gift_cards_given": given}


@tool
def list_gift_cards(db: Db, customer_id: str) -> list[Row]:
    """List the gift cards that a customer holds, the newest first.

    Args:
        customer_id: The customer, such as CUS-1204.
    """
    return db.all(
        "SELECT id, initial_amount, balance, status, expires_on, source_order, reason, issued_at"
        " FROM gift_cards WHERE holder_id = %(id)s ORDER BY issued_at DESC, id LIMIT 25",
        id=customer_id,
    )


@tool(writes=True)
def issue_refund(
    db: Db,
    payment_id: str,
    amount: Amount,
    reason_code: str,
    return_id: str | None = None,
    approval_id: str | None = None,
) -> Row:
    """Give money back the way it was paid: to the card, the wallet, the invoice or the gift card.

    Args:
        payment_id: The payment, such as PAY-71204.
        amount: How much.
        reason_code: A REF code.
        return_id: The return that it is for, such as RMA-2204.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "REF")
    payment = db.require(
        f"There is no payment {payment_id}.",
        "SELECT method, instrument, amount, status, amount - (SELECT coalesce(sum(amount), 0)"
        "  FROM refunds WHERE payment_id = payments.id AND status <> 'failed') AS left_over"
        " FROM payments WHERE id = %(id)s FOR UPDATE",
        id=payment_id,
    )
    if payment["status"] != "captured":
        raise ToolRefusal(f"{payment_id} is {payment['status']}: there is nothing to give back.")
    if amount > payment["left_over"]:
        raise ToolRefusal(f"{amount} is more than the {payment['left_over']} left on {payment_id}.")
    if payment["method"] == "gift_card":
        _refill(db, payment["instrument"], amount)
    return db.require(
        "The refund could not be recorded.",
        "INSERT INTO refunds (payment_id, amount, reason, return_id, approval_id) VALUES"
        " (%(payment_id)s, %(amount)s, %(reason)s, %(return_id)s, %(approval_id)s)"
        " RETURNING id, payment_id, amount, reason, status",
        payment_id=payment_id,
        amount=amount,
        reason=reason_code,
        return_id=return_id,
        approval_id=approval_id,
    )


@tool(writes=True)
def issue_gift_card(
    db: Db,
    customer_id: str,
    amount: Amount,
    reason_code: str,
    order_number: str,
    approval_id: str | None = None,
) -> Row:
    """Give a customer a new gift card, which can only be spent with us. It is not a refund.

    Args:
        customer_id: Who gets it, such as CUS-1204.
        amount: How much.
        reason_code: A REF code.
        order_number: The order that it is given for.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "REF")
    return db.require(
        f"There is no order {order_number}.",
        "INSERT INTO gift_cards (holder_id, initial_amount, balance, expires_on, source_order,"
        " reason, approval_id) SELECT %(customer_id)s, %(amount)s, %(amount)s,"
        " (clock_now() + %(life)s)::date, number, %(reason)s, %(approval_id)s FROM orders"
        " WHERE number = %(number)s RETURNING id, holder_id, balance, expires_on, source_order",
        customer_id=customer_id,
        amount=amount,
        life=GIFT_CARD_LIFE,
        reason=reason_code,
        number=order_number,
        approval_id=approval_id,
    )


def _refill(db: Db, gift_card_id: str, amount: Decimal) -> None:
    """Put money back on a gift card; one that is expired or blocked takes none."""
    card = db.require(
        f"There is no gift card {gift_card_id}.",
        "SELECT status FROM gift_cards WHERE id = %(id)s FOR UPDATE",
        id=gift_card_id,
    )
    if card["status"] != "active":
        raise ToolRefusal(f"The gift card {gift_card_id} is {card['status']} and takes no money.")
    db.execute(
        "UPDATE gift_cards SET balance = balance + %(amount)s WHERE id = %(id)s",
        amount=amount,
        id=gift_card_id,
    )


TOOLS = (list_payments, list_gift_cards, issue_refund, issue_gift_card)
