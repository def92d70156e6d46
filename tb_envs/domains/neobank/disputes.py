"""What was paid with a card, and disputes about it."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.neobank.accounts import Money
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_card_transactions(
    db: Db,
    card_id: str,
    merchant: str | None = None,
    status: Literal["authorised", "settled", "reversed"] | None = None,
    booked_from: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> list[Row]:
    """List what was paid with a card, with disputes, the newest first. All criteria must match.

    Args:
        card_id: The card, such as CRD-5104.
        merchant: A part of the merchant's name.
        status: Only transactions in this status.
        booked_from: Only those of this day or later.
        limit: How many to return at most.
    """
    found = db.all(
        "SELECT id, merchant, country, amount, entry, status, booked_at FROM card_transactions"
        " WHERE card_id = %(card)s"
        " AND (%(merchant)s::text IS NULL OR strpos(lower(merchant), lower(%(merchant)s)) > 0)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::transaction_status)"
        " AND (%(booked_from)s::date IS NULL OR booked_at >= %(booked_from)s)"
        " ORDER BY booked_at DESC, id LIMIT %(limit)s",
        card=card_id,
        merchant=merchant,
        status=status,
        booked_from=booked_from,
        limit=limit,
    )
    for transaction in found:
        transaction["disputes"] = db.all(
            "SELECT id, reason, amount, provisional_credit, status, opened_at FROM disputes"
            " WHERE transaction_id = %(id)s ORDER BY opened_at, id",
            id=transaction["id"],
        )
    return found


@tool(writes=True)
def open_dispute(
    db: Db, transaction_id: str, reason_code: str, amount: Money, provisional_credit: bool = False
) -> Row:
    """Dispute a card charge with the merchant's bank.

    Args:
        transaction_id: The charge, such as CTX-7104.
        reason_code: A DSR code.
        amount: How much of the charge is disputed.
        provisional_credit: Whether the customer gets the amount while the dispute lasts.
    """
    require_code(db, reason_code, "DSR")
    charge = db.require(
        f"There is no card transaction {transaction_id}.",
        "SELECT amount, status, EXISTS (SELECT FROM disputes WHERE transaction_id = %(id)s"
        " AND disputes.status = 'open') AS disputed FROM card_transactions WHERE id = %(id)s"
        " FOR UPDATE",
        id=transaction_id,
    )
    if charge["disputed"]:
        raise ToolRefusal(f"A dispute about {transaction_id} is open already.")
    if charge["status"] == "reversed" or amount > charge["amount"]:
        raise ToolRefusal(
            f"{transaction_id} is {charge['status']} with {charge['amount']}; {amount} of it cannot"
            " be disputed."
        )
    return db.require(
        "The dispute could not be opened.",
        "INSERT INTO disputes (transaction_id, reason, amount, provisional_credit)"
        " VALUES (%(id)s, %(reason)s, %(amount)s, %(credit)s)"
        " RETURNING id, transaction_id, reason, amount, provisional_credit, status",
        id=transaction_id,
        reason=reason_code,
        amount=amount,
        credit=provisional_credit,
    )


TOOLS = (list_card_transactions, open_dispute)
