"""Approvals: look for them, ask for one, take a request back. Needs `approvals.sql`."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

ApprovalStatus = Literal["pending", "approved", "rejected", "withdrawn"]


@tool
def find_approvals(
    db: Db,
    reference: str | None = None,
    approver_email: str | None = None,
    status: ApprovalStatus | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List requests for approval, the newest first. All criteria that are given must match.

    Args:
        reference: What the approval is about, such as a booking reference.
        approver_email: Who decides or decided.
        status: Only requests in this status.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, approval_type, reference, target, amount, currency, approver_email, status,"
        " requested_at, decided_at FROM approval_requests"
        " WHERE (%(reference)s::text IS NULL OR reference = %(reference)s)"
        " AND (%(approver)s::text IS NULL OR approver_email = lower(%(approver)s))"
        " AND (%(status)s::text IS NULL OR status = %(status)s::approval_status)"
        " ORDER BY requested_at DESC, id DESC LIMIT %(limit)s",
        reference=reference,
        approver=approver_email,
        status=status,
        limit=limit,
    )


@tool
def get_approval(db: Db, approval_id: str) -> Row:
    """Show a request for approval with its justification and decision.

    Args:
        approval_id: The request, such as APR-2107.
    """
    return db.require(
        f"There is no approval request {approval_id}.",
        "SELECT id, approval_type, reference, target, amount, currency, approver_email,"
        " justification, ticket_id, status, requested_at, decided_at, decided_by, decision_note"
        " FROM approval_requests WHERE id = %(approval_id)s",
        approval_id=approval_id,
    )


@tool(writes=True)
def request_approval(
    db: Db,
    approval_type: str,
    reference: str,
    target: str,
    approver_email: str,
    justification: str,
    ticket_id: str,
    amount: Annotated[Decimal, Field(ge=0, le=9_999_999)] | None = None,
    currency: str | None = None,
) -> Row:
    """Ask somebody to approve something. It waits for their decision; nothing else changes.

    Args:
        approval_type: An APV code.
        reference: What it is about, such as a booking reference.
        target: What exactly would be done, such as the code of a room type.
        approver_email: The e-mail address of the person who decides.
        justification: Why it is asked for.
        ticket_id: The ticket that it belongs to.
        amount: The money that it is about.
        currency: The currency of the amount, such as EUR; needed with an amount.
    """
    require_code(db, approval_type, "APV")
    if (amount is None) != (currency is None):
        raise ToolRefusal("Give amount and currency together, or neither.")
    return db.require(
        "The request could not be filed.",
        "INSERT INTO approval_requests (approval_type, reference, target, amount, currency,"
        " approver_email, justification, ticket_id) VALUES (%(approval_type)s, %(reference)s,"
        " %(target)s, %(amount)s, %(currency)s, lower(%(approver)s), %(justification)s,"
        " %(ticket_id)s) RETURNING id, status, approver_email, reference, target",
        approval_type=approval_type,
        reference=reference,
        target=target,
        amount=amount,
        currency=currency,
        approver=approver_email,
        justification=justification,
        ticket_id=ticket_id,
    )


@tool(writes=True)
def withdraw_approval(db: Db, approval_id: str) -> Row:
    """Take back a request that has not been decided.

    Args:
        approval_id: The request, such as APR-2107.
    """
    request = db.require(
        f"There is no approval request {approval_id}.",
        "SELECT status FROM approval_requests WHERE id = %(approval_id)s FOR UPDATE",
        approval_id=approval_id,
    )
    if request["status"] != "pending":
        raise ToolRefusal(f"{approval_id} is {request['status']}; only a pending one can go back.")
    return db.require(
        f"There is no approval request {approval_id}.",
        "UPDATE approval_requests SET status = 'withdrawn' WHERE id = %(approval_id)s"
        " RETURNING id, status",
        approval_id=approval_id,
    )


TOOLS = (find_approvals, get_approval, request_approval, withdraw_approval)
