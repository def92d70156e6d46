"""Rental cars that a claim pays for."""

import datetime as dt
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tb_envs.domains.insurance.claims import lock_claim
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Rate = Annotated[Decimal, Field(gt=0, le=500, decimal_places=2)]


@tool(writes=True)
def authorise_rental(
    db: Db,
    claim_number: str,
    company: str,
    daily_rate: Rate,
    starts_on: dt.date,
    ends_on: dt.date,
) -> Row:
    """Promise a rental company that a claim pays for a car.

    Args:
        claim_number: The claim, such as CLM-61204.
        company: The rental company.
        daily_rate: What we pay a day.
        starts_on: The first day that we pay for.
        ends_on: The last day that we pay for.
    """
    lock_claim(db, claim_number, "open")
    return db.require(
        "The rental could not be authorised.",
        "INSERT INTO rentals (claim_number, company, daily_rate, starts_on, ends_on) VALUES"
        " (%(number)s, %(company)s, %(rate)s, %(starts_on)s, %(ends_on)s)"
        " RETURNING id, claim_number, company, daily_rate, starts_on, ends_on, status,"
        " ends_on - starts_on + 1 AS days",
        number=claim_number,
        company=company,
        rate=daily_rate,
        starts_on=starts_on,
        ends_on=ends_on,
    )


@tool(writes=True)
def change_rental_end(
    db: Db, rental_id: str, ends_on: dt.date, approval_id: str | None = None
) -> Row:
    """Extend or shorten an authorised rental.

    Args:
        rental_id: The rental, such as RNT-2104.
        ends_on: The last day that we pay for.
        approval_id: The approval that covers it, such as APR-2107.
    """
    found = db.require(
        f"There is no rental {rental_id}.",
        "SELECT status FROM rentals WHERE id = %(id)s FOR UPDATE",
        id=rental_id,
    )
    if found["status"] != "authorised":
        raise ToolRefusal(f"{rental_id} is {found['status']}; only an authorised one can change.")
    return db.require(
        "The rental could not be changed.",
        "UPDATE rentals SET ends_on = %(ends_on)s,"
        " approval_id = coalesce(%(approval_id)s, approval_id) WHERE id = %(id)s"
        " RETURNING id, claim_number, daily_rate, starts_on, ends_on, approval_id,"
        " ends_on - starts_on + 1 AS days",
        id=rental_id,
        ends_on=ends_on,
        approval_id=approval_id,
    )


TOOLS = (authorise_rental, change_rental_end)
