"""Invoices: list, charge a fee, waive it, pay money back."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=10_000, decimal_places=2)]


@tool
def list_invoices(
    db: Db, patient_id: str, status: Literal["open", "paid", "waived", "cancelled"] | None = None
) -> list[Row]:
    """List a patient's invoices with payments and refunds, the latest first.

    Args:
        patient_id: The patient, such as PAT-2004.
        status: Only in this status.
    """
    invoices = db.all(
        "SELECT id, appointment_id, kind, amount, status, issued_on, due_on, waiver_reason,"
        " approval_id FROM invoices WHERE patient_id = %(id)s"
        " AND (%(status)s::text IS NULL OR status = %(status)s::invoice_status)"
        " ORDER BY issued_on DESC, id DESC",
        id=patient_id,
        status=status,
    )
    for invoice in invoices:
        invoice["payments"] = db.all(
            "SELECT id, method, amount, paid_at FROM payments WHERE invoice_id = %(id)s"
            " ORDER BY paid_at, id",
            id=invoice["id"],
        )
        invoice["refunds"] = db.all(
            "SELECT refunds.id, payment_id, refunds.amount, reason, refunds.status, created_at"
            " FROM refunds JOIN payments ON payments.id = payment_id WHERE invoice_id = %(id)s"
            " ORDER BY created_at, refunds.id",
            id=invoice["id"],
        )
    return invoices


@tool(writes=True)
def charge_fee(
    db: Db, patient_id: str, fee_code: str, amount: Amount, appointment_id: str | None = None
) -> Row:
    """Issue an invoice to a patient, due in 30 days.

    Args:
        patient_id: The patient, such as PAT-2004.
        fee_code: A FEE code.
        amount: The amount in euro.
        appointment_id: The appointment that it is for, such as APT-8104.
    """
    require_code(db, fee_code, "FEE")
    return db.require(
        f"There is no patient {patient_id}.",
        "INSERT INTO invoices (patient_id, appointment_id, kind, amount)"
        " SELECT id, %(appointment)s, %(kind)s, %(amount)s FROM patients WHERE id = %(id)s"
        " RETURNING id, patient_id, appointment_id, kind, amount, status, due_on",
        id=patient_id,
        appointment=appointment_id,
        kind=fee_code,
        amount=amount,
    )


@tool(writes=True)
def waive_invoice(db: Db, invoice_id: str, reason_code: str, approval_id: str | None = None) -> Row:
    """Give up an open invoice. Money that was paid does not come back by it.

    Args:
        invoice_id: The invoice, such as INV-5104.
        reason_code: A WAV code.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "WAV")
    found = db.require(
        f"There is no invoice {invoice_id}.",
        "SELECT status FROM invoices WHERE id = %(id)s FOR UPDATE",
        id=invoice_id,
    )
    if found["status"] != "open":
        raise ToolRefusal(f"{invoice_id} is {found['status']}; only an open one can be waived.")
    return db.require(
        "The invoice could not be waived.",
        "UPDATE invoices SET status = 'waived', waiver_reason = %(reason)s,"
        " approval_id = %(approval)s WHERE id = %(id)s"
        " RETURNING id, amount, status, waiver_reason",
        id=invoice_id,
        reason=reason_code,
        approval=approval_id,
    )


@tool(writes=True)
def issue_refund(
    db: Db, payment_id: str, amount: Amount, reason_code: str, approval_id: str | None = None
) -> Row:
    """Pay money back to where a payment came from.

    Args:
        payment_id: The payment, such as PMT-6104.
        amount: The amount in euro.
        reason_code: A REF code.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "REF")
    payment = db.require(
        f"There is no payment {payment_id}.",
        "SELECT method, amount - (SELECT coalesce(sum(refunds.amount), 0) FROM refunds"
        "  WHERE payment_id = payments.id AND status <> 'failed') AS left_over"
        " FROM payments WHERE id = %(id)s FOR UPDATE",
        id=payment_id,
    )
    if payment["method"] == "payer":
        raise ToolRefusal(f"{payment_id} came from a payer; nothing goes back to the patient.")
    if amount > payment["left_over"]:
        raise ToolRefusal(f"Only {payment['left_over']} of {payment_id} can go back.")
    return db.require(
        "The refund could not be issued.",
        "INSERT INTO refunds (payment_id, amount, reason, approval_id)"
        " VALUES (%(id)s, %(amount)s, %(reason)s, %(approval)s)"
        " RETURNING id, payment_id, amount, reason, status",
        id=payment_id,
        amount=amount,
        reason=reason_code,
        approval=approval_id,
    )


TOOLS = (list_invoices, charge_fee, waive_invoice, issue_refund)
