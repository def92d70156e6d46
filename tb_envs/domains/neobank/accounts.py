"""Colleagues, accounts, who may act on them, and closing them."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

EmployeeRole = Literal["agent", "deputy", "lead"]
AccountKind = Literal["current", "savings", "joint", "business"]
PartyRole = Literal["owner", "attorney", "director", "bookkeeper"]
Money = Annotated[Decimal, Field(ge=0, le=9_999_999, decimal_places=2)]


@tool
def find_employees(
    db: Db,
    email: str | None = None,
    name: str | None = None,
    team: str | None = None,
    role: EmployeeRole | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """Look colleagues up in the staff directory. All criteria that are given must match.

    It also lists those who are away or have left.

    Args:
        email: The whole e-mail address.
        name: A part of the name.
        team: A TEAM code.
        role: Only agents, deputies or leads.
        limit: How many to return at most.
    """
    if email is None and name is None and team is None:
        raise ToolRefusal("Give at least one of email, name and team.")
    return db.all(
        "SELECT id, full_name, email, team, role, status, customer_id FROM employees"
        " WHERE (%(email)s::text IS NULL OR email = lower(%(email)s))"
        " AND (%(name)s::text IS NULL OR strpos(lower(full_name), lower(%(name)s)) > 0)"
        " AND (%(team)s::text IS NULL OR team = upper(%(team)s))"
        " AND (%(role)s::text IS NULL OR role = %(role)s::employee_role)"
        " ORDER BY id LIMIT %(limit)s",
        email=email,
        name=name,
        team=team,
        role=role,
        limit=limit,
    )


@tool
def find_accounts(
    db: Db,
    customer_id: str | None = None,
    iban: str | None = None,
    company: str | None = None,
    kind: AccountKind | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List accounts, also closed ones. With a customer, those on which the customer is a party.

    Args:
        customer_id: A party of the account, in whatever role, such as CUS-1204.
        iban: The account's IBAN; spaces do not count.
        company: A part of a business account's name.
        kind: Only accounts of this kind.
        limit: How many to return at most.
    """
    if customer_id is None and iban is None and company is None:
        raise ToolRefusal("Give at least one of customer_id, iban and company.")
    return db.all(
        "SELECT id, iban, kind, name, status, opened_on, (SELECT string_agg(role || ' ' ||"
        "  account_parties.status, ', ' ORDER BY role) FROM account_parties"
        "  WHERE account_id = accounts.id AND customer_id = %(customer_id)s) AS customer_is"
        " FROM accounts WHERE (%(customer_id)s::text IS NULL OR EXISTS (SELECT FROM account_parties"
        "  WHERE account_id = accounts.id AND customer_id = %(customer_id)s))"
        " AND (%(iban)s::text IS NULL OR iban = upper(replace(%(iban)s, ' ', '')))"
        " AND (%(company)s::text IS NULL OR strpos(lower(name), lower(%(company)s)) > 0)"
        " AND (%(kind)s::text IS NULL OR kind = %(kind)s::account_kind)"
        " ORDER BY id LIMIT %(limit)s",
        customer_id=customer_id,
        iban=iban,
        company=company,
        kind=kind,
        limit=limit,
    )


@tool
def get_account(db: Db, account_id: str) -> Row:
    """Show an account with its parties and holds, and today's date and time.

    Cards, transfers, direct debits and fees are listed by their own tools.

    Args:
        account_id: The account, such as ACC-3104.
    """
    account = db.require(
        f"There is no account {account_id}.",
        "SELECT id, iban, kind, name, status, balance, transfer_limit, transfer_limit_until,"
        " transfer_limit_changed_on, opened_on, close_reason, payout_iban, closed_on,"
        " clock_now() AS now FROM accounts WHERE id = %(id)s",
        id=account_id,
    )
    account["parties"] = db.all(
        "SELECT customer_id, full_name, tier, role, signing, scope, valid_until,"
        " account_parties.status FROM account_parties JOIN customers ON customers.id = customer_id"
        " WHERE account_id = %(id)s ORDER BY role, customer_id",
        id=account_id,
    )
    account["holds"] = db.all(
        "SELECT id, code, status, asked_by, placed_at, lift_reason, lifted_at FROM account_holds"
        " WHERE account_id = %(id)s ORDER BY placed_at, id",
        id=account_id,
    )
    return account


@tool(writes=True)
def record_party(
    db: Db,
    account_id: str,
    customer_id: str,
    role: PartyRole,
    signing: Literal["sole", "joint"] = "sole",
    scope: Literal["full", "payments", "information"] = "full",
    valid_until: dt.date | None = None,
) -> Row:
    """Record a customer as a party of an account.

    Args:
        account_id: The account, such as ACC-3104.
        customer_id: Who gets the role, such as CUS-1204.
        role: In which role.
        signing: Whether a director signs alone.
        scope: What an attorney may do.
        valid_until: The last day; without it the role stays until it is ended.
    """
    known = db.one(
        "SELECT role FROM account_parties WHERE account_id = %(account)s"
        " AND customer_id = %(customer)s AND role = %(role)s::party_role",
        account=account_id,
        customer=customer_id,
        role=role,
    )
    if known is not None:
        raise ToolRefusal(f"{customer_id} stands on {account_id} as {role} already.")
    return db.require(
        f"There is no open account {account_id}.",
        "INSERT INTO account_parties (account_id, customer_id, role, signing, scope, valid_until)"
        " SELECT id, %(customer)s, %(role)s::party_role, %(signing)s::party_signing,"
        " %(scope)s::party_scope, %(valid_until)s FROM accounts"
        " WHERE id = %(account)s AND status = 'active'"
        " RETURNING account_id, customer_id, role, signing, scope, valid_until, status",
        account=account_id,
        customer=customer_id,
        role=role,
        signing=signing,
        scope=scope,
        valid_until=valid_until,
    )


@tool(writes=True)
def end_party(db: Db, account_id: str, customer_id: str, role: PartyRole) -> Row:
    """End a party's role on an account. Cards in the person's name stay as they are.

    Args:
        account_id: The account, such as ACC-3104.
        customer_id: Whose role ends, such as CUS-1204.
        role: Which role.
    """
    return db.require(
        f"{customer_id} is not an active {role} of {account_id}.",
        "UPDATE account_parties SET status = 'ended' WHERE account_id = %(account)s"
        " AND customer_id = %(customer)s AND role = %(role)s::party_role AND status = 'active'"
        " RETURNING account_id, customer_id, role, status",
        account=account_id,
        customer=customer_id,
        role=role,
    )


@tool(writes=True)
def set_transfer_limit(
    db: Db,
    account_id: str,
    amount: Money,
    valid_until: dt.date | None = None,
    approval_id: str | None = None,
) -> Row:
    """Set how much can be sent from an account on one day.

    Args:
        account_id: The account, such as ACC-3104.
        amount: The new limit.
        valid_until: The last day of a temporary limit; without it the limit stays.
        approval_id: The approval that covers it, such as APR-2107.
    """
    return db.require(
        f"There is no active account {account_id}.",
        "UPDATE accounts SET transfer_limit = %(amount)s, transfer_limit_until = %(valid_until)s,"
        " transfer_limit_changed_on = clock_now()::date, limit_approval = %(approval)s"
        " WHERE id = %(id)s AND status = 'active'"
        " RETURNING id, transfer_limit, transfer_limit_until",
        id=account_id,
        amount=amount,
        valid_until=valid_until,
        approval=approval_id,
    )


@tool(writes=True)
def close_account(
    db: Db,
    account_id: str,
    reason_code: str,
    payout_iban: str | None = None,
    approval_id: str | None = None,
) -> Row:
    """Begin to close an account; what is on it is paid out at night. It cannot be taken back.

    Args:
        account_id: The account, such as ACC-3104.
        reason_code: A CLS code.
        payout_iban: Where the balance goes; needed if there is one.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "CLS")
    found = db.require(
        f"There is no account {account_id}.",
        "SELECT status, balance, (SELECT count(*) FROM cards WHERE account_id = accounts.id"
        " AND status NOT IN ('blocked', 'expired')) AS cards FROM accounts WHERE id = %(id)s"
        " FOR UPDATE",
        id=account_id,
    )
    if found["status"] != "active":
        raise ToolRefusal(f"{account_id} is {found['status']} already.")
    if found["cards"]:
        raise ToolRefusal(f"{found['cards']} cards of {account_id} are not blocked yet.")
    if found["balance"] > 0 and payout_iban is None:
        raise ToolRefusal(f"{account_id} holds {found['balance']}: give a payout_iban.")
    return db.require(
        "The account could not be closed.",
        "UPDATE accounts SET status = 'closing', close_reason = %(reason)s,"
        " payout_iban = replace(%(iban)s, ' ', ''), close_approval = %(approval)s"
        " WHERE id = %(id)s RETURNING id, status, close_reason, payout_iban",
        id=account_id,
        reason=reason_code,
        iban=payout_iban,
        approval=approval_id,
    )


TOOLS = (
    find_employees,
    find_accounts,
    get_account,
    record_party,
    end_party,
    set_transfer_limit,
    close_account,
)
