"""Devices: who has which, what is in stock, and what is missing."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

DeviceKind = Literal["laptop", "phone", "monitor"]
DeviceClass = Literal["standard", "premium", "loaner"]
DeviceStatus = Literal["in_stock", "assigned", "repair", "missing", "retired"]


@tool
def find_devices(
    db: Db,
    tag: str | None = None,
    holder_id: str | None = None,
    kind: DeviceKind | None = None,
    device_class: DeviceClass | None = None,
    status: DeviceStatus | None = None,
    office: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List devices by tag. All criteria that are given must match.

    Args:
        tag: The asset tag, such as DEV-4004.
        holder_id: The employee who has it.
        kind: Only devices of this kind.
        device_class: Only devices of this class.
        status: Only devices in this status.
        office: Only devices of this office, such as AMS.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT tag, kind, class, model, office, bought_on, status, holder_id, handed_out_on,"
        " missing_reason, missing_since FROM devices"
        " WHERE (%(tag)s::text IS NULL OR tag = upper(%(tag)s))"
        " AND (%(holder_id)s::text IS NULL OR holder_id = %(holder_id)s)"
        " AND (%(kind)s::text IS NULL OR kind = %(kind)s::device_kind)"
        " AND (%(class)s::text IS NULL OR class = %(class)s::device_class)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::device_status)"
        " AND (%(office)s::text IS NULL OR office = %(office)s)"
        " ORDER BY tag LIMIT %(limit)s",
        **{"class": device_class},
        tag=tag,
        holder_id=holder_id,
        kind=kind,
        status=status,
        office=office,
        limit=limit,
    )


@tool(writes=True)
def hand_out_device(db: Db, tag: str, employee_id: str, approval_id: str | None = None) -> Row:
    """Give a device that is in stock to an employee.

    Args:
        tag: The asset tag, such as DEV-4004.
        employee_id: The employee number, such as EMP-1004.
        approval_id: The approval that covers it, such as APR-2107.
    """
    device = _device(db, tag)
    if device["status"] != "in_stock":
        raise ToolRefusal(f"{tag} is {device['status']}, not in stock.")
    return db.require(
        f"There is no device {tag}.",
        "UPDATE devices SET status = 'assigned', holder_id = %(id)s,"
        " handed_out_on = clock_now()::date, approval_id = %(approval_id)s WHERE tag = %(tag)s"
        " RETURNING tag, model, status, holder_id, approval_id",
        tag=tag,
        id=employee_id,
        approval_id=approval_id,
    )


@tool(writes=True)
def take_back_device(db: Db, tag: str, new_status: Literal["in_stock", "repair", "retired"]) -> Row:
    """Record that a device came back to the desk.

    Args:
        tag: The asset tag, such as DEV-4004.
        new_status: "in_stock" if it can be given out, "repair" if it must be repaired or wiped,
            "retired" if it is too old.
    """
    device = _device(db, tag)
    if device["status"] not in ("assigned", "missing"):
        raise ToolRefusal(f"{tag} is {device['status']}: nobody has it.")
    return db.require(
        f"There is no device {tag}.",
        "UPDATE devices SET status = %(status)s, holder_id = NULL, handed_out_on = NULL,"
        " missing_reason = NULL, missing_since = NULL WHERE tag = %(tag)s"
        " RETURNING tag, model, status",
        tag=tag,
        status=new_status,
    )


@tool(writes=True)
def report_device_missing(db: Db, tag: str, reason_code: str) -> Row:
    """Mark a device as missing. It is locked from afar when it next goes online.

    Args:
        tag: The asset tag, such as DEV-4004.
        reason_code: A LOS code.
    """
    require_code(db, reason_code, "LOS")
    device = _device(db, tag)
    if device["status"] != "assigned":
        raise ToolRefusal(f"{tag} is {device['status']}; only an assigned device can be missing.")
    return db.require(
        f"There is no device {tag}.",
        "UPDATE devices SET status = 'missing', missing_reason = %(reason)s,"
        " missing_since = clock_now() WHERE tag = %(tag)s"
        " RETURNING tag, status, holder_id, missing_reason",
        tag=tag,
        reason=reason_code,
    )


@tool(writes=True)
def mark_device_found(db: Db, tag: str) -> Row:
    """Mark a missing device as found; it stays with its holder and is unlocked.

    Args:
        tag: The asset tag, such as DEV-4004.
    """
    return db.require(
        f"{tag} is not missing.",
        "UPDATE devices SET status = 'assigned', missing_reason = NULL, missing_since = NULL"
        " WHERE tag = %(tag)s AND status = 'missing' RETURNING tag, status, holder_id",
        tag=tag,
    )


def _device(db: Db, tag: str) -> Row:
    return db.require(
        f"There is no device {tag}.",
        "SELECT status, holder_id FROM devices WHERE tag = %(tag)s FOR UPDATE",
        tag=tag,
    )


TOOLS = (
    find_devices,
    hand_out_device,
    take_back_device,
    report_device_missing,
    mark_device_found,
)
