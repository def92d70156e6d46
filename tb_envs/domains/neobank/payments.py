"""Transfers, direct debits and fees."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.neobank.accounts import Money
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_transfers(
    db: Db,
    account_id: str,
    recipient: str | None = None,
    status: Literal["scheduled", "executed", "cancelled", "returned"] | None = None,
    executes_from: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> list[Row]:
    """List transfers from an account, with their recalls, the newest first. All criteria match.

    Args:
        account_id: The account, such as ACC-3104.
        recipient: A part of the recipient's name.
        status: Only transfers in this status.
        executes_from: Only those of this day or later.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, kind, recipient, recipient_iban, amount, purpose, status, executes_on,"
        " recall_reason, recall_status, recall_requested_on FROM transfers"
        " WHERE account_id = %(account)s"
        " AND (%(recipient)s::text IS NULL OR strpos(lower(recipient), lower(%(recipient)s)) > 0)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::transfer_status)"
        " AND (%(executes_from)s::date IS NULL OR executes_on >= %(executes_from)s)"
        " ORDER BY executes_on DESC, id LIMIT %(limit)s",
        account=account_id,
        recipient=recipient,
        status=status,
        executes_from=executes_from,
        limit=limit,
    )


@tool(writes=True)
def cancel_transfer(db: Db, transfer_id: str) -> Row:
    """Cancel a transfer that is still scheduled.

    Args:
        transfer_id: The transfer, such as TRF-8104.
    """
    return db.require(
        f"{transfer_id} is not a scheduled transfer.",
        "UPDATE transfers SET status = 'cancelled' WHERE id = %(id)s AND status = 'scheduled'"
        " RETURNING id, recipient, amount, status",
        id=transfer_id,
    )


@tool(writes=True)
def recall_transfer(
    db: Db,
    transfer_id: str,
    reason_code: str,
    fee: Annotated[Decimal, Field(ge=0, le=100, decimal_places=2)],
) -> Row:
    """Ask the recipient's bank to send an executed transfer back.

    Args:
        transfer_id: The transfer, such as TRF-8104.
        reason_code: An RCR code.
        fee: What is charged to the account; 0 for nothing.
    """
    require_code(db, reason_code, "RCR")
    found = db.require(
        f"There is no transfer {transfer_id}.",
        "SELECT account_id, status, recall_status FROM transfers WHERE id = %(id)s FOR UPDATE",
        id=transfer_id,
    )
    if found["status"] != "executed" or found["recall_status"] is not None:
        raise ToolRefusal(
            f"{transfer_id} is {found['status']}, its recall {found['recall_status'] or 'none'}."
        )
    if fee > 0:
        db.execute(
            "INSERT INTO fees (account_id, fee_type, amount, about)"
            " VALUES (%(account)s, 'CHG-RECALL', %(fee)s, %(transfer)s)",
            account=found["account_id"],
            fee=fee,
            transfer=transfer_id,
        )
    return db.require(
        "The recall could not be requested.",
        "UPDATE transfers SET recall_reason = %(reason)s, recall_status = 'requested',"
        " recall_requested_on = clock_now()::date WHERE id = %(id)s"
        " RETURNING id, recipient, amount, recall_reason, recall_status",
        id=transfer_id,
        reason=reason_code,
    )


@tool
def list_direct_debits(db: Db, account_id: str, creditor: str | None = None) -> list[Row]:
    """List the direct debit mandates of an account with their collections, the newest first.

    Args:
        account_id: The account, such as ACC-3104.
        creditor: A part of the creditor's name.
    """
    mandates = db.all(
        "SELECT id, creditor, scheme, status, signed_on, ended_on FROM mandates"
        " WHERE account_id = %(account)s"
        " AND (%(creditor)s::text IS NULL OR strpos(lower(creditor), lower(%(creditor)s)) > 0)"
        " ORDER BY signed_on DESC, id LIMIT 25",
        account=account_id,
        creditor=creditor,
    )
    for mandate in mandates:
        mandate["collections"] = db.all(
            "SELECT id, amount, due_on, status, return_reason FROM collections"
            " WHERE mandate_id = %(id)s ORDER BY due_on DESC, id LIMIT 12",
            id=mandate["id"],
        )
    return mandates


@tool(writes=True)
def return_direct_debit(db: Db, collection_id: str, reason_code: str) -> Row:
    """Give a booked direct debit back to the creditor's bank. The mandate stays as it is.

    Args:
        collection_id: The collection, such as DDC-9104.
        reason_code: A DDR code.
    """
    require_code(db, reason_code, "DDR")
    return db.require(
        f"{collection_id} is not a booked collection.",
        "UPDATE collections SET status = 'returned', return_reason = %(reason)s"
        " WHERE id = %(id)s AND status = 'booked' RETURNING id, amount, status, return_reason",
        id=collection_id,
        reason=reason_code,
    )


@tool(writes=True)
def block_mandate(db: Db, mandate_id: str) -> Row:
    """Refuse further collections under a mandate; the customer can allow them again.

    Args:
        mandate_id: The mandate, such as MND-6104.
    """
    return db.require(
        f"{mandate_id} is not an active mandate.",
        "UPDATE mandates SET status = 'blocked' WHERE id = %(id)s AND status = 'active'"
        " RETURNING id, creditor, status",
        id=mandate_id,
    )


@tool(writes=True)
def cancel_mandate(db: Db, mandate_id: str) -> Row:
    """Record that a mandate has ended for good.

    Args:
        mandate_id: The mandate, such as MND-6104.
    """
    return db.require(
        f"{mandate_id} is not a mandate that can end.",
        "UPDATE mandates SET status = 'cancelled', ended_on = clock_now()::date"
        " WHERE id = %(id)s AND status <> 'cancelled' RETURNING id, creditor, status, ended_on",
        id=mandate_id,
    )


@tool
def list_fees(
    db: Db,
    account_id: str,
    fee_type: str | None = None,
    charged_from: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> list[Row]:
    """List the fees of an account with what was reversed, the newest first. All criteria match.

    Args:
        account_id: The account, such as ACC-3104.
        fee_type: A CHG code.
        charged_from: Only those of this day or later.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, fee_type, amount, about, charged_on, reversed_amount, reversal_reason,"
        " reversal_approval, reversed_on FROM fees WHERE account_id = %(account)s"
        " AND (%(fee_type)s::text IS NULL OR fee_type = %(fee_type)s)"
        " AND (%(charged_from)s::date IS NULL OR charged_on >= %(charged_from)s)"
        " ORDER BY charged_on DESC, id LIMIT %(limit)s",
        account=account_id,
        fee_type=fee_type,
        charged_from=charged_from,
        limit=limit,
    )


@tool(writes=True)
def reverse_fee(
    db: Db, fee_id: str, amount: Money, reason_code: str, approval_id: str | None = None
) -> Row:
    """Give a fee or a part of it back to the account.

    Args:
        fee_id: The fee, such as FEE-4104.
        amount: How much.
        reason_code: An FRV code.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "FRV")
    found = db.require(
        f"There is no fee {fee_id}.",
        "SELECT amount, reversed_amount FROM fees WHERE id = %(id)s FOR UPDATE",
        id=fee_id,
    )
    if found["reversed_amount"] > 0 or not 0 < amount <= found["amount"]:
        raise ToolRefusal(
            f"Of {fee_id}, {found['amount']}, {found['reversed_amount']} was reversed; {amount}"
            " cannot be."
        )
    return db.require(
        "The fee could not be reversed.",
        "UPDATE fees SET reversed_amount = %(amount)s, reversal_reason = %(reason)s,"
        " reversal_approval = %(approval)s, reversed_on = clock_now()::date WHERE id = %(id)s"
        " RETURNING id, fee_type, amount, reversed_amount, reversal_reason",
        id=fee_id,
        amount=amount,
        reason=reason_code,
        approval=approval_id,
    )


TOOLS = (
    list_transfers,
    cancel_transfer,
    recall_transfer,
    list_direct_debits,
    return_direct_debit,
    block_mandate,
    cancel_mandate,
    list_fees,
    reverse_fee,
)
