"""Homes and what belongs to them: keys, parking and storage, complaints between neighbours."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def find_units(
    db: Db, building_id: str, limit: Annotated[int, Field(ge=1, le=40)] = 25
) -> list[Row]:
    """List a building's homes.

    Args:
        building_id: The building, such as BLD-04.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, label, bedrooms, max_occupants, status FROM units"
        " WHERE building_id = %(id)s ORDER BY id LIMIT %(limit)s",
        id=building_id,
        limit=limit,
    )


@tool
def list_keys(db: Db, unit_id: str) -> list[Row]:
    """List a home's sets of keys, and which lease holds them.

    Args:
        unit_id: The home, such as UNT-1004.
    """
    return db.all(
        "SELECT id, lease_id, status FROM key_sets WHERE unit_id = %(id)s ORDER BY id", id=unit_id
    )


@tool(writes=True)
def mark_key_lost(db: Db, key_id: str) -> Row:
    """Note that an issued set of keys is lost.

    Args:
        key_id: The set, such as KEY-3104.
    """
    return db.require(
        f"There is no issued set {key_id}.",
        "UPDATE key_sets SET status = 'lost' WHERE id = %(id)s AND status = 'issued'"
        " RETURNING id, status",
        id=key_id,
    )


@tool(writes=True)
def issue_keys(db: Db, lease_id: str) -> Row:
    """Have a new set of keys cut and issued to an active lease. It charges nothing.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    return db.require(
        f"There is no active lease {lease_id}.",
        "INSERT INTO key_sets (unit_id, lease_id, status) SELECT unit_id, id, 'issued'"
        " FROM leases WHERE id = %(id)s AND status = 'active' RETURNING id, unit_id, status",
        id=lease_id,
    )


@tool
def find_spaces(
    db: Db, building_id: str, kind: Literal["parking", "storage"] | None = None
) -> list[Row]:
    """List a building's parking and storage spaces, and which lease has each.

    Args:
        building_id: The building, such as BLD-04.
        kind: Only of this kind.
    """
    return db.all(
        "SELECT id, kind, accessible, monthly, lease_id AS let_to, starts_on, ends_on FROM spaces"
        " LEFT JOIN space_lets ON space_id = id"
        " AND (ends_on IS NULL OR ends_on >= clock_now()::date)"
        " WHERE building_id = %(building)s AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
        " ORDER BY id",
        building=building_id,
        kind=kind,
    )


@tool(writes=True)
def let_space(db: Db, space_id: str, lease_id: str, starts_on: date) -> Row:
    """Let a free parking or storage space to a lease of the same building.

    Args:
        space_id: The space, such as SPC-1104.
        lease_id: The lease, such as LSE-2004.
        starts_on: From which day.
    """
    taken = db.one(
        "SELECT lease_id FROM space_lets WHERE space_id = %(id)s"
        " AND (ends_on IS NULL OR ends_on >= %(starts)s)",
        id=space_id,
        starts=starts_on,
    )
    if taken is not None:
        raise ToolRefusal(f"{space_id} is let to {taken['lease_id']} on that day.")
    return db.require(
        f"{space_id} is not in the building of an active lease {lease_id}.",
        "INSERT INTO space_lets (space_id, lease_id, starts_on)"
        " SELECT spaces.id, leases.id, %(starts)s FROM spaces JOIN units USING (building_id)"
        " JOIN leases ON unit_id = units.id AND leases.status = 'active'"
        " WHERE spaces.id = %(id)s AND leases.id = %(lease)s"
        " RETURNING space_id, lease_id, starts_on",
        id=space_id,
        lease=lease_id,
        starts=starts_on,
    )


@tool(writes=True)
def end_space_let(db: Db, space_id: str, lease_id: str, ends_on: date) -> Row:
    """Set the last day of a space's let.

    Args:
        space_id: The space, such as SPC-1104.
        lease_id: The lease, such as LSE-2004.
        ends_on: The last day.
    """
    return db.require(
        f"{space_id} is not let to {lease_id} without an end.",
        "UPDATE space_lets SET ends_on = %(ends)s WHERE space_id = %(id)s"
        " AND lease_id = %(lease)s AND ends_on IS NULL RETURNING space_id, lease_id, ends_on",
        id=space_id,
        lease=lease_id,
        ends=ends_on,
    )


@tool
def list_complaints(db: Db, about_unit: str) -> list[Row]:
    """List the complaints about a home, the newest first.

    Args:
        about_unit: The home, such as UNT-1004.
    """
    return db.all(
        "SELECT id, lease_id AS from_lease, kind, happened_on, status, clock_now()::date AS today"
        " FROM complaints WHERE about_unit = %(id)s ORDER BY happened_on DESC, id",
        id=about_unit,
    )


@tool(writes=True)
def open_complaint(
    db: Db, lease_id: str, about_unit: str, kind_code: str, happened_on: date
) -> Row:
    """Open a complaint of one household about another.

    Args:
        lease_id: The lease of those who complain, such as LSE-2004.
        about_unit: The home complained about, such as UNT-1004.
        kind_code: A CPK code.
        happened_on: The day it happened, or the last of them.
    """
    require_code(db, kind_code, "CPK")
    return db.require(
        f"There is no lease {lease_id} or no other home {about_unit}.",
        "INSERT INTO complaints (lease_id, about_unit, kind, happened_on)"
        " SELECT leases.id, units.id, %(kind)s, %(on)s FROM leases, units"
        " WHERE leases.id = %(lease)s AND units.id = %(unit)s AND unit_id <> units.id"
        " RETURNING id, lease_id, about_unit, kind",
        lease=lease_id,
        unit=about_unit,
        kind=kind_code,
        on=happened_on,
    )


TOOLS = (
    find_units,
    list_keys,
    mark_key_lost,
    issue_keys,
    find_spaces,
    let_space,
    end_space_let,
    list_complaints,
    open_complaint,
)
