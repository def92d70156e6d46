"""Software: licences, how many seats are free, and who sits on them."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def find_licences(
    db: Db, text: str | None = None, limit: Annotated[int, Field(ge=1, le=25)] = 10
) -> list[Row]:
    """List software licences with their free seats.

    Args:
        text: A part of the code or the name.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT code, name, class, monthly_cost, for_contractors, includes, seats_total,"
        " seats_total - (SELECT count(*) FROM seats WHERE licence_code = code"
        "  AND status = 'active') AS seats_free FROM licences"
        " WHERE %(text)s::text IS NULL"
        "  OR strpos(lower(code || ' ' || name), lower(%(text)s)) > 0"
        " ORDER BY code LIMIT %(limit)s",
        text=text,
        limit=limit,
    )


@tool
def list_seats(
    db: Db,
    licence_code: str | None = None,
    employee_id: str | None = None,
    status: Literal["active", "released"] | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 15,
) -> list[Row]:
    """List seats of a licence or of a person, the longest unused first.

    Args:
        licence_code: The licence, such as LIC-NOTES.
        employee_id: The employee number, such as EMP-1004.
        status: Only seats in this status.
        limit: How many to return at most.
    """
    if licence_code is None and employee_id is None:
        raise ToolRefusal("Give licence_code or employee_id.")
    return db.all(
        "SELECT seats.id, licence_code, employee_id, email, employees.status AS employee_status,"
        " grade, seats.status, assigned_on, last_used_on, release_reason FROM seats"
        " JOIN employees ON employees.id = employee_id"
        " JOIN customers ON customers.id = employee_id"
        " WHERE (%(licence)s::text IS NULL OR licence_code = %(licence)s)"
        " AND (%(employee_id)s::text IS NULL OR employee_id = %(employee_id)s)"
        " AND (%(status)s::text IS NULL OR seats.status = %(status)s::seat_status)"
        " ORDER BY coalesce(last_used_on, assigned_on), seats.id LIMIT %(limit)s",
        licence=licence_code,
        employee_id=employee_id,
        status=status,
        limit=limit,
    )


@tool(writes=True)
def assign_seat(db: Db, licence_code: str, employee_id: str, approval_id: str | None = None) -> Row:
    """Give an employee a seat of a licence.

    Args:
        licence_code: The licence, such as LIC-NOTES.
        employee_id: The employee number, such as EMP-1004.
        approval_id: The approval that covers it, such as APR-2107.
    """
    licence = db.require(
        f"There is no licence {licence_code}.",
        "SELECT seats_total - (SELECT count(*) FROM seats WHERE licence_code = code"
        " AND status = 'active') AS free FROM licences WHERE code = %(code)s FOR UPDATE",
        code=licence_code,
    )
    if licence["free"] < 1:
        raise ToolRefusal(f"{licence_code} has no free seat.")
    return db.require(
        "The seat could not be assigned.",
        "INSERT INTO seats (licence_code, employee_id, approval_id)"
        " VALUES (%(code)s, %(id)s, %(approval_id)s)"
        " RETURNING id, licence_code, employee_id, status, approval_id",
        code=licence_code,
        id=employee_id,
        approval_id=approval_id,
    )


@tool(writes=True)
def release_seat(db: Db, seat_id: str, reason_code: str) -> Row:
    """Take a seat back; it becomes free for others.

    Args:
        seat_id: The seat, such as SEA-5004.
        reason_code: An REL code.
    """
    require_code(db, reason_code, "REL")
    return db.require(
        f"There is no active seat {seat_id}.",
        "UPDATE seats SET status = 'released', release_reason = %(reason)s"
        " WHERE id = %(id)s AND status = 'active'"
        " RETURNING id, licence_code, employee_id, status, release_reason",
        id=seat_id,
        reason=reason_code,
    )


TOOLS = (find_licences, list_seats, assign_seat, release_seat)
