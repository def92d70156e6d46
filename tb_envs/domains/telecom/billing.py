"""Invoices, credits and promises to pay."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=9_999, decimal_places=2)]
Destination = Literal["invoice", "next_bill", "pay_out"]


@tool
def list_invoices(
    db: Db,
    account_id: str,
    status: Literal["open", "overdue", "paid"] | None = None,
    limit: Annotated[int, Field(ge=1, le=12)] = 3,
) -> list[Row]:
    """List an account's invoices with their lines, payments and credits, the newest first.

    Args:
        account_id: The account, such as ACC-3104.
        status: Only invoices in this status.
        limit: How many to return at most.
    """
    invoices = db.all(
        "SELECT id, issued_on, due_on, amount, status, promised_on FROM invoices"
        " WHERE account_id = %(id)s"
        " AND (%(status)s::text IS NULL OR status = %(status)s::invoice_status)"
        " ORDER BY issued_on DESC, id DESC LIMIT %(limit)s",
        id=account_id,
        status=status,
        limit=limit,
    )
    for invoice in invoices:
        lines = db.all(
            "SELECT line, subscription_id, kind, description, charged_on, amount, zone, warned"
            " FROM invoice_lines WHERE invoice_id = %(id)s ORDER BY line",
            id=invoice["id"],
        )
        invoice["lines"] = [
            {name: value for name, value in line.items() if value is not None} for line in lines
        ]
        invoice["payments"] = db.all(
            "SELECT id, method, amount, status, paid_at FROM payments WHERE invoice_id = %(id)s"
            " ORDER BY paid_at, id",
            id=invoice["id"],
        )
        invoice["credits"] = db.all(
            "SELECT id, amount, reason, destination, created_at FROM credits"
            " WHERE reference = %(id)s ORDER BY created_at, id",
            id=invoice["id"],
        )
    return invoices


@tool(writes=True)
def issue_credit(
    db: Db,
    account_id: str,
    amount: Amount,
    reason_code: str,
    reference: str,
    destination: Destination,
    approval_id: str | None = None,
) -> Row:
    """Give a customer money: off an unpaid invoice, off the next bill, or paid out.

    Args:
        account_id: The account, such as ACC-3104.
        amount: How much.
        reason_code: A CRE code.
        reference: What it is given for: an invoice, an outage, a visit or a port request.
        destination: "invoice" takes it off the unpaid invoice of the reference, "next_bill" off
            the bill to come, "pay_out" sends money back the way the paid invoice was paid.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "CRE")
    if destination != "next_bill":
        _check_invoice(db, account_id, reference, amount, destination)
    return db.require(
        f"There is no account {account_id}.",
        "INSERT INTO credits (account_id, amount, reason, reference, destination, approval_id)"
        " SELECT id, %(amount)s, %(reason)s, %(reference)s, %(destination)s::credit_destination,"
        " %(approval)s FROM accounts WHERE id = %(id)s"
        " RETURNING id, account_id, amount, reason, reference, destination",
        id=account_id,
        amount=amount,
        reason=reason_code,
        reference=reference,
        destination=destination,
        approval=approval_id,
    )


def _check_invoice(
    db: Db, account_id: str, invoice_id: str, amount: Decimal, destination: str
) -> None:
    """Refuse what exceeds the invoice, and the destination that does not fit its status."""
    invoice = db.require(
        f"{invoice_id} is not an invoice of {account_id}.",
        "SELECT status, amount - (SELECT coalesce(sum(amount), 0) FROM credits"
        "  WHERE reference = invoices.id) AS left_over FROM invoices"
        " WHERE id = %(invoice)s AND account_id = %(id)s FOR UPDATE",
        invoice=invoice_id,
        id=account_id,
    )
    if (destination == "pay_out") != (invoice["status"] == "paid"):
        raise ToolRefusal(
            f"{invoice_id} is {invoice['status']}: only a paid invoice is paid out, and only an "
            "unpaid one is reduced."
        )
    if amount > invoice["left_over"]:
        raise ToolRefusal(f"Only {invoice['left_over']} of {invoice_id} can be credited.")


@tool(writes=True)
def record_promise(db: Db, invoice_id: str, pay_by: dt.date) -> Row:
    """Note until when a customer promised to pay an invoice. It lifts no restriction.

    Args:
        invoice_id: The invoice, such as INV-7104.
        pay_by: The last day on which it will be paid.
    """
    invoice = db.require(
        f"There is no invoice {invoice_id}.",
        "SELECT status, clock_now()::date AS today FROM invoices WHERE id = %(id)s FOR UPDATE",
        id=invoice_id,
    )
    if invoice["status"] == "paid":
        raise ToolRefusal(f"{invoice_id} is paid.")
    if pay_by < invoice["today"]:
        raise ToolRefusal(f"{pay_by} has passed; today is {invoice['today']}.")
    return db.require(
        "The promise could not be noted.",
        "UPDATE invoices SET promised_on = %(day)s WHERE id = %(id)s"
        " RETURNING id, amount, status, promised_on",
        id=invoice_id,
        day=pay_by,
    )


TOOLS = (list_invoices, issue_credit, record_promise)
