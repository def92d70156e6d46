"""Money: charges and payments, plans for arrears, deposits."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=99_999)]


@tool
def list_charges(
    db: Db,
    lease_id: str,
    status: Literal["open", "paid", "waived"] | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 12,
) -> list[Row]:
    """List a lease's charges with what was paid and refunded, the latest due first.

    Args:
        lease_id: The lease, such as LSE-2004.
        status: Only in this status.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT charges.id, kind, amount, issued_on, due_on, charges.status, waiver_reason,"
        " (SELECT coalesce(json_agg(json_build_object('id', payments.id, 'amount',"
        "  payments.amount, 'method', method, 'received_on', received_on, 'refunded',"
        "  (SELECT coalesce(sum(refunds.amount), 0) FROM refunds"
        "   WHERE payment_id = payments.id)) ORDER BY payments.id), '[]')"
        "  FROM payments WHERE charge_id = charges.id) AS payments"
        " FROM charges WHERE lease_id = %(id)s"
        " AND (%(status)s::text IS NULL OR status = %(status)s::charge_status)"
        " ORDER BY due_on DESC, charges.id LIMIT %(limit)s",
        id=lease_id,
        status=status,
        limit=limit,
    )


@tool(writes=True)
def add_charge(db: Db, lease_id: str, kind_code: str, amount: Amount) -> Row:
    """Charge something to a lease, due in 14 days.

    Args:
        lease_id: The lease, such as LSE-2004.
        kind_code: A FEE code.
        amount: How much, in pounds.
    """
    require_code(db, kind_code, "FEE")
    return db.require(
        f"There is no lease {lease_id}.",
        "INSERT INTO charges (lease_id, kind, amount) SELECT id, %(kind)s, %(amount)s FROM leases"
        " WHERE id = %(id)s RETURNING id, lease_id, kind, amount, due_on",
        id=lease_id,
        kind=kind_code,
        amount=amount,
    )


@tool(writes=True)
def waive_charge(db: Db, charge_id: str, reason_code: str) -> Row:
    """Give up an open charge as a whole.

    Args:
        charge_id: The charge, such as CHG-4104.
        reason_code: A WVR code.
    """
    require_code(db, reason_code, "WVR")
    return db.require(
        f"There is no open charge {charge_id}.",
        "UPDATE charges SET status = 'waived', waiver_reason = %(reason)s"
        " WHERE id = %(id)s AND status = 'open' RETURNING id, lease_id, status, waiver_reason",
        id=charge_id,
        reason=reason_code,
    )


@tool(writes=True)
def refund_payment(
    db: Db, payment_id: str, amount: Amount, reason_code: str, approval_id: str | None = None
) -> Row:
    """Send money back to where a payment came from. It cannot be undone.

    Args:
        payment_id: The payment, such as PAY-5104.
        amount: How much, in pounds; no more than is left of the payment.
        reason_code: A REF code.
        approval_id: The approval, where one is needed.
    """
    require_code(db, reason_code, "REF")
    left = db.require(
        f"There is no payment {payment_id}.",
        "SELECT amount - (SELECT coalesce(sum(refunds.amount), 0) FROM refunds"
        " WHERE payment_id = %(id)s) AS amount FROM payments WHERE id = %(id)s FOR UPDATE",
        id=payment_id,
    )
    if amount > left["amount"]:
        raise ToolRefusal(f"Only {left['amount']} of {payment_id} is left to refund.")
    return db.require(
        "The refund could not be made.",
        "INSERT INTO refunds (payment_id, amount, reason, approval_id)"
        " VALUES (%(id)s, %(amount)s, %(reason)s, %(approval)s)"
        " RETURNING id, payment_id, amount, reason",
        id=payment_id,
        amount=amount,
        reason=reason_code,
        approval=approval_id,
    )


@tool(writes=True)
def move_payment(db: Db, payment_id: str, charge_id: str) -> Row:
    """Set a payment against another open charge of the same lease and amount, which is then paid.

    Args:
        payment_id: The payment, such as PAY-5104.
        charge_id: The open charge, such as CHG-4104.
    """
    db.require(
        f"{payment_id} and the open charge {charge_id} are not of one lease and one amount.",
        "SELECT payments.id FROM payments JOIN charges AS old ON old.id = charge_id"
        " JOIN charges AS new ON new.lease_id = old.lease_id AND new.amount = payments.amount"
        " WHERE payments.id = %(payment)s AND new.id = %(charge)s AND new.status = 'open'",
        payment=payment_id,
        charge=charge_id,
    )
    db.execute("UPDATE charges SET status = 'paid' WHERE id = %(id)s", id=charge_id)
    return db.require(
        "The payment could not be moved.",
        "UPDATE payments SET charge_id = %(charge)s WHERE id = %(payment)s"
        " RETURNING id, charge_id, amount",
        payment=payment_id,
        charge=charge_id,
    )


@tool
def list_payment_plans(db: Db, lease_id: str) -> list[Row]:
    """List the plans by which arrears of a lease are or were paid off, the newest first.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    return db.all(
        "SELECT id, total, instalments, first_due_on, status, broken_on, approval_id"
        " FROM payment_plans WHERE lease_id = %(id)s ORDER BY first_due_on DESC, id",
        id=lease_id,
    )


@tool(writes=True)
def start_payment_plan(
    db: Db,
    lease_id: str,
    total: Amount,
    instalments: Annotated[int, Field(ge=2, le=24)],
    first_due_on: date,
    approval_id: str | None = None,
) -> Row:
    """Agree a plan by which a lease's arrears are paid off in equal monthly instalments.

    Args:
        lease_id: The lease, such as LSE-2004.
        total: The arrears, in pounds.
        instalments: How many.
        first_due_on: When the first one is due.
        approval_id: The approval, where one is needed.
    """
    return db.require(
        f"There is no active lease {lease_id}.",
        "INSERT INTO payment_plans (lease_id, total, instalments, first_due_on, approval_id)"
        " SELECT id, %(total)s, %(instalments)s, %(first)s, %(approval)s FROM leases"
        " WHERE id = %(id)s AND status = 'active' RETURNING id, lease_id, total, instalments",
        id=lease_id,
        total=total,
        instalments=instalments,
        first=first_due_on,
        approval=approval_id,
    )


@tool
def get_deposit(db: Db, lease_id: str) -> Row:
    """Show a lease's deposit with its deductions and the lease's inspections.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    deposit = db.require(
        f"There is no deposit for {lease_id}.",
        "SELECT id, amount, status, released_amount, released_to FROM deposits"
        " WHERE lease_id = %(id)s",
        id=lease_id,
    )
    deposit["deductions"] = db.all(
        "SELECT reason, amount FROM deductions WHERE deposit_id = %(id)s ORDER BY reason",
        id=deposit["id"],
    )
    deposit["inspections"] = db.all(
        "SELECT id, kind, done_on, damage_cost, cleaning_cost, wear_cost, findings"
        " FROM inspections WHERE lease_id = %(id)s ORDER BY done_on, id",
        id=lease_id,
    )
    return deposit


@tool(writes=True)
def deduct_from_deposit(db: Db, deposit_id: str, reason_code: str, amount: Amount) -> Row:
    """Keep a part of a held deposit; it is paid to the owner.

    Args:
        deposit_id: The deposit, such as DPS-2204.
        reason_code: A DED code.
        amount: How much, in pounds.
    """
    require_code(db, reason_code, "DED")
    held = _held(db, deposit_id)
    if amount > held:
        raise ToolRefusal(f"Only {held} of {deposit_id} is left.")
    return db.require(
        "The deduction could not be made.",
        "INSERT INTO deductions VALUES (%(id)s, %(reason)s, %(amount)s)"
        " RETURNING deposit_id, reason, amount",
        id=deposit_id,
        reason=reason_code,
        amount=amount,
    )


@tool(writes=True)
def release_deposit(db: Db, deposit_id: str, customer_id: str) -> Row:
    """Pay out what is left of a held deposit. It cannot be undone.

    Args:
        deposit_id: The deposit, such as DPS-2204.
        customer_id: The person on the lease who gets it.
    """
    held = _held(db, deposit_id)
    return db.require(
        f"{customer_id} is not on the lease of {deposit_id}.",
        "UPDATE deposits SET status = 'released', released_amount = %(amount)s,"
        " released_to = %(customer)s WHERE id = %(id)s AND EXISTS (SELECT FROM lease_parties"
        "  WHERE lease_parties.lease_id = deposits.lease_id AND customer_id = %(customer)s)"
        " RETURNING id, status, released_amount, released_to",
        id=deposit_id,
        amount=held,
        customer=customer_id,
    )


def _held(db: Db, deposit_id: str) -> Decimal:
    found = db.require(
        f"There is no held deposit {deposit_id}.",
        "SELECT amount - (SELECT coalesce(sum(deductions.amount), 0) FROM deductions"
        " WHERE deposit_id = %(id)s) AS held FROM deposits"
        " WHERE id = %(id)s AND status = 'held' FOR UPDATE",
        id=deposit_id,
    )
    return Decimal(str(found["held"]))


TOOLS = (
    list_charges,
    add_charge,
    waive_charge,
    refund_payment,
    move_payment,
    list_payment_plans,
    start_payment_plan,
    get_deposit,
    deduct_from_deposit,
    release_deposit,
)
