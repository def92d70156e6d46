"""Leases: who signed them, notices, rent adjustments, permissions for people and animals."""

from datetime import date
from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def find_leases(
    db: Db,
    customer_id: str | None = None,
    unit_id: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List leases by a person on them or by home, the latest first.

    Give at least one criterion; all that are given must match. Ended and coming leases are listed
    as well, and people who have left a lease still appear with it.

    Args:
        customer_id: A person on the lease in any role, such as CUS-1004.
        unit_id: The home, such as UNT-1004.
        limit: How many to return at most.
    """
    if customer_id is None and unit_id is None:
        raise ToolRefusal("Give customer_id or unit_id.")
    return db.all(
        "SELECT DISTINCT leases.id, unit_id, leases.status, starts_on, ended_on FROM leases"
        " LEFT JOIN lease_parties ON lease_id = leases.id"
        " WHERE (%(customer)s::text IS NULL OR customer_id = %(customer)s)"
        " AND (%(unit)s::text IS NULL OR unit_id = %(unit)s)"
        " ORDER BY starts_on DESC, leases.id LIMIT %(limit)s",
        customer=customer_id,
        unit=unit_id,
        limit=limit,
    )


@tool
def get_lease(db: Db, lease_id: str) -> Row:
    """Show a lease with its home, owner and the people on it.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    lease = db.require(
        f"There is no lease {lease_id}.",
        "SELECT leases.*, units.label, units.building_id, buildings.name AS building, bedrooms,"
        " max_occupants, owner_id, owners.name AS owner, owners.email AS owner_email,"
        " spending_limit, service, clock_now()::date AS today FROM leases"
        " JOIN units ON units.id = unit_id JOIN buildings ON buildings.id = building_id"
        " JOIN owners ON owners.id = owner_id WHERE leases.id = %(id)s",
        id=lease_id,
    )
    lease["parties"] = db.all(
        "SELECT customer_id, full_name, role, left_on, agreed_to_end_on FROM lease_parties"
        " JOIN customers ON customers.id = customer_id WHERE lease_id = %(id)s"
        " ORDER BY role, customer_id",
        id=lease_id,
    )
    return lease


@tool
def list_notices(db: Db, lease_id: str) -> list[Row]:
    """List the notices to end a lease, the newest first, and the next lease of the home if any.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    return db.all(
        "SELECT notices.id, given_on, ends_on, forwarding_address, notices.status,"
        " (SELECT next.id FROM leases AS next JOIN leases AS this ON this.unit_id = next.unit_id"
        "  WHERE this.id = %(id)s AND next.status = 'upcoming' ORDER BY next.id LIMIT 1)"
        " AS next_lease FROM notices WHERE lease_id = %(id)s ORDER BY given_on DESC, notices.id",
        id=lease_id,
    )


@tool(writes=True)
def record_notice(
    db: Db,
    lease_id: str,
    ends_on: date,
    forwarding_address: Annotated[str, Field(min_length=3, max_length=200)],
) -> Row:
    """Record a tenant's notice to end an active lease.

    Args:
        lease_id: The lease, such as LSE-2004.
        ends_on: The last day of the lease.
        forwarding_address: Where letters and the deposit papers go afterwards.
    """
    db.require(
        f"There is no active lease {lease_id} without a running notice.",
        "SELECT id FROM leases WHERE id = %(id)s AND status = 'active' AND NOT EXISTS"
        " (SELECT FROM notices WHERE lease_id = %(id)s AND status = 'running')",
        id=lease_id,
    )
    return db.require(
        "The notice could not be recorded.",
        "INSERT INTO notices (lease_id, ends_on, forwarding_address)"
        " VALUES (%(id)s, %(ends_on)s, %(address)s) RETURNING id, lease_id, given_on, ends_on",
        id=lease_id,
        ends_on=ends_on,
        address=forwarding_address,
    )


@tool(writes=True)
def withdraw_notice(db: Db, notice_id: str) -> Row:
    """Take back a running notice, so that the lease goes on.

    Args:
        notice_id: The notice, such as NTC-5204.
    """
    return db.require(
        f"There is no running notice {notice_id}.",
        "UPDATE notices SET status = 'withdrawn' WHERE id = %(id)s AND status = 'running'"
        " RETURNING id, lease_id, status",
        id=notice_id,
    )


@tool
def list_rent_adjustments(db: Db, lease_id: str) -> list[Row]:
    """List the changes of a lease's rent, the newest first.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    return db.all(
        "SELECT id, old_rent, new_rent, served_on, effective_on, status, cancel_reason"
        " FROM rent_adjustments WHERE lease_id = %(id)s ORDER BY effective_on DESC, id",
        id=lease_id,
    )


@tool(writes=True)
def cancel_rent_adjustment(db: Db, adjustment_id: str, reason_code: str) -> Row:
    """Cancel a rent adjustment that was served and is not yet in force.

    Args:
        adjustment_id: The adjustment, such as ADJ-3104.
        reason_code: A CAN code.
    """
    require_code(db, reason_code, "CAN")
    return db.require(
        f"There is no adjustment {adjustment_id} that was served and is not in force.",
        "UPDATE rent_adjustments SET status = 'cancelled', cancel_reason = %(reason)s"
        " WHERE id = %(id)s AND status = 'served' RETURNING id, lease_id, status, cancel_reason",
        id=adjustment_id,
        reason=reason_code,
    )


@tool
def list_permissions(db: Db, lease_id: str) -> list[Row]:
    """List the occupants, subtenants and animals that a lease was permitted, the newest first.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    return db.all(
        "SELECT id, kind, subject, approval_id, granted_on, ended_on FROM permissions"
        " WHERE lease_id = %(id)s ORDER BY granted_on DESC, id",
        id=lease_id,
    )


@tool(writes=True)
def grant_permission(
    db: Db,
    lease_id: str,
    kind_code: str,
    subject: Annotated[str, Field(min_length=2, max_length=120)],
    approval_id: str | None = None,
) -> Row:
    """Permit somebody or an animal to live in the home of an active lease.

    Args:
        lease_id: The lease, such as LSE-2004.
        kind_code: A PER code.
        subject: The person's full name, or the animal.
        approval_id: The owner's approval, such as APR-3104.
    """
    require_code(db, kind_code, "PER")
    return db.require(
        f"There is no active lease {lease_id}.",
        "INSERT INTO permissions (lease_id, kind, subject, approval_id)"
        " SELECT id, %(kind)s, %(subject)s, %(approval)s FROM leases"
        " WHERE id = %(id)s AND status = 'active' RETURNING id, lease_id, kind, subject",
        id=lease_id,
        kind=kind_code,
        subject=subject,
        approval=approval_id,
    )


TOOLS = (
    find_leases,
    get_lease,
    list_notices,
    record_notice,
    withdraw_notice,
    list_rent_adjustments,
    cancel_rent_adjustment,
    list_permissions,
    grant_permission,
)
