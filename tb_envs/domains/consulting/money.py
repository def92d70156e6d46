"""Money of employees: expense claims and travel advances."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Decision = Literal["approved", "returned", "rejected"]


@tool
def list_spending(db: Db, employee_id: str, limit: Annotated[int, Field(ge=1, le=25)] = 15) -> Row:
    """List an employee's expense claims and travel advances, the newest first.

    Args:
        employee_id: The employee number, such as EMP-1004.
        limit: How many claims and how many advances to return at most.
    """
    claims = db.all(
        "SELECT expenses.id, project_code, category, description, incurred_on, submitted_on,"
        " amount, units, offices.city, hotel_limit, receipt, status, reason, approval_id,"
        " decided_at FROM expenses LEFT JOIN offices ON offices.code = office"
        " WHERE employee_id = %(id)s ORDER BY submitted_on DESC, expenses.id LIMIT %(limit)s",
        id=employee_id,
        limit=limit,
    )
    advances = db.all(
        "SELECT id, project_code, amount, trip_starts_on, trip_ends_on, status, approval_id"
        " FROM advances WHERE employee_id = %(id)s ORDER BY trip_starts_on DESC, id"
        " LIMIT %(limit)s",
        id=employee_id,
        limit=limit,
    )
    return {"expense_claims": claims, "travel_advances": advances}


@tool(writes=True)
def decide_expense(
    db: Db,
    claim_id: str,
    decision: Decision,
    reason_code: str | None = None,
    approval_id: str | None = None,
) -> Row:
    """Decide on a submitted expense claim.

    Args:
        claim_id: The claim, such as EXP-4004.
        decision: "approved" pays it out; "returned" lets the person complete it and submit it
            again; "rejected" is final.
        reason_code: An EXR code; needed for returned and rejected, and only there.
        approval_id: The approval that covers it, such as APR-2107.
    """
    if (decision == "approved") != (reason_code is None):
        raise ToolRefusal("Give reason_code with returned and rejected, and not with approved.")
    if reason_code is not None:
        require_code(db, reason_code, "EXR")
    return db.require(
        f"There is no submitted claim {claim_id}.",
        "UPDATE expenses SET status = %(decision)s::expense_status, reason = %(reason)s,"
        " approval_id = %(approval_id)s, decided_at = clock_now()"
        " WHERE id = %(id)s AND status = 'submitted'"
        " RETURNING id, amount, status, reason, approval_id",
        id=claim_id,
        decision=decision,
        reason=reason_code,
        approval_id=approval_id,
    )


@tool(writes=True)
def pay_advance(
    db: Db,
    employee_id: str,
    project_code: str,
    amount: Annotated[Decimal, Field(gt=0, le=9_999, decimal_places=2)],
    trip_starts_on: dt.date,
    trip_ends_on: dt.date,
    approval_id: str | None = None,
) -> Row:
    """Pay a travel advance to an employee's bank account. It cannot be taken back.

    Args:
        employee_id: The employee number, such as EMP-1004.
        project_code: The project that the trip is for, such as PRJ-104.
        amount: How much, in euro.
        trip_starts_on: The first day of the trip.
        trip_ends_on: The last day of the trip.
        approval_id: The approval that covers it, such as APR-2107.
    """
    return db.require(
        "The advance could not be paid.",
        "INSERT INTO advances (employee_id, project_code, amount, trip_starts_on, trip_ends_on,"
        " approval_id) VALUES (%(id)s, %(project)s, %(amount)s, %(starts_on)s, %(ends_on)s,"
        " %(approval_id)s) RETURNING id, project_code, amount, trip_starts_on, trip_ends_on",
        id=employee_id,
        project=project_code,
        amount=amount,
        starts_on=trip_starts_on,
        ends_on=trip_ends_on,
        approval_id=approval_id,
    )


TOOLS = (list_spending, decide_expense, pay_advance)
