"""Claims: find, open, close and reopen them, set reserves, refer them, ask money back."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=999_999, decimal_places=2)]
ClaimStatus = Literal["open", "closed"]


@tool
def find_claims(
    db: Db,
    policy_number: str | None = None,
    vehicle_id: str | None = None,
    status: ClaimStatus | None = None,
    loss_from: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List claims, the latest loss first. All criteria that are given must match.

    Args:
        policy_number: The policy, such as TMA-41207.
        vehicle_id: The damaged vehicle, such as VEH-3104.
        status: Only claims in this status.
        loss_from: Only losses of this day or later.
        limit: How many to return at most.
    """
    if policy_number is None and vehicle_id is None:
        raise ToolRefusal("Give policy_number or vehicle_id.")
    return db.all(
        "SELECT number, policy_number, vehicle_id, driver_name, loss_on, cause, status, outcome"
        " FROM claims WHERE (%(policy)s::text IS NULL OR policy_number = %(policy)s)"
        " AND (%(vehicle)s::text IS NULL OR vehicle_id = %(vehicle)s)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::claim_status)"
        " AND (%(loss_from)s::date IS NULL OR loss_on >= %(loss_from)s)"
        " ORDER BY loss_on DESC, number LIMIT %(limit)s",
        policy=policy_number,
        vehicle=vehicle_id,
        status=status,
        loss_from=loss_from,
        limit=limit,
    )


@tool
def get_claim(db: Db, claim_number: str) -> Row:
    """Show a claim with its referrals and recoveries, and today's date and time.

    Estimates, bills, payments and rentals are listed by list_claim_costs.

    Args:
        claim_number: The claim, such as CLM-61204.
    """
    claim = db.require(
        f"There is no claim {claim_number}.",
        "SELECT claims.*, clock_now() AS now FROM claims WHERE number = %(number)s",
        number=claim_number,
    )
    claim["referrals"] = db.all(
        "SELECT id, indicator, status, opened_at, closed_at FROM referrals"
        " WHERE claim_number = %(number)s ORDER BY opened_at, id",
        number=claim_number,
    )
    claim["recoveries"] = db.all(
        "SELECT id, insurer, demanded, recovered, status, opened_at FROM recoveries"
        " WHERE claim_number = %(number)s ORDER BY opened_at, id",
        number=claim_number,
    )
    return claim


@tool(writes=True)
def open_claim(
    db: Db,
    policy_number: str,
    vehicle_id: str,
    loss_on: dt.date,
    cause_code: str,
    driver_name: str | None = None,
    police_report: str | None = None,
    other_insurer: str | None = None,
) -> Row:
    """Record a loss as a new claim. It promises no cover.

    Args:
        policy_number: The policy, such as TMA-41207.
        vehicle_id: The damaged vehicle.
        loss_on: The day of the loss.
        cause_code: A LOSS code.
        driver_name: Who drove; left out where nobody did.
        police_report: The number of the police report.
        other_insurer: The insurer of the other party.
    """
    require_code(db, cause_code, "LOSS")
    return db.require(
        f"{vehicle_id} is not on {policy_number}.",
        "INSERT INTO claims (policy_number, vehicle_id, driver_name, loss_on, cause,"
        " police_report, other_insurer) SELECT policy_number, id, %(driver)s, %(loss_on)s,"
        " %(cause)s, %(police)s, %(other)s FROM vehicles WHERE id = %(vehicle)s"
        " AND policy_number = %(policy)s RETURNING number, vehicle_id, loss_on, cause, status",
        policy=policy_number,
        vehicle=vehicle_id,
        driver=driver_name,
        loss_on=loss_on,
        cause=cause_code,
        police=police_report,
        other=other_insurer,
    )


@tool(writes=True)
def close_claim(db: Db, claim_number: str, outcome_code: str) -> Row:
    """Close a claim. Nothing is paid on it any more.

    Args:
        claim_number: The claim, such as CLM-61204.
        outcome_code: A CLO code.
    """
    require_code(db, outcome_code, "CLO")
    lock_claim(db, claim_number, "open")
    return db.require(
        f"There is no claim {claim_number}.",
        "UPDATE claims SET status = 'closed', outcome = %(outcome)s, closed_at = clock_now()"
        " WHERE number = %(number)s RETURNING number, status, outcome",
        number=claim_number,
        outcome=outcome_code,
    )


@tool(writes=True)
def reopen_claim(db: Db, claim_number: str) -> Row:
    """Open a closed claim again.

    Args:
        claim_number: The claim, such as CLM-61204.
    """
    lock_claim(db, claim_number, "closed")
    return db.require(
        f"There is no claim {claim_number}.",
        "UPDATE claims SET status = 'open', outcome = NULL, closed_at = NULL"
        " WHERE number = %(number)s RETURNING number, status",
        number=claim_number,
    )


@tool(writes=True)
def set_reserve(db: Db, claim_number: str, amount: Amount) -> Row:
    """Set the money put aside for a claim. All payments on it together never exceed it.

    Args:
        claim_number: The claim, such as CLM-61204.
        amount: The whole reserve, not what is added.
    """
    claim = lock_claim(db, claim_number, "open")
    if amount < claim["paid"]:
        raise ToolRefusal(f"{claim['paid']} were paid on {claim_number} already.")
    return db.require(
        f"There is no claim {claim_number}.",
        "UPDATE claims SET reserve = %(amount)s WHERE number = %(number)s"
        " RETURNING number, reserve",
        number=claim_number,
        amount=amount,
    )


@tool(writes=True)
def refer_claim(db: Db, claim_number: str, indicator_code: str) -> Row:
    """Refer a claim to special investigations. The insured does not see it.

    Args:
        claim_number: The claim, such as CLM-61204.
        indicator_code: An IND code.
    """
    require_code(db, indicator_code, "IND")
    return db.require(
        f"There is no claim {claim_number}.",
        "INSERT INTO referrals (claim_number, indicator) SELECT number, %(indicator)s"
        " FROM claims WHERE number = %(number)s RETURNING id, claim_number, indicator, status",
        number=claim_number,
        indicator=indicator_code,
    )


@tool(writes=True)
def open_recovery(db: Db, claim_number: str, insurer: str, demanded: Amount) -> Row:
    """Ask the other party's insurer for money.

    Args:
        claim_number: The claim, such as CLM-61204.
        insurer: The other party's insurer.
        demanded: How much is asked for.
    """
    return db.require(
        f"There is no claim {claim_number}.",
        "INSERT INTO recoveries (claim_number, insurer, demanded) SELECT number, %(insurer)s,"
        " %(demanded)s FROM claims WHERE number = %(number)s"
        " RETURNING id, claim_number, insurer, demanded, status",
        number=claim_number,
        insurer=insurer,
        demanded=demanded,
    )


def lock_claim(db: Db, claim_number: str, status: ClaimStatus) -> Row:
    """Lock a claim that must be in a status; returns its reserve and what was paid on it.

    Raises:
        ToolRefusal: there is no such claim, or its status is another.
    """
    claim = db.require(
        f"There is no claim {claim_number}.",
        "SELECT vehicle_id, policy_number, status, reserve,"
        " (SELECT coalesce(sum(amount), 0) FROM claim_payments"
        "  WHERE claim_number = number AND status <> 'stopped') AS paid"
        " FROM claims WHERE number = %(number)s FOR UPDATE",
        number=claim_number,
    )
    if claim["status"] != status:
        raise ToolRefusal(f"{claim_number} is {claim['status']}, not {status}.")
    return claim


TOOLS = (
    find_claims,
    get_claim,
    open_claim,
    close_claim,
    reopen_claim,
    set_reserve,
    refer_claim,
    open_recovery,
)
