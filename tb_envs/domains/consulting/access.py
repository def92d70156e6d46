"""Access: groups and their members, and who may open whose mailbox."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

GroupKind = Literal["open", "project", "privileged"]


@tool
def find_access_groups(
    db: Db,
    text: str | None = None,
    project_code: str | None = None,
    kind: GroupKind | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List access groups with their active members. All criteria that are given must match.

    Args:
        text: A part of the code or the name.
        project_code: Only groups of this project.
        kind: Only groups of this kind.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT code, name, kind, project_code, conflicts_with,"
        " (SELECT array_agg(employee_id ORDER BY employee_id) FROM memberships"
        "  WHERE group_code = code AND status = 'active') AS members FROM access_groups"
        " WHERE (%(text)s::text IS NULL"
        "  OR strpos(lower(code || ' ' || name), lower(%(text)s)) > 0)"
        " AND (%(project)s::text IS NULL OR project_code = %(project)s)"
        " AND (%(kind)s::text IS NULL OR kind = %(kind)s::group_kind)"
        " ORDER BY code LIMIT %(limit)s",
        text=text,
        project=project_code,
        kind=kind,
        limit=limit,
    )


@tool
def list_access(db: Db, employee_id: str) -> Row:
    """Show an employee's group memberships and mailbox delegations, past ones too.

    Args:
        employee_id: The employee number, such as EMP-1004.
    """
    memberships = db.all(
        "SELECT memberships.id, group_code, kind, project_code, status, granted_on, expires_on,"
        " approval_id, revoke_reason FROM memberships"
        " JOIN access_groups ON code = group_code WHERE employee_id = %(id)s"
        " ORDER BY granted_on, memberships.id",
        id=employee_id,
    )
    delegations = db.all(
        "SELECT id, owner_id, delegate_id, rights, starts_on, ends_on, status, approval_id"
        " FROM delegations WHERE %(id)s IN (owner_id, delegate_id) ORDER BY starts_on, id",
        id=employee_id,
    )
    return {"memberships": memberships, "mailbox_delegations": delegations}


@tool(writes=True)
def grant_membership(
    db: Db,
    group_code: str,
    employee_id: str,
    expires_on: dt.date | None = None,
    approval_id: str | None = None,
) -> Row:
    """Put an employee into an access group.

    Args:
        group_code: The group, such as GRP-INTRANET.
        employee_id: The employee number, such as EMP-1004.
        expires_on: The last day of the membership; without an end if left out.
        approval_id: The approval that covers it, such as APR-2107.
    """
    db.require(
        f"There is no access group {group_code}.",
        "SELECT code FROM access_groups WHERE code = %(code)s",
        code=group_code,
    )
    if db.one(
        "SELECT id FROM memberships WHERE group_code = %(code)s AND employee_id = %(id)s"
        " AND status = 'active'",
        code=group_code,
        id=employee_id,
    ):
        raise ToolRefusal(f"{employee_id} is an active member of {group_code} already.")
    return db.require(
        "The membership could not be granted.",
        "INSERT INTO memberships (group_code, employee_id, expires_on, approval_id)"
        " VALUES (%(code)s, %(id)s, %(expires_on)s, %(approval_id)s)"
        " RETURNING id, group_code, employee_id, status, expires_on, approval_id",
        code=group_code,
        id=employee_id,
        expires_on=expires_on,
        approval_id=approval_id,
    )


@tool(writes=True)
def revoke_membership(db: Db, membership_id: str, reason_code: str) -> Row:
    """Take an employee out of an access group.

    Args:
        membership_id: The membership, such as MEM-7004.
        reason_code: An RVK code.
    """
    require_code(db, reason_code, "RVK")
    return db.require(
        f"There is no active membership {membership_id}.",
        "UPDATE memberships SET status = 'revoked', revoke_reason = %(reason)s"
        " WHERE id = %(id)s AND status = 'active'"
        " RETURNING id, group_code, employee_id, status, revoke_reason",
        id=membership_id,
        reason=reason_code,
    )


@tool(writes=True)
def add_delegation(
    db: Db,
    owner_id: str,
    delegate_id: str,
    rights: Literal["read", "send_on_behalf", "send_as"],
    starts_on: dt.date | None = None,
    ends_on: dt.date | None = None,
    approval_id: str | None = None,
) -> Row:
    """Let somebody use another person's mailbox.

    Args:
        owner_id: The employee whose mailbox it is.
        delegate_id: The employee who gets the rights.
        rights: "send_on_behalf" shows both names, "send_as" only the owner's; both can read.
        starts_on: The first day; today if left out.
        ends_on: The last day; without an end if left out.
        approval_id: The approval that covers it, such as APR-2107.
    """
    if db.one(
        "SELECT id FROM delegations WHERE owner_id = %(owner)s AND delegate_id = %(delegate)s"
        " AND status = 'active'",
        owner=owner_id,
        delegate=delegate_id,
    ):
        raise ToolRefusal(f"{delegate_id} has a delegation of this mailbox; end it first.")
    return db.require(
        "The delegation could not be added.",
        "INSERT INTO delegations (owner_id, delegate_id, rights, starts_on, ends_on, approval_id)"
        " VALUES (%(owner)s, %(delegate)s, %(rights)s,"
        " coalesce(%(starts_on)s::date, clock_now()::date), %(ends_on)s, %(approval_id)s)"
        " RETURNING id, owner_id, delegate_id, rights, starts_on, ends_on",
        owner=owner_id,
        delegate=delegate_id,
        rights=rights,
        starts_on=starts_on,
        ends_on=ends_on,
        approval_id=approval_id,
    )


@tool(writes=True)
def end_delegation(db: Db, delegation_id: str) -> Row:
    """End a mailbox delegation at once.

    Args:
        delegation_id: The delegation, such as DLG-4004.
    """
    return db.require(
        f"There is no active delegation {delegation_id}.",
        "UPDATE delegations SET status = 'ended' WHERE id = %(id)s AND status = 'active'"
        " RETURNING id, owner_id, delegate_id, status",
        id=delegation_id,
    )


TOOLS = (
    find_access_groups,
    list_access,
    grant_membership,
    revoke_membership,
    add_delegation,
    end_delegation,
)
