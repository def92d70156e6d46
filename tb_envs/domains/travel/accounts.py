"""Companies: their accounts, their people and their contract rates. Reading only."""

import datetime as dt
from typing import Annotated

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def find_accounts(
    db: Db,
    name: str | None = None,
    member_id: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """Find companies' accounts by name or by a member.

    Args:
        name: The company's name or a part of it.
        member_id: A customer who is or was a member, such as CUS-1004.
        limit: How many to return at most.
    """
    if name is None and member_id is None:
        raise ToolRefusal("Give a name or a member_id.")
    return db.all(
        "SELECT id, name, programme, status FROM corporate_accounts AS account"
        " WHERE (%(name)s::text IS NULL OR strpos(lower(name), lower(%(name)s)) > 0)"
        " AND (%(member_id)s::text IS NULL OR EXISTS (SELECT FROM account_members AS member"
        "  WHERE member.account_id = account.id AND member.customer_id = %(member_id)s))"
        " ORDER BY id LIMIT %(limit)s",
        name=name,
        member_id=member_id,
        limit=limit,
    )


@tool
def get_account(db: Db, account_id: str) -> Row:
    """Show a company's account with its members and their roles.

    Args:
        account_id: The account, such as ACC-104.
    """
    account = db.require(
        f"There is no account {account_id}.",
        "SELECT id, name, programme, status, country, billing_email, contract_from, contract_to"
        " FROM corporate_accounts WHERE id = %(account_id)s",
        account_id=account_id,
    )
    account["members"] = db.all(
        "SELECT customer_id, full_name, email, role, active FROM account_members"
        " JOIN customers ON customers.id = customer_id"
        " WHERE account_id = %(account_id)s ORDER BY role DESC, customer_id",
        account_id=account_id,
    )
    return account


@tool
def list_contract_rates(
    db: Db, account_id: str, hotel_id: str | None = None, arrival: dt.date | None = None
) -> list[Row]:
    """List a company's contract rates.

    Args:
        account_id: The account, such as ACC-104.
        hotel_id: Only this hotel, such as LIS-CT.
        arrival: Only rates whose period holds this day.
    """
    db.require(
        f"There is no account {account_id}.",
        "SELECT id FROM corporate_accounts WHERE id = %(account_id)s",
        account_id=account_id,
    )
    return db.all(
        "SELECT hotel_id, room_type, valid_from, valid_to, contract.nightly_rate, currency"
        " FROM negotiated_rates AS contract JOIN hotels ON hotels.id = hotel_id"
        " WHERE account_id = %(account_id)s"
        " AND (%(hotel_id)s::text IS NULL OR hotel_id = %(hotel_id)s)"
        " AND (%(arrival)s::date IS NULL OR %(arrival)s BETWEEN valid_from AND valid_to)"
        " ORDER BY hotel_id, room_type, valid_from",
        account_id=account_id,
        hotel_id=hotel_id,
        arrival=arrival,
    )


TOOLS = (find_accounts, get_account, list_contract_rates)
