"""Projects, who is staffed on them, and the hours that were booked."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

AssignmentStatus = Literal["planned", "confirmed", "ended", "cancelled"]


@tool
def find_projects(
    db: Db,
    project_code: str | None = None,
    text: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """Find projects with client, wall group, partner, engagement manager and dates.

    Args:
        project_code: The project, such as PRJ-104.
        text: A part of the project's or the client's name.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT code, projects.name, clients.name AS client, wall_group, projects.status,"
        " confidentiality, starts_on, ends_on, partner_id, partner.email AS partner_email,"
        " manager_id AS engagement_manager_id, manager.email AS engagement_manager_email"
        " FROM projects JOIN clients ON clients.id = client_id"
        " JOIN customers AS partner ON partner.id = partner_id"
        " JOIN customers AS manager ON manager.id = manager_id"
        " WHERE (%(code)s::text IS NULL OR code = upper(%(code)s)) AND (%(text)s::text IS NULL"
        "  OR strpos(lower(projects.name || ' ' || clients.name), lower(%(text)s)) > 0)"
        " ORDER BY code LIMIT %(limit)s",
        code=project_code,
        text=text,
        limit=limit,
    )


@tool
def list_assignments(
    db: Db,
    employee_id: str | None = None,
    project_code: str | None = None,
    status: AssignmentStatus | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 15,
) -> list[Row]:
    """List who is staffed where, the latest start first, with each client's wall group.

    Args:
        employee_id: The employee number, such as EMP-1004.
        project_code: The project, such as PRJ-104.
        status: Only assignments in this status.
        limit: How many to return at most.
    """
    if employee_id is None and project_code is None:
        raise ToolRefusal("Give employee_id or project_code.")
    return db.all(
        "SELECT assignments.id, employee_id, project_code, clients.name AS client, wall_group,"
        " confidentiality, percent, assignments.starts_on, assignments.ends_on,"
        " assignments.status FROM assignments JOIN projects ON code = project_code"
        " JOIN clients ON clients.id = client_id"
        " WHERE (%(employee_id)s::text IS NULL OR employee_id = %(employee_id)s)"
        " AND (%(project)s::text IS NULL OR project_code = %(project)s)"
        " AND (%(status)s::text IS NULL OR assignments.status = %(status)s::assignment_status)"
        " ORDER BY assignments.starts_on DESC, assignments.id LIMIT %(limit)s",
        employee_id=employee_id,
        project=project_code,
        status=status,
        limit=limit,
    )


@tool
def list_timesheets(
    db: Db,
    employee_id: str,
    week_starts_on: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 15,
) -> list[Row]:
    """List an employee's timesheet entries, the newest week first.

    Args:
        employee_id: The employee number, such as EMP-1004.
        week_starts_on: Only the week that begins on this Monday.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, project_code, week_starts_on, hours, status, correction_reason, approval_id"
        " FROM timesheets WHERE employee_id = %(id)s"
        " AND (%(week)s::date IS NULL OR week_starts_on = %(week)s)"
        " ORDER BY week_starts_on DESC, id LIMIT %(limit)s",
        id=employee_id,
        week=week_starts_on,
        limit=limit,
    )


@tool(writes=True)
def correct_timesheet(
    db: Db,
    entry_id: str,
    hours: Annotated[Decimal, Field(ge=0, le=80)],
    reason_code: str,
    approval_id: str | None = None,
) -> Row:
    """Change the hours of a timesheet entry; its status stays as it is.

    Args:
        entry_id: The entry, such as TSH-4004.
        hours: The right number of hours of the week.
        reason_code: A TSC code.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "TSC")
    entry = db.require(
        f"There is no timesheet entry {entry_id}.",
        "SELECT status FROM timesheets WHERE id = %(id)s FOR UPDATE",
        id=entry_id,
    )
    if entry["status"] == "invoiced":
        raise ToolRefusal(f"{entry_id} is invoiced and cannot be changed here.")
    return db.require(
        f"There is no timesheet entry {entry_id}.",
        "UPDATE timesheets SET hours = %(hours)s, correction_reason = %(reason)s,"
        " approval_id = %(approval_id)s WHERE id = %(id)s"
        " RETURNING id, project_code, week_starts_on, hours, status, approval_id",
        id=entry_id,
        hours=hours,
        reason=reason_code,
        approval_id=approval_id,
    )


TOOLS = (find_projects, list_assignments, list_timesheets, correct_timesheet)
