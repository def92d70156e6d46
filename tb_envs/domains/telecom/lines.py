"""Subscriptions: what runs on a line, its plan, add-ons and device, and its end."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal, LiteralString

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Fee = Annotated[Decimal, Field(ge=0, le=9_999, decimal_places=2)]
PlanKind = Literal["mobile", "broadband", "addon"]


@tool
def get_subscription(db: Db, subscription: str) -> Row:
    """Show a line with its plan, add-ons, devices, SIMs and ports, or its router and visits.

    Args:
        subscription: The subscription, such as SUB-5104, or its number, such as 07700 900123.
    """
    line = db.require(
        f"There is no subscription {subscription}.",
        "SELECT subscriptions.*, name AS plan_name, technology, monthly_fee, data_gb, mbps,"
        " esim AS plan_allows_esim FROM subscriptions JOIN plans ON plans.code = plan_code"
        " WHERE id = %(key)s OR number = %(key)s",
        key=subscription,
    )
    parts = _MOBILE_PARTS if line["kind"] == "mobile" else _BROADBAND_PARTS
    found = {name: db.all(query, id=line["id"]) for name, query in parts.items()}
    shown = {name: value for name, value in line.items() if value is not None}
    return {**shown, **found}


_MOBILE_PARTS: dict[str, LiteralString] = {
    "addons": "SELECT addon_code, starts_on, ends_on FROM subscription_addons"
    " WHERE subscription_id = %(id)s ORDER BY starts_on, id",
    "devices": "SELECT id, model, instalments, instalments_paid, instalment, status, started_on"
    " FROM devices WHERE subscription_id = %(id)s ORDER BY id",
    "sims": "SELECT id, kind, status, reason, issued_at, activated_at FROM sims"
    " WHERE subscription_id = %(id)s ORDER BY issued_at, id",
    "port_requests": "SELECT id, direction, number, other_operator, pac, status, reject_code,"
    " scheduled_on, created_at FROM port_requests WHERE subscription_id = %(id)s"
    " ORDER BY created_at, id",
}
_BROADBAND_PARTS: dict[str, LiteralString] = {
    "addons": _MOBILE_PARTS["addons"],
    "routers": "SELECT id, model, status, reason, supplied_on, return_due_on, returned_on"
    " FROM routers WHERE subscription_id = %(id)s ORDER BY supplied_on, id",
    "visits": "SELECT id, fault, visit_on, slot, status, booked_at, note FROM visits"
    " WHERE subscription_id = %(id)s ORDER BY visit_on, id",
}


@tool
def list_plans(db: Db, kind: PlanKind, on_sale: bool | None = None) -> list[Row]:
    """List plans or add-ons with their prices, the cheapest first.

    Args:
        kind: Mobile plans, broadband plans or add-ons.
        on_sale: Only those that are sold now, or only those that no longer are.
    """
    return db.all(
        "SELECT code, name, technology, monthly_fee, data_gb, esim, mbps, addon_days, roaming_zone,"
        " on_sale FROM plans WHERE kind = %(kind)s::plan_kind"
        " AND (%(on_sale)s::boolean IS NULL OR on_sale = %(on_sale)s) ORDER BY monthly_fee, code",
        kind=kind,
        on_sale=on_sale,
    )


@tool(writes=True)
def change_plan(
    db: Db, subscription_id: str, plan_code: str, effective: Literal["now", "next_bill"]
) -> Row:
    """Put a line on another plan. The term stays as it is.

    Args:
        subscription_id: The line, such as SUB-5104.
        plan_code: The new plan's code.
        effective: At once, or from the next bill on.
    """
    line = _lock_line(db, subscription_id)
    plan = db.require(
        f"There is no plan {plan_code}.",
        "SELECT kind FROM plans WHERE code = %(code)s",
        code=plan_code,
    )
    if plan["kind"] != line["kind"]:
        raise ToolRefusal(f"{plan_code} is a {plan['kind']} plan, {subscription_id} is not.")
    return db.require(
        "The plan could not be changed.",
        "UPDATE subscriptions SET"
        " plan_code = CASE WHEN %(now)s THEN %(code)s::text ELSE plan_code END,"
        " next_plan_code = CASE WHEN %(now)s THEN NULL ELSE %(code)s::text END"
        " WHERE id = %(id)s RETURNING id, plan_code, next_plan_code",
        id=subscription_id,
        code=plan_code,
        now=effective == "now",
    )


@tool(writes=True)
def change_addon(
    db: Db, subscription_id: str, addon_code: str, action: Literal["add", "end"], on_date: dt.date
) -> Row:
    """Add an add-on to a line from a day on, or end one with a day.

    An add-on of a fixed number of days ends by itself.

    Args:
        subscription_id: The line, such as SUB-5104.
        addon_code: The add-on's code.
        action: Add or end.
        on_date: Its first day, or its last.
    """
    _lock_line(db, subscription_id)
    addon = db.require(
        f"There is no add-on {addon_code}.",
        "SELECT addon_days FROM plans WHERE code = %(code)s AND kind = 'addon'",
        code=addon_code,
    )
    if action == "end":
        return db.require(
            f"{subscription_id} has no {addon_code} that runs beyond {on_date}.",
            "UPDATE subscription_addons SET ends_on = %(day)s WHERE subscription_id = %(id)s"
            " AND addon_code = %(code)s AND (ends_on IS NULL OR ends_on > %(day)s)"
            " RETURNING addon_code, starts_on, ends_on",
            id=subscription_id,
            code=addon_code,
            day=on_date,
        )
    if db.one(
        "SELECT id FROM subscription_addons WHERE subscription_id = %(id)s"
        " AND addon_code = %(code)s AND (ends_on IS NULL OR ends_on >= %(day)s)",
        id=subscription_id,
        code=addon_code,
        day=on_date,
    ):
        raise ToolRefusal(f"{subscription_id} has {addon_code} on {on_date} already.")
    days = addon["addon_days"]
    return db.require(
        "The add-on could not be added.",
        "INSERT INTO subscription_addons (subscription_id, addon_code, starts_on, ends_on)"
        " VALUES (%(id)s, %(code)s, %(day)s, %(end)s) RETURNING addon_code, starts_on, ends_on",
        id=subscription_id,
        code=addon_code,
        day=on_date,
        end=on_date + dt.timedelta(days=days - 1) if days else None,
    )


@tool(writes=True)
def settle_device(db: Db, device_id: str) -> Row:
    """End an instalment agreement early: what is left of it is billed at once.

    Args:
        device_id: The agreement, such as DEV-4104.
    """
    device = db.require(
        f"There is no device agreement {device_id}.",
        "SELECT status FROM devices WHERE id = %(id)s FOR UPDATE",
        id=device_id,
    )
    if device["status"] != "running":
        raise ToolRefusal(f"{device_id} is {device['status']}; only a running one is settled.")
    return db.require(
        "The agreement could not be settled.",
        "UPDATE devices SET status = 'settled',"
        " settled_amount = (instalments - instalments_paid) * instalment WHERE id = %(id)s"
        " RETURNING id, model, status, settled_amount",
        id=device_id,
    )


@tool(writes=True)
def end_subscription(
    db: Db, subscription_id: str, ends_on: dt.date, reason_code: str, early_fee: Fee
) -> Row:
    """End a line on a day. Its number is lost unless it was moved to another operator before.

    Args:
        subscription_id: The line, such as SUB-5104.
        ends_on: Its last day.
        reason_code: An END code.
        early_fee: What is billed for leaving before the term is over; 0 for nothing.
    """
    require_code(db, reason_code, "END")
    line = _lock_line(db, subscription_id)
    if line["ends_on"] is not None:
        raise ToolRefusal(f"{subscription_id} ends on {line['ends_on']} already.")
    if ends_on < line["today"]:
        raise ToolRefusal(f"{ends_on} has passed; today is {line['today']}.")
    return db.require(
        "The line could not be ended.",
        "UPDATE subscriptions SET ends_on = %(day)s::date, end_reason = %(reason)s,"
        " early_fee = %(fee)s,"
        " status = CASE WHEN %(day)s::date = clock_now()::date THEN 'ended' ELSE status END"
        " WHERE id = %(id)s RETURNING id, status, ends_on, end_reason, early_fee",
        id=subscription_id,
        day=ends_on,
        reason=reason_code,
        fee=early_fee,
    )


def _lock_line(db: Db, subscription_id: str) -> Row:
    """Lock a line that has not ended."""
    line = db.require(
        f"There is no subscription {subscription_id}.",
        "SELECT kind, status, ends_on, clock_now()::date AS today FROM subscriptions"
        " WHERE id = %(id)s FOR UPDATE",
        id=subscription_id,
    )
    if line["status"] == "ended":
        raise ToolRefusal(f"{subscription_id} ended on {line['ends_on']}.")
    return line


TOOLS = (
    get_subscription,
    list_plans,
    change_plan,
    change_addon,
    settle_device,
    end_subscription,
)
