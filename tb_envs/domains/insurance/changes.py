"""Changes of a policy. Each writes an endorsement; none moves money."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Coverage = Literal["liability", "collision", "comprehensive", "rental", "roadside", "glass"]
Money = Annotated[Decimal, Field(ge=0, le=999_999, decimal_places=2)]


@tool(writes=True)
def add_driver(
    db: Db,
    policy_number: str,
    full_name: str,
    date_of_birth: dt.date,
    licensed_on: dt.date,
    relation: Literal["spouse", "child", "parent", "relative", "other"],
    effective_on: dt.date,
) -> Row:
    """Put a new driver on a policy as a rated driver.

    Args:
        policy_number: The policy, such as TMA-41207.
        full_name: The driver's name.
        date_of_birth: The driver's date of birth.
        licensed_on: When the driver was first licensed.
        relation: What the driver is to the policyholder.
        effective_on: The first day on which the driver is rated.
    """
    _lock_policy(db, policy_number)
    driver = db.require(
        "The driver could not be added.",
        "INSERT INTO drivers (policy_number, full_name, date_of_birth, licensed_on, relation,"
        " since) VALUES (%(number)s, %(full_name)s, %(date_of_birth)s, %(licensed_on)s,"
        " %(relation)s, %(since)s) RETURNING id, full_name, relation, status, since",
        number=policy_number,
        full_name=full_name,
        date_of_birth=date_of_birth,
        licensed_on=licensed_on,
        relation=relation,
        since=effective_on,
    )
    made = _endorse(
        db, policy_number, "CHG-DRIVER-ADDED", effective_on, full_name, driver_id=driver["id"]
    )
    return driver | {"endorsement": made}


@tool(writes=True)
def set_driver_status(
    db: Db,
    driver_id: str,
    status: Literal["rated", "excluded", "removed"],
    effective_on: dt.date,
) -> Row:
    """Rate, exclude or remove a driver who stands on a policy already.

    Args:
        driver_id: The driver, such as DRV-7104.
        status: "excluded" bars the person from cover; "removed" takes the person off the list.
        effective_on: The first day of the new status.
    """
    driver = db.require(
        f"There is no driver {driver_id}.",
        "SELECT policy_number, full_name, status FROM drivers WHERE id = %(id)s FOR UPDATE",
        id=driver_id,
    )
    if driver["status"] == status:
        raise ToolRefusal(f"{driver_id} is {status} already.")
    code = {
        "rated": "CHG-DRIVER-ADDED",
        "excluded": "CHG-DRIVER-EXCLUDED",
        "removed": "CHG-DRIVER-REMOVED",
    }[status]
    changed = db.require(
        f"There is no driver {driver_id}.",
        "UPDATE drivers SET status = %(status)s, since = %(since)s, updated_at = clock_now()"
        " WHERE id = %(id)s RETURNING id, full_name, status, since",
        id=driver_id,
        status=status,
        since=effective_on,
    )
    number = str(driver["policy_number"])
    name = str(driver["full_name"])
    return changed | {
        "endorsement": _endorse(db, number, code, effective_on, name, driver_id=driver_id)
    }


@tool(writes=True)
def change_garaging(
    db: Db,
    vehicle_id: str,
    street: str,
    city: str,
    state: Annotated[str, Field(pattern="^[A-Z]{2}$")],
    postal_code: str,
    effective_on: dt.date,
) -> Row:
    """Change where one vehicle is kept at night.

    Args:
        vehicle_id: The vehicle, such as VEH-3104.
        street: Street and house number.
        city: The town.
        state: Two letters, such as OR.
        postal_code: The postal code.
        effective_on: The first day at the new address.
    """
    changed = db.require(
        f"There is no vehicle {vehicle_id}.",
        "UPDATE vehicles SET garaging_street = %(street)s, garaging_city = %(city)s,"
        " garaging_state = %(state)s, garaging_postal_code = %(postal_code)s WHERE id = %(id)s"
        " RETURNING id, policy_number, garaging_street, garaging_city, garaging_state,"
        " garaging_postal_code",
        id=vehicle_id,
        street=street,
        city=city,
        state=state,
        postal_code=postal_code,
    )
    number = str(changed["policy_number"])
    detail = f"{street}, {postal_code} {city}, {state}"
    return changed | {
        "endorsement": _endorse(
            db, number, "CHG-GARAGING", effective_on, detail, vehicle_id=vehicle_id
        )
    }


@tool(writes=True)
def change_coverage(
    db: Db,
    vehicle_id: str,
    coverage: Coverage,
    effective_on: dt.date,
    deductible: Money | None = None,
    limit_amount: Money | None = None,
    max_days: Annotated[int, Field(ge=1, le=60)] | None = None,
) -> Row:
    """Add a coverage to a vehicle, or change one that it has. Give all that it shall have.

    Args:
        vehicle_id: The vehicle, such as VEH-3104.
        coverage: Which coverage.
        effective_on: The first day on which it stands like this.
        deductible: What the insured pays of each loss; for collision, comprehensive and glass.
        limit_amount: The most that is paid: a day's rent, or one tow.
        max_days: For rental, how many days at most.
    """
    vehicle = _vehicle(db, vehicle_id)
    changed = db.require(
        "The coverage could not be changed.",
        "INSERT INTO coverages (vehicle_id, kind, deductible, limit_amount, max_days,"
        " effective_on) VALUES (%(id)s, %(kind)s, %(deductible)s, %(limit_amount)s, %(max_days)s,"
        " %(effective_on)s) ON CONFLICT (vehicle_id, kind) DO UPDATE SET"
        " deductible = excluded.deductible, limit_amount = excluded.limit_amount,"
        " max_days = excluded.max_days, effective_on = excluded.effective_on, ended_on = NULL"
        " RETURNING vehicle_id, kind, deductible, limit_amount, max_days, effective_on",
        id=vehicle_id,
        kind=coverage,
        deductible=deductible,
        limit_amount=limit_amount,
        max_days=max_days,
        effective_on=effective_on,
    )
    number = str(vehicle["policy_number"])
    return changed | {
        "endorsement": _endorse(
            db, number, "CHG-COVERAGE", effective_on, coverage, vehicle_id=vehicle_id
        )
    }


@tool(writes=True)
def end_coverage(db: Db, vehicle_id: str, coverage: Coverage, ends_on: dt.date) -> Row:
    """Take a coverage off a vehicle.

    Args:
        vehicle_id: The vehicle, such as VEH-3104.
        coverage: Which coverage.
        ends_on: The first day without it.
    """
    vehicle = _vehicle(db, vehicle_id)
    changed = db.require(
        f"{vehicle_id} has no {coverage} coverage that could end.",
        "UPDATE coverages SET ended_on = %(ends_on)s WHERE vehicle_id = %(id)s"
        " AND kind = %(kind)s AND ended_on IS NULL RETURNING vehicle_id, kind, ended_on",
        id=vehicle_id,
        kind=coverage,
        ends_on=ends_on,
    )
    number = str(vehicle["policy_number"])
    return changed | {
        "endorsement": _endorse(
            db, number, "CHG-COVERAGE", ends_on, f"{coverage} ended", vehicle_id=vehicle_id
        )
    }


@tool(writes=True)
def cancel_policy(db: Db, policy_number: str, effective_on: dt.date, reason_code: str) -> Row:
    """End a policy. It refunds nothing by itself.

    Args:
        policy_number: The policy, such as TMA-41207.
        effective_on: The first day without cover.
        reason_code: A CXL code.
    """
    require_code(db, reason_code, "CXL")
    policy = _lock_policy(db, policy_number)
    if policy["status"] not in ("active", "lapsed") or policy["cancelled_on"] is not None:
        raise ToolRefusal(f"{policy_number} is {policy['status']} or cancelled already.")
    changed = db.require(
        f"There is no policy {policy_number}.",
        "UPDATE policies SET cancelled_on = %(day)s, cancel_reason = %(reason)s,"
        " status = CASE WHEN %(day)s <= clock_now()::date THEN 'cancelled' ELSE status END,"
        " lapsed_on = CASE WHEN %(day)s <= clock_now()::date THEN NULL ELSE lapsed_on END,"
        " updated_at = clock_now() WHERE number = %(number)s"
        " RETURNING number, status, cancelled_on, cancel_reason",
        number=policy_number,
        day=effective_on,
        reason=reason_code,
    )
    made = _endorse(db, policy_number, "CHG-CANCELLED", effective_on, reason_code)
    return changed | {"endorsement": made}


@tool(writes=True)
def reinstate_policy(db: Db, policy_number: str, effective_on: dt.date) -> Row:
    """Bring a lapsed policy back into force. It takes no payment.

    Args:
        policy_number: The policy, such as TMA-41207.
        effective_on: The first day of the new cover: the day of the lapse for no gap.
    """
    policy = _lock_policy(db, policy_number)
    if policy["status"] != "lapsed":
        raise ToolRefusal(f"{policy_number} is {policy['status']}; only a lapsed one comes back.")
    if effective_on < policy["lapsed_on"]:
        raise ToolRefusal(f"{policy_number} was in force until {policy['lapsed_on']}.")
    changed = db.require(
        f"There is no policy {policy_number}.",
        "UPDATE policies SET status = 'active', lapsed_on = NULL, updated_at = clock_now()"
        " WHERE number = %(number)s RETURNING number, status",
        number=policy_number,
    )
    made = _endorse(
        db, policy_number, "CHG-REINSTATED", effective_on, f"lapsed on {policy['lapsed_on']}"
    )
    return changed | {"endorsement": made}


def _endorse(
    db: Db,
    policy_number: str,
    code: str,
    effective_on: dt.date,
    detail: str,
    *,
    vehicle_id: str | None = None,
    driver_id: str | None = None,
) -> str:
    """Write a change down and return the endorsement's number."""
    made = db.require(
        "The endorsement could not be written.",
        "INSERT INTO endorsements (policy_number, code, vehicle_id, driver_id, effective_on,"
        " detail) VALUES (%(number)s, %(code)s, %(vehicle_id)s, %(driver_id)s, %(effective_on)s,"
        " %(detail)s) RETURNING id",
        number=policy_number,
        code=code,
        vehicle_id=vehicle_id,
        driver_id=driver_id,
        effective_on=effective_on,
        detail=detail,
    )
    return str(made["id"])


def _lock_policy(db: Db, policy_number: str) -> Row:
    return db.require(
        f"There is no policy {policy_number}.",
        "SELECT status, lapsed_on, cancelled_on FROM policies WHERE number = %(number)s FOR UPDATE",
        number=policy_number,
    )


def _vehicle(db: Db, vehicle_id: str) -> Row:
    return db.require(
        f"There is no vehicle {vehicle_id}.",
        "SELECT policy_number FROM vehicles WHERE id = %(id)s",
        id=vehicle_id,
    )


TOOLS = (
    add_driver,
    set_driver_status,
    change_garaging,
    change_coverage,
    end_coverage,
    cancel_policy,
    reinstate_policy,
)
