"""Policies: find them, read them, and send papers about them."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

PolicyStatus = Literal["active", "lapsed", "cancelled", "expired"]


@tool
def find_policies(
    db: Db,
    holder_id: str | None = None,
    driver_customer_id: str | None = None,
    plate: str | None = None,
    status: PolicyStatus | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List policies, the newest first. All criteria that are given must match.

    Args:
        holder_id: The customer who holds it, such as CUS-1104.
        driver_customer_id: A customer who stands on it as a driver besides the holder.
        plate: The plate of a vehicle on it.
        status: Only policies in this status.
        limit: How many to return at most.
    """
    if holder_id is None and driver_customer_id is None and plate is None:
        raise ToolRefusal("Give at least one of holder_id, driver_customer_id and plate.")
    return db.all(
        "SELECT number, holder_id, status, effective_on, expires_on,"
        " (SELECT array_agg(make || ' ' || model ORDER BY id) FROM vehicles"
        "  WHERE policy_number = number) AS vehicles FROM policies"
        " WHERE (%(holder_id)s::text IS NULL OR holder_id = %(holder_id)s)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::policy_status)"
        " AND (%(driver)s::text IS NULL OR EXISTS (SELECT FROM drivers"
        "  WHERE policy_number = number AND customer_id = %(driver)s))"
        " AND (%(plate)s::text IS NULL OR EXISTS (SELECT FROM vehicles"
        "  WHERE policy_number = number AND plate = upper(%(plate)s)))"
        " ORDER BY effective_on DESC, number LIMIT %(limit)s",
        holder_id=holder_id,
        driver=driver_customer_id,
        plate=plate,
        status=status,
        limit=limit,
    )


@tool
def get_policy(db: Db, policy_number: str) -> Row:
    """Show a policy with its vehicles, their coverages, the drivers, and today's date and time.

    The policyholder drives too and is not listed as a driver. Endorsements, bills, documents and
    claims are listed by their own tools.

    Args:
        policy_number: The policy, such as TMA-41207.
    """
    policy = db.require(
        f"There is no policy {policy_number}.",
        "SELECT number, holder_id, full_name AS holder_name, policies.status, state, effective_on,"
        " expires_on, annual_premium, billing_plan, lapsed_on, cancelled_on, cancel_reason,"
        " clock_now() AS now FROM policies JOIN customers ON customers.id = holder_id"
        " WHERE number = %(number)s",
        number=policy_number,
    )
    policy["vehicles"] = db.all(
        "SELECT id, plate, make, model, model_year, market_value, garaging_street, garaging_city,"
        " garaging_state, garaging_postal_code, lienholder, lienholder_email, loan_balance"
        " FROM vehicles WHERE policy_number = %(number)s ORDER BY id",
        number=policy_number,
    )
    for vehicle in policy["vehicles"]:
        vehicle["coverages"] = db.all(
            "SELECT kind, deductible, limit_amount, max_days, effective_on, ended_on"
            " FROM coverages WHERE vehicle_id = %(id)s ORDER BY kind",
            id=vehicle["id"],
        )
    policy["drivers"] = db.all(
        "SELECT id, customer_id, full_name, date_of_birth, licensed_on, relation, status, since"
        " FROM drivers WHERE policy_number = %(number)s ORDER BY id",
        number=policy_number,
    )
    return policy


@tool
def list_endorsements(db: Db, policy_number: str) -> list[Row]:
    """List the changes of a policy, lapses and reinstatements among them, the newest first.

    Args:
        policy_number: The policy, such as TMA-41207.
    """
    return db.all(
        "SELECT id, code, vehicle_id, driver_id, effective_on, detail, created_at"
        " FROM endorsements WHERE policy_number = %(number)s"
        " ORDER BY created_at DESC, id DESC LIMIT 25",
        number=policy_number,
    )


@tool
def list_documents(db: Db, policy_number: str) -> list[Row]:
    """List the papers that were sent or received for a policy, the newest first.

    Args:
        policy_number: The policy, such as TMA-41207.
    """
    return db.all(
        "SELECT id, vehicle_id, kind, direction, email, about_day, created_at FROM documents"
        " WHERE policy_number = %(number)s ORDER BY created_at DESC, id DESC LIMIT 25",
        number=policy_number,
    )


@tool(writes=True)
def issue_document(
    db: Db,
    policy_number: str,
    document_code: str,
    email: str,
    vehicle_id: str | None = None,
    about_day: dt.date | None = None,
) -> Row:
    """Make a paper from the policy's records and send it. It cannot be taken back.

    Args:
        policy_number: The policy, such as TMA-41207.
        document_code: A DOC code.
        email: The e-mail address to which it goes.
        vehicle_id: The vehicle that it is about; needed for an ID card and a lienholder's notice.
        about_day: The day that it is about; needed for a confirmation of cover.
    """
    require_code(db, document_code, "DOC")
    if document_code in ("DOC-ID-CARD", "DOC-LIEN-NOTICE") and vehicle_id is None:
        raise ToolRefusal(f"{document_code} is about one vehicle: give vehicle_id.")
    if (document_code == "DOC-COVER-DAY") != (about_day is not None):
        raise ToolRefusal("about_day is given for DOC-COVER-DAY, and for nothing else.")
    if vehicle_id is not None:
        db.require(
            f"{vehicle_id} is not on {policy_number}.",
            "SELECT id FROM vehicles WHERE id = %(id)s AND policy_number = %(number)s",
            id=vehicle_id,
            number=policy_number,
        )
    return db.require(
        f"There is no policy {policy_number}.",
        "INSERT INTO documents (policy_number, vehicle_id, kind, email, about_day)"
        " SELECT number, %(vehicle_id)s, %(code)s, lower(%(email)s), %(about_day)s FROM policies"
        " WHERE number = %(number)s RETURNING policy_number, vehicle_id, kind, email, about_day",
        number=policy_number,
        vehicle_id=vehicle_id,
        code=document_code,
        email=email,
        about_day=about_day,
    )


TOOLS = (find_policies, get_policy, list_endorsements, list_documents, issue_document)
