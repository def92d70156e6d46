"""What can be changed on the way to the door: address, shop, day, notes, cash, and the way back."""

import datetime as dt
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Fee = Annotated[Decimal, Field(ge=0, le=999, decimal_places=2)]
Cash = Annotated[Decimal, Field(ge=0, le=2000, decimal_places=2)]
MOVING = ("announced", "in_transit", "out_for_delivery", "held")


@tool(writes=True)
def correct_address(
    db: Db, shipment_id: str, street: str, postal_code: str, city: str, fee: Fee
) -> Row:
    """Write another delivery address on a shipment, within its country.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        street: Street and house number.
        postal_code: The postal code.
        city: The town.
        fee: What is billed to the shipper for it; 0 for nothing.
    """
    _moving(db, shipment_id)
    changed = db.require(
        "The address could not be changed.",
        "UPDATE shipments SET street = %(street)s, postal_code = %(code)s, city = %(city)s,"
        " address_corrections = address_corrections + 1 WHERE id = %(id)s"
        " RETURNING id, street, postal_code, city, address_corrections",
        id=shipment_id,
        street=street,
        code=postal_code,
        city=city,
    )
    _charge(db, shipment_id, "CHG-ADDRESS", fee)
    return changed


@tool(writes=True)
def redirect_to_shop(db: Db, shipment_id: str, shop_id: str) -> Row:
    """Send a shipment to a parcel shop instead of the door.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        shop_id: The shop, such as PSH-101.
    """
    _moving(db, shipment_id)
    shop = db.require(
        f"There is no parcel shop {shop_id}.",
        "SELECT status FROM shops WHERE id = %(id)s",
        id=shop_id,
    )
    if shop["status"] == "closed":
        raise ToolRefusal(f"{shop_id} is closed; choose an open parcel shop.")
    return db.require(
        "The shipment could not be redirected.",
        "UPDATE shipments SET shop_id = %(shop)s, hold_until = NULL, deliver_on = NULL,"
        " status = CASE status WHEN 'held' THEN 'in_transit' ELSE status END WHERE id = %(id)s"
        " RETURNING id, status, shop_id",
        id=shipment_id,
        shop=shop_id,
    )


@tool(writes=True)
def hold_shipment(db: Db, shipment_id: str, until: dt.date) -> Row:
    """Keep a shipment in the depot; it goes out on the delivery day after that day.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        until: The last day in the depot.
    """
    shipment = _moving(db, shipment_id)
    if until < shipment["today"]:
        raise ToolRefusal(f"{until} has passed; today is {shipment['today']}.")
    return db.require(
        "The shipment could not be held.",
        "UPDATE shipments SET status = 'held', hold_until = %(until)s, deliver_on = NULL"
        " WHERE id = %(id)s RETURNING id, status, hold_until",
        id=shipment_id,
        until=until,
    )


@tool(writes=True)
def schedule_delivery(db: Db, shipment_id: str, deliver_on: dt.date) -> Row:
    """Set the day on which a shipment goes to the door; a shipment that is held is let go.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        deliver_on: The day.
    """
    shipment = _moving(db, shipment_id)
    if deliver_on < shipment["today"]:
        raise ToolRefusal(f"{deliver_on} has passed; today is {shipment['today']}.")
    return db.require(
        "The day could not be set.",
        "UPDATE shipments SET deliver_on = %(day)s, hold_until = NULL,"
        " status = CASE status WHEN 'held' THEN 'in_transit' ELSE status END WHERE id = %(id)s"
        " RETURNING id, status, deliver_on",
        id=shipment_id,
        day=deliver_on,
    )


@tool(writes=True)
def add_driver_note(db: Db, shipment_id: str, note_code: str, detail: str) -> Row:
    """Give the driver a note for a shipment.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        note_code: A NOTE code.
        detail: What the driver reads, such as where or with whom.
    """
    require_code(db, note_code, "NOTE")
    _moving(db, shipment_id)
    return db.require(
        "The note could not be written.",
        "INSERT INTO driver_notes (shipment_id, code, detail)"
        " VALUES (%(id)s, %(code)s, %(detail)s) RETURNING id, shipment_id, code, detail",
        id=shipment_id,
        code=note_code,
        detail=detail,
    )


@tool(writes=True)
def return_shipment(db: Db, shipment_id: str, reason_code: str, fee: Fee) -> Row:
    """Send a shipment back to its shipper. This cannot be undone.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        reason_code: An RTS code.
        fee: What is billed to the shipper for it; 0 for nothing.
    """
    require_code(db, reason_code, "RTS")
    _moving(db, shipment_id)
    sent = db.require(
        "The shipment could not be sent back.",
        "UPDATE shipments SET status = 'returning', return_reason = %(reason)s,"
        " hold_until = NULL, deliver_on = NULL WHERE id = %(id)s"
        " RETURNING id, status, return_reason",
        id=shipment_id,
        reason=reason_code,
    )
    _charge(db, shipment_id, "CHG-RECALL", fee)
    return sent


@tool(writes=True)
def set_cod_amount(db: Db, shipment_id: str, amount: Cash) -> Row:
    """Set the cash that the driver collects at the door; 0 for none.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        amount: The new amount.
    """
    _moving(db, shipment_id)
    return db.require(
        "The amount could not be set.",
        "UPDATE shipments SET cod_amount = %(amount)s WHERE id = %(id)s RETURNING id, cod_amount",
        id=shipment_id,
        amount=amount,
    )


@tool(writes=True)
def stop_shipment(db: Db, shipment_id: str, stop_code: str) -> Row:
    """Take a shipment out of the network at the next scan, for safety.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        stop_code: A STOP code.
    """
    require_code(db, stop_code, "STOP")
    _moving(db, shipment_id)
    return db.require(
        "The shipment could not be stopped.",
        "UPDATE shipments SET status = 'stopped', stop_reason = %(code)s, hold_until = NULL,"
        " deliver_on = NULL WHERE id = %(id)s RETURNING id, status, stop_reason",
        id=shipment_id,
        code=stop_code,
    )


def _moving(db: Db, shipment_id: str) -> Row:
    """Lock a shipment that is on its way; refuse one that has arrived or left the network."""
    shipment = db.require(
        f"There is no shipment {shipment_id}.",
        "SELECT status, clock_now()::date AS today FROM shipments WHERE id = %(id)s FOR UPDATE",
        id=shipment_id,
    )
    if shipment["status"] not in MOVING:
        raise ToolRefusal(
            f"{shipment_id} is {shipment['status']}; only {', '.join(MOVING)} can change."
        )
    return shipment


def _charge(db: Db, shipment_id: str, code: str, fee: Decimal) -> None:
    if fee > 0:
        db.execute(
            "INSERT INTO fees (shipment_id, code, amount) VALUES (%(id)s, %(code)s, %(fee)s)",
            id=shipment_id,
            code=code,
            fee=fee,
        )


TOOLS = (
    correct_address,
    redirect_to_shop,
    hold_shipment,
    schedule_delivery,
    add_driver_note,
    return_shipment,
    set_cod_amount,
    stop_shipment,
)
