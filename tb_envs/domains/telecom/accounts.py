"""Accounts, and who may ask for what on them."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Role = Literal["admin", "billing", "user", "none"]


@tool
def find_accounts(
    db: Db,
    customer_id: str | None = None,
    name: str | None = None,
    number: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List accounts with the roles that people have on them. All criteria given must match.

    Args:
        customer_id: Only accounts on which this customer has a role, such as CUS-2204.
        name: A part of the account's name, such as a company.
        number: Only the account that holds this telephone number, such as 07700 900123.
        limit: How many to return at most.
    """
    if customer_id is None and name is None and number is None:
        raise ToolRefusal("Give at least one of customer_id, name and number.")
    return db.all(
        "SELECT accounts.id, name, kind, accounts.status, role, customer_id"
        " FROM accounts JOIN account_contacts ON account_id = accounts.id"
        " WHERE (%(customer_id)s::text IS NULL AND role = 'owner' OR customer_id = %(customer_id)s)"
        " AND (%(name)s::text IS NULL OR strpos(lower(name), lower(%(name)s)) > 0)"
        " AND (%(number)s::text IS NULL OR EXISTS (SELECT FROM subscriptions"
        "  WHERE subscriptions.account_id = accounts.id AND number = %(number)s))"
        " ORDER BY accounts.id, customer_id LIMIT %(limit)s",
        customer_id=customer_id,
        name=name,
        number=number,
        limit=limit,
    )


@tool
def get_account(db: Db, account_id: str) -> Row:
    """Show an account: contacts, lines, restrictions, credits of two years, and the time now.

    Args:
        account_id: The account, such as ACC-3104.
    """
    account = db.require(
        f"There is no account {account_id}.",
        "SELECT id, name, kind, status, bill_day, pays_by, priority_service, reminder_level,"
        " contact_changed_on, price_notice_on, opened_on, clock_now() AS now FROM accounts"
        " WHERE id = %(id)s",
        id=account_id,
    )
    account["contacts"] = db.all(
        "SELECT customer_id, full_name, tier, role, subscription_id FROM account_contacts"
        " JOIN customers ON customers.id = customer_id WHERE account_id = %(id)s"
        " ORDER BY role, customer_id",
        id=account_id,
    )
    account["subscriptions"] = db.all(
        "SELECT id, kind, plan_code, number, status, postal_code, term_ends_on, ends_on"
        " FROM subscriptions WHERE account_id = %(id)s ORDER BY id LIMIT 25",
        id=account_id,
    )
    account["restrictions"] = db.all(
        "SELECT id, subscription_id, code, placed_by, placed_at, lifted_at FROM restrictions"
        " WHERE account_id = %(id)s ORDER BY placed_at DESC, id DESC LIMIT 10",
        id=account_id,
    )
    account["credits"] = db.all(
        "SELECT id, amount, reason, reference, destination, approval_id, created_at FROM credits"
        " WHERE account_id = %(id)s AND created_at > clock_now() - interval '2 years'"
        " ORDER BY created_at DESC, id DESC LIMIT 10",
        id=account_id,
    )
    return account


@tool(writes=True)
def set_account_contact(
    db: Db, account_id: str, customer_id: str, role: Role, subscription_id: str | None = None
) -> Row:
    """Give a customer a role on an account, change it, or take it away. The owner stays.

    Args:
        account_id: The account, such as ACC-3104.
        customer_id: The person, such as CUS-2204.
        role: The new role; "none" takes the person off the account.
        subscription_id: The line of a user; only with the role "user".
    """
    db.require(
        f"There is no account {account_id}.",
        "SELECT id FROM accounts WHERE id = %(id)s FOR UPDATE",
        id=account_id,
    )
    contact = db.one(
        "SELECT role FROM account_contacts WHERE account_id = %(id)s AND customer_id = %(who)s",
        id=account_id,
        who=customer_id,
    )
    if contact is not None and contact["role"] == "owner":
        raise ToolRefusal(f"{customer_id} owns {account_id}; the owner's role cannot change here.")
    if role == "none":
        return _remove_contact(db, account_id, customer_id)
    if (role == "user") != (subscription_id is not None):
        raise ToolRefusal("Give subscription_id with the role user, and with no other role.")
    return db.require(
        "The contact could not be set.",
        "INSERT INTO account_contacts (account_id, customer_id, role, subscription_id)"
        " VALUES (%(id)s, %(who)s, %(role)s, %(line)s)"
        " ON CONFLICT (account_id, customer_id)"
        " DO UPDATE SET role = excluded.role, subscription_id = excluded.subscription_id"
        " RETURNING account_id, customer_id, role, subscription_id",
        id=account_id,
        who=customer_id,
        role=role,
        line=subscription_id,
    )


def _remove_contact(db: Db, account_id: str, customer_id: str) -> Row:
    return db.require(
        f"{customer_id} has no role on {account_id}.",
        "DELETE FROM account_contacts WHERE account_id = %(id)s AND customer_id = %(who)s"
        " RETURNING account_id, customer_id, role AS removed_role",
        id=account_id,
        who=customer_id,
    )


TOOLS = (find_accounts, get_account, set_account_contact)
