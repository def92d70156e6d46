"""The ticket system: find, open, comment, hold, hand over, solve. Needs `tickets.sql`."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Priority = Literal["low", "normal", "high", "urgent"]
Status = Literal["new", "open", "pending", "on_hold", "solved", "closed"]


@tool
def find_tickets(
    db: Db,
    requester_email: str | None = None,
    reference: str | None = None,
    status: Status | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List tickets, the newest first. All criteria that are given must match.

    Args:
        requester_email: The e-mail address of the person who asked.
        reference: What the ticket is about, such as a booking reference; often not filled in.
        status: Only tickets in this status.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, requester_email, subject, status, priority, hold_reason, resolution, team,"
        " reference, created_at FROM tickets"
        " WHERE (%(email)s::text IS NULL OR requester_email = lower(%(email)s))"
        " AND (%(reference)s::text IS NULL OR reference = %(reference)s)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::ticket_status)"
        " ORDER BY created_at DESC, id DESC LIMIT %(limit)s",
        email=requester_email,
        reference=reference,
        status=status,
        limit=limit,
    )


@tool
def get_ticket(db: Db, ticket_id: str) -> Row:
    """Show a ticket with its comments and identity checks, the oldest first.

    Args:
        ticket_id: The ticket, such as TCK-1041.
    """
    ticket = db.require(
        f"There is no ticket {ticket_id}.",
        "SELECT id, requester_email, subject, category, channel, priority, status, hold_reason,"
        " resolution, team, reference, created_at, updated_at FROM tickets"
        " WHERE id = %(ticket_id)s",
        ticket_id=ticket_id,
    )
    ticket["comments"] = db.all(
        "SELECT author, is_public, body, created_at FROM ticket_comments"
        " WHERE ticket_id = %(ticket_id)s ORDER BY created_at, id",
        ticket_id=ticket_id,
    )
    ticket["identity_checks"] = db.all(
        "SELECT customer_id, method, passed, checked_at FROM identity_checks"
        " WHERE ticket_id = %(ticket_id)s ORDER BY checked_at, id",
        ticket_id=ticket_id,
    )
    return ticket


@tool(writes=True)
def create_ticket(
    db: Db,
    requester_email: str,
    subject: str,
    category: str | None = None,
    reference: str | None = None,
) -> Row:
    """Open a new ticket.

    Args:
        requester_email: The e-mail address of the person who asks.
        subject: The matter, in a line.
        category: A CAT code.
        reference: What it is about, such as a booking reference.
    """
    if category is not None:
        require_code(db, category, "CAT")
    return db.require(
        "The ticket could not be opened.",
        "INSERT INTO tickets (requester_email, subject, category, reference)"
        " VALUES (lower(%(email)s), %(subject)s, %(category)s, %(reference)s)"
        " RETURNING id, status, subject",
        email=requester_email,
        subject=subject,
        category=category,
        reference=reference,
    )


@tool(writes=True)
def add_ticket_comment(
    db: Db, ticket_id: str, body: str, visibility: Literal["public", "internal"]
) -> Row:
    """Write a comment on a ticket. The ticket's status stays as it is.

    Args:
        ticket_id: The ticket, such as TCK-1041.
        body: The text.
        visibility: "public" is sent to the requester; "internal" is for colleagues only.
    """
    _require_unclosed(db, ticket_id)
    return db.require(
        "The comment could not be written.",
        "INSERT INTO ticket_comments (ticket_id, is_public, body)"
        " VALUES (%(ticket_id)s, %(is_public)s, %(body)s) RETURNING ticket_id, is_public, body",
        ticket_id=ticket_id,
        is_public=visibility == "public",
        body=body,
    )


@tool(writes=True)
def hold_ticket(db: Db, ticket_id: str, hold_reason: str) -> Row:
    """Put a ticket on hold: somebody other than the requester is waited for.

    Args:
        ticket_id: The ticket, such as TCK-1041.
        hold_reason: A HOLD code.
    """
    require_code(db, hold_reason, "HOLD")
    return _move(db, ticket_id, "on_hold", hold_reason=hold_reason)


@tool(writes=True)
def set_ticket_pending(db: Db, ticket_id: str) -> Row:
    """Set a ticket to pending: an answer of the requester is waited for.

    Args:
        ticket_id: The ticket, such as TCK-1041.
    """
    return _move(db, ticket_id, "pending")


@tool(writes=True)
def assign_ticket(db: Db, ticket_id: str, team: str) -> Row:
    """Hand a ticket over to another team; its status becomes open.

    Args:
        ticket_id: The ticket, such as TCK-1041.
        team: A TEAM code.
    """
    require_code(db, team, "TEAM")
    _move(db, ticket_id, "open")
    return db.require(
        f"There is no ticket {ticket_id}.",
        "UPDATE tickets SET team = %(team)s WHERE id = %(ticket_id)s RETURNING id, status, team",
        ticket_id=ticket_id,
        team=team,
    )


@tool(writes=True)
def set_ticket_priority(db: Db, ticket_id: str, priority: Priority) -> Row:
    """Change a ticket's priority.

    Args:
        ticket_id: The ticket, such as TCK-1041.
        priority: The new priority.
    """
    _require_unclosed(db, ticket_id)
    return db.require(
        f"There is no ticket {ticket_id}.",
        "UPDATE tickets SET priority = %(priority)s, updated_at = clock_now()"
        " WHERE id = %(ticket_id)s RETURNING id, status, priority",
        ticket_id=ticket_id,
        priority=priority,
    )


@tool(writes=True)
def solve_ticket(db: Db, ticket_id: str, resolution: str) -> Row:
    """Solve a ticket: nothing is waited for any more.

    Args:
        ticket_id: The ticket, such as TCK-1041.
        resolution: A RES code.
    """
    require_code(db, resolution, "RES")
    return _move(db, ticket_id, "solved", resolution=resolution)


def _move(
    db: Db,
    ticket_id: str,
    status: Status,
    *,
    hold_reason: str | None = None,
    resolution: str | None = None,
) -> Row:
    """Set a ticket's status with the code that belongs to it, and clear the codes that do not."""
    _require_unclosed(db, ticket_id)
    return db.require(
        f"There is no ticket {ticket_id}.",
        "UPDATE tickets SET status = %(status)s, hold_reason = %(hold_reason)s,"
        " resolution = %(resolution)s, updated_at = clock_now() WHERE id = %(ticket_id)s"
        " RETURNING id, status, hold_reason, resolution, team",
        ticket_id=ticket_id,
        status=status,
        hold_reason=hold_reason,
        resolution=resolution,
    )


def _require_unclosed(db: Db, ticket_id: str) -> None:
    ticket = db.require(
        f"There is no ticket {ticket_id}.",
        "SELECT status FROM tickets WHERE id = %(ticket_id)s FOR UPDATE",
        ticket_id=ticket_id,
    )
    if ticket["status"] == "closed":
        raise ToolRefusal(f"{ticket_id} is closed and cannot change; open a new ticket.")


TOOLS = (
    find_tickets,
    get_ticket,
    create_ticket,
    add_ticket_comment,
    hold_ticket,
    set_ticket_pending,
    assign_ticket,
    set_ticket_priority,
    solve_ticket,
)
