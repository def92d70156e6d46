"""The locker desk's tools: three that read, five that settle a request. Small on purpose."""

from typing import Literal

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def request(db: Db, id: str) -> Row:
    """Show a request: what was asked, by which member, for which locker, and the manager's word.

    Args:
        id: The request, such as R09.
    """
    return db.require(
        f"There is no request {id}.",
        "SELECT kind AS ask, member_id AS member, locker_id AS locker,"
        " coalesce((SELECT a.status::text FROM approvals a WHERE a.request_id = requests.id"
        " AND a.decider = 'manager' ORDER BY a.id DESC LIMIT 1), 'none') AS manager"
        " FROM requests WHERE id = %(id)s",
        id=id,
    )


@tool
def member(db: Db, id: str) -> Row:
    """Show a member's status and tier.

    Args:
        id: The member, such as M09.
    """
    return db.require(
        f"There is no member {id}.",
        "SELECT status, tier FROM members WHERE id = %(id)s",
        id=id,
    )


@tool
def locker(db: Db, id: str, member: str) -> Row:
    """Show whether a locker is sealed, and how a member's rent of it stands.

    Args:
        id: The locker, such as L08.
        member: The member, such as M09; the rent is "none" if somebody else rents it, or nobody.
    """
    return db.require(
        f"There is no locker {id}.",
        "SELECT sealed, coalesce((SELECT r.rent::text FROM rentals r WHERE r.locker_id = lockers.id"
        " AND r.member_id = %(member)s AND r.rent <> 'ended'), 'none') AS rent"
        " FROM lockers WHERE id = %(id)s",
        id=id,
        member=member,
    )


@tool(writes=True)
def unlock(db: Db, request: str) -> Row:
    """Open the request's locker once, and settle the request.

    Args:
        request: The request, such as R09.
    """
    settled = _settle(db, request, "done")
    db.execute(
        "INSERT INTO openings (locker_id, request_id)"
        " SELECT locker_id, id FROM requests WHERE id = %(request)s",
        request=request,
    )
    return settled


@tool(writes=True)
def extend(db: Db, request: str) -> Row:
    """Extend the rental of the request's locker by seven days, and settle the request.

    Args:
        request: The request, such as R09.
    """
    settled = _settle(db, request, "done")
    _require_rental(
        db.execute(
            "UPDATE rentals SET days = days + 7 WHERE rent <> 'ended' AND locker_id ="
            " (SELECT locker_id FROM requests WHERE id = %(request)s)",
            request=request,
        )
    )
    return settled


@tool(writes=True)
def release(db: Db, request: str) -> Row:
    """End the rental of the request's locker, and settle the request.

    Args:
        request: The request, such as R09.
    """
    settled = _settle(db, request, "done")
    _require_rental(
        db.execute(
            "UPDATE rentals SET rent = 'ended' WHERE rent <> 'ended' AND locker_id ="
            " (SELECT locker_id FROM requests WHERE id = %(request)s)",
            request=request,
        )
    )
    return settled


@tool(writes=True)
def refuse(db: Db, request: str, reason: Literal["blocked", "stranger", "denied"]) -> Row:
    """Refuse a request.

    Args:
        request: The request, such as R09.
        reason: Why.
    """
    return _settle(db, request, "refused", reason)


@tool(writes=True)
def ask(db: Db, request: str, whom: Literal["manager", "security"]) -> Row:
    """Ask somebody to decide about a request, which waits meanwhile.

    Args:
        request: The request, such as R09.
        whom: Who decides.
    """
    settled = _settle(db, request, "waiting")
    db.execute(
        "INSERT INTO approvals (request_id, decider) VALUES (%(request)s, %(whom)s)",
        request=request,
        whom=whom,
    )
    return settled


def _settle(db: Db, request: str, status: str, reason: str | None = None) -> Row:
    """Give an open request its end."""
    found = db.require(
        f"There is no request {request}.",
        "SELECT status FROM requests WHERE id = %(request)s FOR UPDATE",
        request=request,
    )
    if found["status"] != "open":
        raise ToolRefusal(f"{request} is {found['status']} already; only an open one is settled.")
    return db.require(
        f"There is no request {request}.",
        "UPDATE requests SET status = %(status)s::request_status,"
        " reason = %(reason)s::refusal_reason WHERE id = %(request)s RETURNING status",
        request=request,
        status=status,
        reason=reason,
    )


def _require_rental(rows: int) -> None:
    if not rows:
        raise ToolRefusal("Nobody rents this locker.")


TOOLS = (request, member, locker, unlock, extend, release, refuse, ask)
