"""Sign-in: locks, the second factor, and what is announced about the services."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Factor = Literal["app", "key", "sms"]
Service = Literal["identity", "mail", "expenses", "network", "files"]


@tool(writes=True)
def unlock_account(db: Db, employee_id: str) -> Row:
    """Unlock a locked account. The password and the second factor stay as they are.

    Args:
        employee_id: The employee number, such as EMP-1004.
    """
    account = _account(db, employee_id)
    if account["status"] != "locked":
        raise ToolRefusal(f"The account of {employee_id} is {account['status']}, not locked.")
    return _set_status(db, employee_id, "active", None)


@tool(writes=True)
def activate_account(db: Db, employee_id: str) -> Row:
    """Switch on the account of somebody who starts: from pending to active.

    Args:
        employee_id: The employee number, such as EMP-1004.
    """
    account = _account(db, employee_id)
    if account["status"] != "pending":
        raise ToolRefusal(f"The account of {employee_id} is {account['status']}, not pending.")
    return _set_status(db, employee_id, "active", None)


@tool(writes=True)
def close_account(
    db: Db, employee_id: str, status: Literal["suspended", "disabled"], reason_code: str
) -> Row:
    """Take an account out of use. All sessions of the person end at once.

    Args:
        employee_id: The employee number, such as EMP-1004.
        status: "suspended" while something is looked into, "disabled" for good.
        reason_code: An LCK code.
    """
    require_code(db, reason_code, "LCK")
    account = _account(db, employee_id)
    if account["status"] == "disabled":
        raise ToolRefusal(f"The account of {employee_id} is disabled already.")
    return _set_status(db, employee_id, status, reason_code)


@tool(writes=True)
def reset_sign_in_factor(
    db: Db, employee_id: str, factor: Factor, approval_id: str | None = None
) -> Row:
    """Drop a person's second factor and let them enrol another one.

    Args:
        employee_id: The employee number, such as EMP-1004.
        factor: What the person will use from now on.
        approval_id: The approval that covers it, such as APR-2107.
    """
    _account(db, employee_id)
    return db.require(
        f"There is no account of {employee_id}.",
        "UPDATE accounts SET factor = %(factor)s, factor_approval = %(approval_id)s,"
        " factor_reset_on = clock_now()::date WHERE employee_id = %(id)s"
        " RETURNING employee_id, status, factor, factor_reset_on, factor_approval",
        id=employee_id,
        factor=factor,
        approval_id=approval_id,
    )


@tool
def list_service_notices(
    db: Db, service: Service | None = None, limit: Annotated[int, Field(ge=1, le=25)] = 10
) -> Row:
    """List incidents, the newest first, and the change freezes that have not ended yet.

    Args:
        service: Only incidents of this service.
        limit: How many incidents to return at most.
    """
    incidents = db.all(
        "SELECT id, service, summary, status, opened_at, resolved_at FROM incidents"
        " WHERE (%(service)s::text IS NULL OR service = %(service)s)"
        " ORDER BY opened_at DESC, id LIMIT %(limit)s",
        service=service,
        limit=limit,
    )
    freezes = db.all(
        "SELECT id, group_kind, starts_at, ends_at, reason FROM change_freezes"
        " WHERE ends_at > clock_now() ORDER BY starts_at, id"
    )
    now = db.require("There is no clock.", "SELECT clock_now() AS now")["now"]
    return {"now": now, "incidents": incidents, "change_freezes": freezes}


def _account(db: Db, employee_id: str) -> Row:
    return db.require(
        f"There is no account of {employee_id}.",
        "SELECT status FROM accounts WHERE employee_id = %(id)s FOR UPDATE",
        id=employee_id,
    )


def _set_status(db: Db, employee_id: str, status: str, reason_code: str | None) -> Row:
    return db.require(
        f"There is no account of {employee_id}.",
        "UPDATE accounts SET status = %(status)s::account_status, lock_reason = %(reason)s,"
        " locked_at = CASE WHEN %(reason)s::text IS NULL THEN NULL ELSE clock_now() END"
        " WHERE employee_id = %(id)s RETURNING employee_id, status, lock_reason",
        id=employee_id,
        status=status,
        reason=reason_code,
    )


TOOLS = (
    unlock_account,
    activate_account,
    close_account,
    reset_sign_in_factor,
    list_service_notices,
)
