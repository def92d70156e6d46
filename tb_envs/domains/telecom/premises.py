"""Broadband at an address: coverage, outages, engineers, routers and moves."""

import datetime as dt
from typing import Literal

from tb_envs.domains.codes import require_code
from tb_envs.domains.telecom.lines import Fee
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

RETURN_PERIOD = dt.timedelta(days=21)
SUNDAY = 7


@tool
def check_address(db: Db, postal_code: str) -> Row:
    """Show what can be had at a postcode, when an engineer is free, and its outages.

    Outages are those that are open or ended in the last 120 days.

    Args:
        postal_code: The whole postcode, such as LS6 2QT.
    """
    services = db.all(
        "SELECT technology, max_mbps, first_visit_on FROM coverage"
        " WHERE postal_code = upper(%(code)s) ORDER BY technology",
        code=postal_code,
    )
    outages = db.all(
        "SELECT id, service, district, planned, cause, started_at, ended_at FROM outages"
        " WHERE district = split_part(upper(%(code)s), ' ', 1)"
        " AND (ended_at IS NULL OR ended_at > clock_now() - interval '120 days')"
        " ORDER BY started_at DESC, id",
        code=postal_code,
    )
    return {"postal_code": postal_code.upper(), "services": services, "outages": outages}


@tool(writes=True)
def book_visit(
    db: Db, subscription_id: str, fault_code: str, visit_on: dt.date, slot: Literal["am", "pm"]
) -> Row:
    """Book an engineer for a broadband line, at the address to which it moves if it moves.

    Args:
        subscription_id: The line, such as SUB-5104.
        fault_code: An FLT code.
        visit_on: The day; engineers do not come on Sundays.
        slot: Morning or afternoon.
    """
    require_code(db, fault_code, "FLT")
    line = _broadband(db, subscription_id)
    where = line["moving_postal_code"] or line["postal_code"]
    first = db.require(
        f"No engineer goes to {where}.",
        "SELECT min(first_visit_on) AS day FROM coverage WHERE postal_code = %(where)s"
        " HAVING min(first_visit_on) IS NOT NULL",
        where=where,
    )
    if visit_on < first["day"]:
        raise ToolRefusal(f"The first free day at {where} is {first['day']}.")
    if visit_on.isoweekday() == SUNDAY:
        raise ToolRefusal(f"{visit_on} is a Sunday; engineers do not come on Sundays.")
    booked = db.one(
        "SELECT id FROM visits WHERE subscription_id = %(id)s AND status = 'booked'",
        id=subscription_id,
    )
    if booked is not None:
        raise ToolRefusal(f"{booked['id']} is booked already; cancel it first.")
    return db.require(
        "The visit could not be booked.",
        "INSERT INTO visits (subscription_id, fault, visit_on, slot)"
        " VALUES (%(id)s, %(fault)s, %(day)s, %(slot)s)"
        " RETURNING id, subscription_id, fault, visit_on, slot, status",
        id=subscription_id,
        fault=fault_code,
        day=visit_on,
        slot=slot,
    )


@tool(writes=True)
def cancel_visit(db: Db, visit_id: str) -> Row:
    """Cancel an engineer's visit that is booked.

    Args:
        visit_id: The visit, such as VIS-8104.
    """
    return db.require(
        f"{visit_id} is not a booked visit.",
        "UPDATE visits SET status = 'cancelled' WHERE id = %(id)s AND status = 'booked'"
        " RETURNING id, subscription_id, visit_on, slot, status",
        id=visit_id,
    )


@tool(writes=True)
def replace_router(
    db: Db, subscription_id: str, model: Literal["Nest 4", "Nest 6"], reason_code: str, fee: Fee
) -> Row:
    """Send a new router by post; the one in use must come back within 21 days.

    Args:
        subscription_id: The line, such as SUB-5104.
        model: The new router.
        reason_code: An RTR code.
        fee: What is billed for it; 0 for nothing.
    """
    require_code(db, reason_code, "RTR")
    line = _broadband(db, subscription_id)
    old = db.require(
        f"{subscription_id} has no router in use.",
        "UPDATE routers SET status = 'return_due', return_due_on = %(due)s"
        " WHERE subscription_id = %(id)s AND status = 'in_use' RETURNING id, return_due_on",
        id=subscription_id,
        due=line["today"] + RETURN_PERIOD,
    )
    new = db.require(
        "The router could not be sent.",
        "INSERT INTO routers (subscription_id, model, status, reason, fee)"
        " VALUES (%(id)s, %(model)s, 'in_transit', %(reason)s, %(fee)s)"
        " RETURNING id, model, status, reason, fee",
        id=subscription_id,
        model=model,
        reason=reason_code,
        fee=fee,
    )
    return {"new": new, "old": old}


@tool(writes=True)
def move_service(
    db: Db, subscription_id: str, street: str, postal_code: str, city: str, move_on: dt.date
) -> Row:
    """Move a broadband line to another address on a day. It books no engineer.

    Args:
        subscription_id: The line, such as SUB-5104.
        street: House number and street.
        postal_code: The whole postcode, such as LS6 2QT.
        city: The town.
        move_on: The day on which the line moves.
    """
    line = _broadband(db, subscription_id)
    if move_on < line["today"]:
        raise ToolRefusal(f"{move_on} has passed; today is {line['today']}.")
    db.require(
        f"{line['technology']} cannot be had at {postal_code.upper()}.",
        "SELECT technology FROM coverage WHERE postal_code = upper(%(code)s)"
        " AND technology = %(technology)s",
        code=postal_code,
        technology=line["technology"],
    )
    return db.require(
        "The move could not be noted.",
        "UPDATE subscriptions SET moving_on = %(day)s, moving_street = %(street)s,"
        " moving_postal_code = upper(%(code)s), moving_city = %(city)s WHERE id = %(id)s"
        " RETURNING id, moving_on, moving_street, moving_postal_code, moving_city",
        id=subscription_id,
        day=move_on,
        street=street,
        code=postal_code,
        city=city,
    )


def _broadband(db: Db, subscription_id: str) -> Row:
    """Lock a broadband line that has not ended; its technology is that of the plan to come."""
    return db.require(
        f"There is no running broadband line {subscription_id}.",
        "SELECT postal_code, moving_postal_code, technology, clock_now()::date AS today"
        " FROM subscriptions JOIN plans ON plans.code = coalesce(next_plan_code, plan_code)"
        " WHERE id = %(id)s AND subscriptions.kind = 'broadband' AND status <> 'ended'"
        " FOR UPDATE OF subscriptions",
        id=subscription_id,
    )


TOOLS = (check_address, book_visit, cancel_visit, replace_router, move_service)
