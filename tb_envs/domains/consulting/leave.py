"""Leave of all kinds, and the steps of joining and leaving the company."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

LeaveKind = Literal["annual", "sick", "unpaid", "parental"]


@tool
def list_leave(
    db: Db,
    employee_id: str,
    kind: LeaveKind | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 15,
) -> list[Row]:
    """List an employee's leave, the latest start first. It counts working days, not a balance.

    Args:
        employee_id: The employee number, such as EMP-1004.
        kind: Only leave of this kind.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, kind, starts_on, ends_on, working_days, status, approval_id"
        " FROM leave_records WHERE employee_id = %(id)s"
        " AND (%(kind)s::text IS NULL OR kind = %(kind)s::leave_kind)"
        " ORDER BY starts_on DESC, id LIMIT %(limit)s",
        id=employee_id,
        kind=kind,
        limit=limit,
    )


@tool(writes=True)
def record_leave(
    db: Db,
    employee_id: str,
    kind: LeaveKind,
    starts_on: dt.date,
    ends_on: dt.date,
    approval_id: str | None = None,
) -> Row:
    """Record leave as approved. Working days from Monday to Friday are counted.

    Args:
        employee_id: The employee number, such as EMP-1004.
        kind: The kind of leave.
        starts_on: The first day.
        ends_on: The last day.
        approval_id: The approval that covers it, such as APR-2107.
    """
    if ends_on < starts_on:
        raise ToolRefusal(f"The leave ends on {ends_on}, before it starts on {starts_on}.")
    overlapping = db.one(
        "SELECT id FROM leave_records WHERE employee_id = %(id)s"
        " AND status IN ('requested', 'approved', 'taken')"
        " AND starts_on <= %(ends_on)s AND ends_on >= %(starts_on)s",
        id=employee_id,
        starts_on=starts_on,
        ends_on=ends_on,
    )
    if overlapping:
        raise ToolRefusal(f"It overlaps with {overlapping['id']}; cancel that first.")
    return db.require(
        "The leave could not be recorded.",
        "INSERT INTO leave_records"
        " (employee_id, kind, starts_on, ends_on, working_days, approval_id)"
        " SELECT %(id)s, %(kind)s, %(starts_on)s, %(ends_on)s, count(*), %(approval_id)s"
        " FROM generate_series(%(starts_on)s::date, %(ends_on)s::date, interval '1 day') AS day"
        " WHERE extract(isodow FROM day) < 6"
        " RETURNING id, kind, starts_on, ends_on, working_days, status, approval_id",
        id=employee_id,
        kind=kind,
        starts_on=starts_on,
        ends_on=ends_on,
        approval_id=approval_id,
    )


@tool(writes=True)
def cancel_leave(db: Db, leave_id: str) -> Row:
    """Cancel leave that is requested or approved; its days count as free again.

    Args:
        leave_id: The leave record, such as LVE-2004.
    """
    return db.require(
        f"There is no requested or approved leave {leave_id}.",
        "UPDATE leave_records SET status = 'cancelled'"
        " WHERE id = %(id)s AND status IN ('requested', 'approved')"
        " RETURNING id, employee_id, starts_on, ends_on, status",
        id=leave_id,
    )


@tool
def list_lifecycle_steps(db: Db, employee_id: str) -> list[Row]:
    """List the steps of joining (JOIN) and leaving (EXIT) of an employee.

    Args:
        employee_id: The employee number, such as EMP-1004.
    """
    return db.all(
        "SELECT id, step, description, due_on, status, closed_at FROM lifecycle_steps"
        " JOIN codes ON code = step WHERE employee_id = %(id)s ORDER BY due_on, id",
        id=employee_id,
    )


@tool(writes=True)
def close_lifecycle_step(
    db: Db, step_id: str, outcome: Literal["done", "not_needed"] = "done"
) -> Row:
    """Close a step of joining or leaving.

    Args:
        step_id: The step's record, such as LCS-2004.
        outcome: Whether it was done or is not needed.
    """
    return db.require(
        f"There is no open step {step_id}.",
        "UPDATE lifecycle_steps SET status = %(outcome)s, closed_at = clock_now()"
        " WHERE id = %(id)s AND status = 'open' RETURNING id, employee_id, step, status",
        id=step_id,
        outcome=outcome,
    )


TOOLS = (list_leave, record_leave, cancel_leave, list_lifecycle_steps, close_lifecycle_step)
