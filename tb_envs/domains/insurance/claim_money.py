"""What claims cost: estimates, bills of others, payments, and the repair shops."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.insurance.changes import Coverage
from tb_envs.domains.insurance.claims import Amount, lock_claim
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

PayeeKind = Literal["insured", "shop", "lienholder", "vendor"]


@tool
def list_claim_costs(db: Db, claim_number: str) -> Row:
    """List a claim's estimates, bills, payments and rentals, the oldest first.

    Args:
        claim_number: The claim, such as CLM-61204.
    """
    estimates = db.all(
        "SELECT id, shop_id, kind, amount, note, status, submitted_on FROM estimates"
        " WHERE claim_number = %(number)s ORDER BY submitted_on, id",
        number=claim_number,
    )
    bills = db.all(
        "SELECT id, kind, vendor, vendor_reference, amount, days, service_on, received_on,"
        " paid_by_insured, status FROM invoices WHERE claim_number = %(number)s"
        " ORDER BY received_on, id",
        number=claim_number,
    )
    payments = db.all(
        "SELECT id, coverage, payee_kind, payee, amount, reason, estimate_id, invoice_id,"
        " approval_id, replaces_payment, status, stop_reason, issued_at FROM claim_payments"
        " WHERE claim_number = %(number)s ORDER BY issued_at, id",
        number=claim_number,
    )
    rentals = db.all(
        "SELECT id, company, daily_rate, starts_on, ends_on, approval_id, status FROM rentals"
        " WHERE claim_number = %(number)s ORDER BY starts_on, id",
        number=claim_number,
    )
    return {"estimates": estimates, "invoices": bills, "payments": payments, "rentals": rentals}


@tool
def find_shops(
    db: Db,
    shop_id: str | None = None,
    city: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List repair shops: where they are, whether they are in the network, and their status.

    Args:
        shop_id: One shop, such as SHOP-11.
        city: Only shops of this town.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, name, city, state, in_network, status FROM shops"
        " WHERE (%(id)s::text IS NULL OR id = %(id)s)"
        " AND (%(city)s::text IS NULL OR lower(city) = lower(%(city)s))"
        " ORDER BY id LIMIT %(limit)s",
        id=shop_id,
        city=city,
        limit=limit,
    )


@tool(writes=True)
def decide_estimate(db: Db, estimate_id: str, decision: Literal["approved", "rejected"]) -> Row:
    """Approve or reject a repair shop's estimate. It pays nothing by itself.

    Args:
        estimate_id: The estimate, such as EST-5104.
        decision: Whether the shop may repair for this amount.
    """
    found = db.require(
        f"There is no estimate {estimate_id}.",
        "SELECT status FROM estimates WHERE id = %(id)s FOR UPDATE",
        id=estimate_id,
    )
    if found["status"] != "submitted":
        raise ToolRefusal(f"{estimate_id} is {found['status']} already.")
    return db.require(
        "The estimate could not be decided.",
        "UPDATE estimates SET status = %(decision)s, decided_at = clock_now() WHERE id = %(id)s"
        " RETURNING id, claim_number, amount, status",
        id=estimate_id,
        decision=decision,
    )


@tool(writes=True)
def pay_claim(
    db: Db,
    claim_number: str,
    coverage: Coverage,
    payee_kind: PayeeKind,
    amount: Amount,
    reason_code: str,
    estimate_id: str | None = None,
    invoice_id: str | None = None,
    approval_id: str | None = None,
    replaces_payment: str | None = None,
) -> Row:
    """Pay money on an open claim, within its reserve. Nothing is taken off by itself.

    Args:
        claim_number: The claim, such as CLM-61204.
        coverage: The coverage that pays.
        payee_kind: Who gets it: the insured, the estimate's shop, the vehicle's lienholder, or
            the vendor of the bill.
        amount: How much, after any deductible.
        reason_code: A PAY code.
        estimate_id: The approved estimate that it is for; needed to pay a shop.
        invoice_id: The bill that it is for, which is then paid; needed to pay a vendor.
        approval_id: The approval that covers it, such as APR-2107.
        replaces_payment: The stopped payment that it replaces.
    """
    require_code(db, reason_code, "PAY")
    claim = lock_claim(db, claim_number, "open")
    if claim["paid"] + amount > claim["reserve"]:
        raise ToolRefusal(
            f"The reserve of {claim_number} is {claim['reserve']} and {claim['paid']} are paid:"
            f" {amount} more is not covered. Set the reserve first."
        )
    payee = _payee(db, claim, payee_kind, estimate_id, invoice_id)
    if estimate_id is not None:
        _require_approved(db, claim_number, estimate_id)
    if invoice_id is not None:
        _mark_invoice(db, claim_number, invoice_id, "paid")
    if replaces_payment is not None:
        db.require(
            f"{replaces_payment} is not a stopped payment of {claim_number}.",
            "SELECT id FROM claim_payments WHERE id = %(id)s AND claim_number = %(number)s"
            " AND status = 'stopped'",
            id=replaces_payment,
            number=claim_number,
        )
    return db.require(
        "The payment could not be recorded.",
        "INSERT INTO claim_payments (claim_number, coverage, payee_kind, payee, amount, reason,"
        " estimate_id, invoice_id, approval_id, replaces_payment) VALUES (%(number)s,"
        " %(coverage)s, %(payee_kind)s, %(payee)s, %(amount)s, %(reason)s, %(estimate_id)s,"
        " %(invoice_id)s, %(approval_id)s, %(replaces)s)"
        " RETURNING id, claim_number, payee, amount, reason, status",
        number=claim_number,
        coverage=coverage,
        payee_kind=payee_kind,
        payee=payee,
        amount=amount,
        reason=reason_code,
        estimate_id=estimate_id,
        invoice_id=invoice_id,
        approval_id=approval_id,
        replaces=replaces_payment,
    )


@tool(writes=True)
def stop_claim_payment(db: Db, payment_id: str, stop_code: str) -> Row:
    """Stop a payment that is issued and not cleared. It issues nothing new.

    Args:
        payment_id: The payment, such as CPY-4104.
        stop_code: An STP code.
    """
    require_code(db, stop_code, "STP")
    found = db.require(
        f"There is no payment {payment_id}.",
        "SELECT status FROM claim_payments WHERE id = %(id)s FOR UPDATE",
        id=payment_id,
    )
    if found["status"] != "issued":
        raise ToolRefusal(f"{payment_id} is {found['status']}; only an issued one can be stopped.")
    return db.require(
        "The payment could not be stopped.",
        "UPDATE claim_payments SET status = 'stopped', stop_reason = %(code)s WHERE id = %(id)s"
        " RETURNING id, claim_number, amount, status, stop_reason",
        id=payment_id,
        code=stop_code,
    )


@tool(writes=True)
def reject_invoice(db: Db, invoice_id: str) -> Row:
    """Reject a bill: nothing is paid on it.

    Args:
        invoice_id: The bill, such as INV-4104.
    """
    found = db.require(
        f"There is no bill {invoice_id}.",
        "SELECT claim_number FROM invoices WHERE id = %(id)s",
        id=invoice_id,
    )
    return _mark_invoice(db, str(found["claim_number"]), invoice_id, "rejected")


def _payee(
    db: Db, claim: Row, payee_kind: PayeeKind, estimate_id: str | None, invoice_id: str | None
) -> str:
    """Look up who is meant; a name is never typed in."""
    if payee_kind == "insured":
        found = db.one(
            "SELECT full_name AS payee FROM policies JOIN customers ON customers.id = holder_id"
            " WHERE number = %(number)s",
            number=claim["policy_number"],
        )
    elif payee_kind == "lienholder":
        found = db.one(
            "SELECT lienholder AS payee FROM vehicles WHERE id = %(id)s AND lienholder IS NOT NULL",
            id=claim["vehicle_id"],
        )
    elif payee_kind == "shop":
        found = db.one(
            "SELECT name AS payee FROM estimates JOIN shops ON shops.id = shop_id"
            " WHERE estimates.id = %(id)s",
            id=estimate_id,
        )
    else:
        found = db.one("SELECT vendor AS payee FROM invoices WHERE id = %(id)s", id=invoice_id)
    if found is None:
        raise ToolRefusal(
            f"There is no {payee_kind} to pay: a shop needs estimate_id, a vendor invoice_id, and"
            " a lienholder a financed vehicle."
        )
    return str(found["payee"])


def _require_approved(db: Db, claim_number: str, estimate_id: str) -> None:
    estimate = db.require(
        f"{estimate_id} is not an estimate of {claim_number}.",
        "SELECT status FROM estimates WHERE id = %(id)s AND claim_number = %(number)s",
        id=estimate_id,
        number=claim_number,
    )
    if estimate["status"] != "approved":
        raise ToolRefusal(f"{estimate_id} is {estimate['status']}, not approved.")


def _mark_invoice(db: Db, claim_number: str, invoice_id: str, status: str) -> Row:
    return db.require(
        f"{invoice_id} is not an undecided bill of {claim_number}.",
        "UPDATE invoices SET status = %(status)s::invoice_status WHERE id = %(id)s"
        " AND claim_number = %(number)s AND status = 'submitted'"
        " RETURNING id, claim_number, kind, amount, status",
        id=invoice_id,
        number=claim_number,
        status=status,
    )


TOOLS = (
    list_claim_costs,
    find_shops,
    decide_estimate,
    pay_claim,
    stop_claim_payment,
    reject_invoice,
)
