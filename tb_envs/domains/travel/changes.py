"""Changes of a booking. Each is recorded with its reason; none of them moves money."""

import datetime as dt
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.travel.change_parts import (
    find_booking,
    lock_booking,
    quote_dates,
    quote_room,
    record_change,
    require_free,
    set_room,
)
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def quote_room_change(db: Db, booking_reference: str, room_type: str) -> Row:
    """Say what a booking would cost in another room, and whether that room is free.

    Changes nothing. A negative price difference is in the customer's favour.

    Args:
        booking_reference: The booking, such as BKG-4710.
        room_type: The room type to move to, such as DLX.
    """
    return quote_room(db, find_booking(db, booking_reference), room_type)


@tool(writes=True)
def change_booking_room(
    db: Db,
    booking_reference: str,
    room_type: str,
    reason_code: str,
    approval_id: str | None = None,
) -> Row:
    """Move a booking to another room type at that room's price. Payments stay as they are.

    Args:
        booking_reference: The booking, such as BKG-4710.
        room_type: The room type to move to, such as DLX.
        reason_code: A CHG code.
        approval_id: The approval that covers the change, such as APR-2107.
    """
    require_code(db, reason_code, "CHG")
    booking = lock_booking(db, booking_reference)
    quote = quote_room(db, booking, room_type)
    require_free(quote)
    set_room(db, booking_reference, room_type, quote["new_nightly_rate"], quote["new_total"])
    record_change(
        db,
        booking_reference,
        "room",
        (booking["room_type"], room_type),
        reason_code,
        price_difference=quote["price_difference"],
        approval_id=approval_id,
    )
    return quote


@tool(writes=True)
def grant_complimentary_upgrade(
    db: Db, booking_reference: str, room_type: str, reason_code: str
) -> Row:
    """Move a booking to a better room at the price that it has now.

    Args:
        booking_reference: The booking, such as BKG-4710.
        room_type: The better room type, such as JST.
        reason_code: A CHG code.
    """
    require_code(db, reason_code, "CHG")
    booking = lock_booking(db, booking_reference)
    quote = quote_room(db, booking, room_type)
    require_free(quote)
    if quote["new_rank"] <= quote["present_rank"]:
        raise ToolRefusal(f"{room_type} is not a better room than {booking['room_type']}.")
    set_room(db, booking_reference, room_type, booking["nightly_rate"], booking["total_amount"])
    record_change(
        db,
        booking_reference,
        "complimentary_upgrade",
        (booking["room_type"], room_type),
        reason_code,
    )
    return {"booking_reference": booking_reference, "room_type": room_type, "price_difference": 0}


@tool
def quote_date_change(db: Db, booking_reference: str, check_in: dt.date, check_out: dt.date) -> Row:
    """Say what a booking would cost on other dates, and whether its room is free then.

    Changes nothing. A negative price difference is in the customer's favour.

    Args:
        booking_reference: The booking, such as BKG-4710.
        check_in: The new first night.
        check_out: The new day of departure.
    """
    return quote_dates(db, find_booking(db, booking_reference), check_in, check_out)


@tool(writes=True)
def change_booking_dates(
    db: Db,
    booking_reference: str,
    check_in: dt.date,
    check_out: dt.date,
    reason_code: str,
    approval_id: str | None = None,
) -> Row:
    """Move a booking to other dates, at the price of its new arrival day.

    Args:
        booking_reference: The booking, such as BKG-4710.
        check_in: The new first night.
        check_out: The new day of departure.
        reason_code: A CHG code.
        approval_id: The approval that covers the change, such as APR-2107.
    """
    require_code(db, reason_code, "CHG")
    booking = lock_booking(db, booking_reference)
    quote = quote_dates(db, booking, check_in, check_out)
    if full := quote["sold_out_nights"]:
        raise ToolRefusal(f"{booking['room_type']} is not free on {', '.join(full)}.")
    db.execute(
        "UPDATE bookings SET check_in = %(check_in)s, check_out = %(check_out)s,"
        " nightly_rate = %(rate)s, total_amount = %(total)s, updated_at = clock_now()"
        " WHERE reference = %(reference)s",
        reference=booking_reference,
        check_in=check_in,
        check_out=check_out,
        rate=quote["new_nightly_rate"],
        total=quote["new_total"],
    )
    record_change(
        db,
        booking_reference,
        "dates",
        (
            f"{booking['check_in']}/{booking['check_out']}",
            f"{check_in.isoformat()}/{check_out.isoformat()}",
        ),
        reason_code,
        price_difference=quote["price_difference"],
        approval_id=approval_id,
    )
    return quote


@tool(writes=True)
def change_booking_traveller(
    db: Db, booking_reference: str, traveller_id: str, reason_code: str
) -> Row:
    """Put another customer in the place of a booking's traveller.

    Args:
        booking_reference: The booking, such as BKG-4710.
        traveller_id: The customer who will stay, such as CUS-1004.
        reason_code: A CHG code.
    """
    require_code(db, reason_code, "CHG")
    booking = lock_booking(db, booking_reference)
    if booking["traveller_id"] == traveller_id:
        raise ToolRefusal(f"{traveller_id} is the traveller of {booking_reference} already.")
    db.execute(
        "UPDATE bookings SET traveller_id = %(traveller_id)s, updated_at = clock_now()"
        " WHERE reference = %(reference)s",
        reference=booking_reference,
        traveller_id=traveller_id,
    )
    record_change(
        db,
        booking_reference,
        "traveller",
        (booking["traveller_id"], traveller_id),
        reason_code,
    )
    return {"booking_reference": booking_reference, "traveller_id": traveller_id}


@tool(writes=True)
def correct_booking_rate(
    db: Db,
    booking_reference: str,
    nightly_rate: Annotated[Decimal, Field(gt=0, le=99_999, decimal_places=2)],
    reason_code: str,
) -> Row:
    """Set the nightly rate of a booking; room and dates stay. Works after the stay too.

    Args:
        booking_reference: The booking, such as BKG-4710.
        nightly_rate: The right rate, in the booking's currency.
        reason_code: A CHG code.
    """
    require_code(db, reason_code, "CHG")
    booking = find_booking(db, booking_reference)
    if booking["status"] in ("cancelled", "no_show"):
        raise ToolRefusal(f"{booking_reference} is {booking['status']}: it has no rate to correct.")
    rate = nightly_rate.quantize(Decimal("0.01"))
    total = rate * booking["nights"]
    difference = total - booking["total_amount"]
    set_room(db, booking_reference, booking["room_type"], rate, total)
    record_change(
        db,
        booking_reference,
        "rate",
        (str(booking["nightly_rate"]), str(rate)),
        reason_code,
        price_difference=difference,
    )
    return {
        "booking_reference": booking_reference,
        "nightly_rate": rate,
        "new_total": total,
        "price_difference": difference,
    }


@tool(writes=True)
def cancel_booking(db: Db, booking_reference: str, reason_code: str) -> Row:
    """Cancel a booking. It refunds nothing by itself.

    Args:
        booking_reference: The booking, such as BKG-4710.
        reason_code: A CHG code.
    """
    require_code(db, reason_code, "CHG")
    booking = lock_booking(db, booking_reference)
    db.execute(
        "UPDATE bookings SET status = 'cancelled', updated_at = clock_now()"
        " WHERE reference = %(reference)s",
        reference=booking_reference,
    )
    record_change(
        db,
        booking_reference,
        "cancellation",
        (booking["status"], "cancelled"),
        reason_code,
    )
    return {"booking_reference": booking_reference, "status": "cancelled"}


TOOLS = (
    quote_room_change,
    quote_date_change,
    change_booking_room,
    grant_complimentary_upgrade,
    change_booking_dates,
    change_booking_traveller,
    correct_booking_rate,
    cancel_booking,
)
