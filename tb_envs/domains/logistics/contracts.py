"""Shippers' contracts: contacts, pick-ups, invoices and credits."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.logistics.claims import Amount
from tb_envs.domains.logistics.delivery import Fee
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Role = Literal["owner", "dispatcher", "accounts", "none"]
SUNDAY = 7


@tool
def find_contracts(
    db: Db,
    contract_id: str | None = None,
    customer_id: str | None = None,
    shipper: str | None = None,
    limit: Annotated[int, Field(ge=1, le=10)] = 5,
) -> list[Row]:
    """List shippers' contracts with contacts, latest pick-ups and credits of 30 days.

    Args:
        contract_id: Only this contract, such as CTR-310.
        customer_id: Only contracts on which this customer is a contact, such as CUS-2104.
        shipper: A part of the shipper's name.
        limit: How many to return at most.
    """
    if contract_id is None and customer_id is None and shipper is None:
        raise ToolRefusal("Give at least one of contract_id, customer_id and shipper.")
    found = db.all(
        "SELECT *, clock_now() AS now FROM contracts"
        " WHERE (%(id)s::text IS NULL OR id = %(id)s)"
        " AND (%(shipper)s::text IS NULL OR strpos(lower(shipper), lower(%(shipper)s)) > 0)"
        " AND (%(who)s::text IS NULL OR EXISTS (SELECT FROM contract_contacts"
        "  WHERE contract_id = contracts.id AND customer_id = %(who)s))"
        " ORDER BY id LIMIT %(limit)s",
        id=contract_id,
        shipper=shipper,
        who=customer_id,
        limit=limit,
    )
    for contract in found:
        contract["contacts"] = db.all(
            "SELECT customer_id, full_name, role FROM contract_contacts"
            " JOIN customers ON customers.id = customer_id WHERE contract_id = %(id)s"
            " ORDER BY role, customer_id",
            id=contract["id"],
        )
        contract["pickups"] = db.all(
            "SELECT id, pickup_on, slot, parcels, fee, status, missed_reason FROM pickups"
            " WHERE contract_id = %(id)s ORDER BY pickup_on DESC, id DESC LIMIT 5",
            id=contract["id"],
        )
        contract["credits"] = db.all(
            "SELECT id, reference, line, amount, reason, created_at FROM credits"
            " WHERE contract_id = %(id)s AND created_at > clock_now() - interval '31 days'"
            " ORDER BY created_at DESC, id DESC LIMIT 10",
            id=contract["id"],
        )
    return found


@tool
def list_invoices(
    db: Db, contract_id: str, limit: Annotated[int, Field(ge=1, le=12)] = 4
) -> list[Row]:
    """List a contract's invoices with their lines and the credits on them, the newest first.

    Args:
        contract_id: The contract, such as CTR-310.
        limit: How many to return at most.
    """
    invoices = db.all(
        "SELECT id, issued_on, status FROM invoices WHERE contract_id = %(id)s"
        " ORDER BY issued_on DESC, id DESC LIMIT %(limit)s",
        id=contract_id,
        limit=limit,
    )
    for invoice in invoices:
        invoice["lines"] = db.all(
            "SELECT line, code, shipment_id, amount FROM invoice_lines"
            " WHERE invoice_id = %(id)s ORDER BY line",
            id=invoice["id"],
        )
        invoice["credits"] = db.all(
            "SELECT id, line, amount, reason, created_at FROM credits WHERE reference = %(id)s"
            " ORDER BY created_at, id",
            id=invoice["id"],
        )
    return invoices


@tool(writes=True)
def issue_credit(
    db: Db,
    contract_id: str,
    reference: str,
    amount: Amount,
    reason_code: str,
    line: int | None = None,
    approval_id: str | None = None,
) -> Row:
    """Credit a shipper for a line of an invoice, or for a pick-up.

    Args:
        contract_id: The contract, such as CTR-310.
        reference: The invoice or the pick-up, such as INV-6104 or PCK-4102.
        amount: How much.
        reason_code: A CRD code.
        line: The invoice's line; left out for a pick-up.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "CRD")
    charged = _charged(db, contract_id, reference, line)
    if amount > charged:
        raise ToolRefusal(f"Only {charged} was charged there; {amount} is more.")
    return db.require(
        f"There is no contract {contract_id}.",
        "INSERT INTO credits (contract_id, reference, line, amount, reason, approval_id)"
        " SELECT id, %(reference)s, %(line)s, %(amount)s, %(reason)s, %(approval)s FROM contracts"
        " WHERE id = %(id)s RETURNING id, contract_id, reference, line, amount, reason",
        id=contract_id,
        reference=reference,
        line=line,
        amount=amount,
        reason=reason_code,
        approval=approval_id,
    )


def _charged(db: Db, contract_id: str, reference: str, line: int | None) -> Decimal:
    """Return what the invoice's line or the pick-up cost."""
    if line is None:
        found = db.require(
            f"{reference} is no pick-up of {contract_id}; an invoice needs its line.",
            "SELECT fee AS amount FROM pickups WHERE id = %(what)s AND contract_id = %(id)s",
            what=reference,
            id=contract_id,
        )
    else:
        found = db.require(
            f"{reference} of {contract_id} has no line {line}.",
            "SELECT amount FROM invoice_lines JOIN invoices ON invoices.id = invoice_id"
            " WHERE invoice_id = %(what)s AND line = %(line)s AND contract_id = %(id)s",
            what=reference,
            line=line,
            id=contract_id,
        )
    return Decimal(found["amount"])


@tool(writes=True)
def book_pickup(
    db: Db,
    contract_id: str,
    pickup_on: dt.date,
    slot: Literal["am", "pm"],
    parcels: Annotated[int, Field(ge=1, le=200)],
    fee: Fee,
) -> Row:
    """Book a driver who collects parcels from a shipper.

    Args:
        contract_id: The contract, such as CTR-310.
        pickup_on: The day; nobody drives on Sundays.
        slot: Morning or afternoon.
        parcels: How many parcels wait.
        fee: What it costs; 0 for nothing.
    """
    today = db.require(
        f"There is no contract {contract_id}.",
        "SELECT clock_now()::date AS day FROM contracts WHERE id = %(id)s",
        id=contract_id,
    )["day"]
    if pickup_on < today or pickup_on.isoweekday() == SUNDAY:
        raise ToolRefusal(f"{pickup_on} is a Sunday or has passed; today is {today}.")
    return db.require(
        "The pick-up could not be booked.",
        "INSERT INTO pickups (contract_id, pickup_on, slot, parcels, fee)"
        " VALUES (%(id)s, %(day)s, %(slot)s::pickup_slot, %(parcels)s, %(fee)s)"
        " RETURNING id, contract_id, pickup_on, slot, parcels, fee, status",
        id=contract_id,
        day=pickup_on,
        slot=slot,
        parcels=parcels,
        fee=fee,
    )


@tool(writes=True)
def cancel_pickup(db: Db, pickup_id: str, fee: Fee) -> Row:
    """Cancel a pick-up that is booked.

    Args:
        pickup_id: The pick-up, such as PCK-4102.
        fee: What it costs all the same; 0 for nothing.
    """
    return db.require(
        f"{pickup_id} is not a booked pick-up.",
        "UPDATE pickups SET status = 'cancelled', fee = %(fee)s"
        " WHERE id = %(id)s AND status = 'booked' RETURNING id, pickup_on, status, fee",
        id=pickup_id,
        fee=fee,
    )


@tool(writes=True)
def set_contact(db: Db, contract_id: str, customer_id: str, role: Role) -> Row:
    """Give a customer a role on a contract, change it, or take it away.

    Args:
        contract_id: The contract, such as CTR-310.
        customer_id: The person, such as CUS-2104.
        role: The new role; "none" takes the person off the contract.
    """
    if role == "none":
        return db.require(
            f"{customer_id} is no contact of {contract_id}.",
            "DELETE FROM contract_contacts WHERE contract_id = %(id)s AND customer_id = %(who)s"
            " RETURNING contract_id, customer_id, role AS removed_role",
            id=contract_id,
            who=customer_id,
        )
    return db.require(
        "The contact could not be set.",
        "INSERT INTO contract_contacts (contract_id, customer_id, role)"
        " VALUES (%(id)s, %(who)s, %(role)s::contact_role)"
        " ON CONFLICT (contract_id, customer_id) DO UPDATE SET role = excluded.role"
        " RETURNING contract_id, customer_id, role",
        id=contract_id,
        who=customer_id,
        role=role,
    )


TOOLS = (
    find_contracts,
    list_invoices,
    issue_credit,
    book_pickup,
    cancel_pickup,
    set_contact,
)
