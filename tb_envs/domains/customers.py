"""Customers: who somebody is, and the record that this was verified. Needs `tickets.sql`."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

_ACCENTED = "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿłŁńśźż"
_PLAIN = "AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyylLnszz"

IdentityMethod = Literal["date_of_birth", "postal_code", "phone"]


@tool
def find_customers(
    db: Db,
    name: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """Find customers by name, e-mail address or telephone number.

    Several customers can have the same or a similar name. Give at least one criterion; all that
    are given must match. Accents and letter case do not count.

    Args:
        name: The full name or a part of it.
        email: The whole e-mail address.
        phone: The whole telephone number; spaces do not count.
        limit: How many to return at most.
    """
    if name is None and email is None and phone is None:
        raise ToolRefusal("Give at least one of name, email and phone.")
    return db.all(
        "SELECT id, full_name, email, tier, status FROM customers"
        " WHERE (%(name)s::text IS NULL OR strpos("
        "  lower(translate(full_name, %(accented)s, %(plain)s)),"
        "  lower(translate(%(name)s, %(accented)s, %(plain)s))) > 0)"
        " AND (%(email)s::text IS NULL OR email = lower(%(email)s))"
        " AND (%(phone)s::text IS NULL"
        "  OR replace(phone, ' ', '') = replace(%(phone)s, ' ', ''))"
        " ORDER BY id LIMIT %(limit)s",
        name=name,
        email=email,
        phone=phone,
        limit=limit,
        accented=_ACCENTED,
        plain=_PLAIN,
    )


@tool
def get_customer(db: Db, customer_id: str) -> Row:
    """Show one customer's contact data, tier and status.

    What a customer is verified by is not shown: use verify_identity.

    Args:
        customer_id: The customer, such as CUS-1004.
    """
    return db.require(
        f"There is no customer {customer_id}.",
        "SELECT id, full_name, email, phone, tier, status, created_at FROM customers"
        " WHERE id = %(customer_id)s",
        customer_id=customer_id,
    )


@tool(writes=True)
def verify_identity(
    db: Db, ticket_id: str, customer_id: str, method: IdentityMethod, answer: str
) -> Row:
    """Check what a person said against a customer's record, and note the result on the ticket.

    A wrong answer is noted too.

    Args:
        ticket_id: The ticket on which the person is verified.
        customer_id: The customer that the person says to be.
        method: What was asked.
        answer: What the person answered; a date as YYYY-MM-DD.
    """
    db.require(
        f"There is no ticket {ticket_id}.",
        "SELECT id FROM tickets WHERE id = %(ticket_id)s",
        ticket_id=ticket_id,
    )
    known = db.require(
        f"There is no customer {customer_id}.",
        "SELECT date_of_birth::text AS date_of_birth, postal_code, phone FROM customers"
        " WHERE id = %(customer_id)s",
        customer_id=customer_id,
    )
    passed = _squeeze(str(known[method])) == _squeeze(answer)
    return db.require(
        "The check could not be noted.",
        "INSERT INTO identity_checks (ticket_id, customer_id, method, passed)"
        " VALUES (%(ticket_id)s, %(customer_id)s, %(method)s, %(passed)s)"
        " RETURNING ticket_id, customer_id, method, passed,"
        " (SELECT count(*) FROM identity_checks AS earlier"
        "  WHERE earlier.ticket_id = %(ticket_id)s AND NOT earlier.passed)"
        " + CASE WHEN %(passed)s THEN 0 ELSE 1 END AS failed_checks_on_ticket",
        ticket_id=ticket_id,
        customer_id=customer_id,
        method=method,
        passed=passed,
    )


@tool(writes=True)
def update_contact_details(
    db: Db, customer_id: str, email: str | None = None, phone: str | None = None
) -> Row:
    """Change a customer's e-mail address or telephone number.

    Args:
        customer_id: The customer, such as CUS-1004.
        email: The new e-mail address.
        phone: The new telephone number, with its country code.
    """
    if email is None and phone is None:
        raise ToolRefusal("Give a new email or a new phone.")
    return db.require(
        f"There is no customer {customer_id}.",
        "UPDATE customers SET email = coalesce(lower(%(email)s), email),"
        " phone = coalesce(%(phone)s, phone), updated_at = clock_now()"
        " WHERE id = %(customer_id)s RETURNING id, full_name, email, phone",
        customer_id=customer_id,
        email=email,
        phone=phone,
    )


def _squeeze(text: str) -> str:
    """Drop what people write differently: spaces, dots, letter case."""
    return "".join(text.split()).replace(".", "").casefold()


TOOLS = (find_customers, get_customer, verify_identity, update_contact_details)
