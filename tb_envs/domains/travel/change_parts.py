"""The parts of which a change of a booking is made: read it, price it, write it, record it."""

import datetime as dt
from decimal import Decimal

from tb_envs.domains.travel.pricing import free_rooms, nightly_rate, sold_out_nights
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db
from tb_envs.tools.db import Row


def find_booking(db: Db, reference: str) -> Row:
    """Read a booking in any status.

    Raises:
        ToolRefusal: there is none.
    """
    return db.require(
        f"There is no booking {reference}.",
        "SELECT *, check_out - check_in AS nights FROM bookings WHERE reference = %(reference)s",
        reference=reference,
    )


def lock_booking(db: Db, reference: str) -> Row:
    """Read a booking that can still change, and keep others from changing it meanwhile.

    Raises:
        ToolRefusal: there is none, it ended, or it was cancelled.
    """
    booking = db.require(
        f"There is no booking {reference}.",
        "SELECT *, check_out - check_in AS nights, check_out <= clock_now()::date AS is_over"
        " FROM bookings WHERE reference = %(reference)s FOR UPDATE",
        reference=reference,
    )
    if booking["status"] in ("cancelled", "checked_out", "no_show") or booking["is_over"]:
        state = "over" if booking["is_over"] else booking["status"]
        raise ToolRefusal(f"{reference} is {state} and cannot change.")
    return booking


def quote_room(db: Db, booking: Row, room_type: str) -> Row:
    """Price a booking in another room, and look on which nights that room is full.

    Raises:
        ToolRefusal: the hotel has no such room, it is too small, or it is the present one.
    """
    ranks = db.require(
        f"The hotel {booking['hotel_id']} has no room type {room_type}.",
        "SELECT wanted.rank AS new_rank, wanted.max_guests, present.rank AS present_rank"
        " FROM room_types AS wanted JOIN room_types AS present USING (hotel_id)"
        " WHERE hotel_id = %(hotel_id)s AND wanted.code = %(wanted)s"
        " AND present.code = %(present)s",
        hotel_id=booking["hotel_id"],
        wanted=room_type,
        present=booking["room_type"],
    )
    if room_type == booking["room_type"]:
        raise ToolRefusal(f"{booking['reference']} is booked as {room_type} already.")
    if booking["guests"] > ranks["max_guests"]:
        raise ToolRefusal(
            f"{room_type} takes {ranks['max_guests']} guests; the booking has {booking['guests']}."
        )
    free = free_rooms(
        db,
        hotel_id=booking["hotel_id"],
        room_type=room_type,
        check_in=booking["check_in"],
        check_out=booking["check_out"],
    )
    rate = rate_of(db, booking, room_type, booking["check_in"])
    total = rate * booking["nights"]
    return {
        "booking_reference": booking["reference"],
        "present_room_type": booking["room_type"],
        "present_rank": ranks["present_rank"],
        "present_nightly_rate": booking["nightly_rate"],
        "present_total": booking["total_amount"],
        "new_room_type": room_type,
        "new_rank": ranks["new_rank"],
        "new_nightly_rate": rate,
        "new_total": total,
        "nights": booking["nights"],
        "price_difference": total - booking["total_amount"],
        "currency": booking["currency"],
        "sold_out_nights": sold_out_nights(free),
    }


def quote_dates(db: Db, booking: Row, check_in: dt.date, check_out: dt.date) -> Row:
    """Price a booking on other dates, and look on which of their nights its room is full.

    Raises:
        ToolRefusal: the dates are no stay or lie in the past.
    """
    require_stay(db, check_in, check_out)
    free = free_rooms(
        db,
        hotel_id=booking["hotel_id"],
        room_type=booking["room_type"],
        check_in=check_in,
        check_out=check_out,
        except_booking=booking["reference"],
    )
    rate = rate_of(db, booking, booking["room_type"], check_in)
    total = rate * (check_out - check_in).days
    return {
        "booking_reference": booking["reference"],
        "check_in": check_in,
        "check_out": check_out,
        "present_total": booking["total_amount"],
        "new_nightly_rate": rate,
        "new_total": total,
        "price_difference": total - booking["total_amount"],
        "currency": booking["currency"],
        "sold_out_nights": sold_out_nights(free),
    }


def rate_of(db: Db, booking: Row, room_type: str, check_in: dt.date) -> Decimal:
    """Price a night of a booking in some room, under the booking's own plan and account."""
    return nightly_rate(
        db,
        hotel_id=booking["hotel_id"],
        room_type=room_type,
        rate_plan=booking["rate_plan"],
        account_id=booking["account_id"],
        check_in=check_in,
    )


def require_free(quote: Row) -> None:
    """Refuse a quote whose room is full on some night."""
    if quote["sold_out_nights"]:
        nights = ", ".join(quote["sold_out_nights"])
        raise ToolRefusal(f"{quote['new_room_type']} is not free on {nights}.")


def require_stay(db: Db, check_in: dt.date, check_out: dt.date) -> None:
    """Refuse dates that are no stay or lie in the past."""
    if check_out <= check_in:
        raise ToolRefusal("The day of departure must be after the first night.")
    today = db.one("SELECT clock_now()::date AS today")
    if today is not None and check_in < today["today"]:
        raise ToolRefusal(f"The first night must not lie before {today['today']}.")


def set_room(db: Db, reference: str, room_type: str, rate: Decimal, total: Decimal) -> None:
    """Write a booking's room type and price."""
    db.execute(
        "UPDATE bookings SET room_type = %(room_type)s, nightly_rate = %(rate)s,"
        " total_amount = %(total)s, updated_at = clock_now() WHERE reference = %(reference)s",
        reference=reference,
        room_type=room_type,
        rate=rate,
        total=total,
    )


def record_change(
    db: Db,
    reference: str,
    kind: str,
    values: tuple[str, str],
    reason_code: str,
    *,
    price_difference: Decimal = Decimal(0),
    approval_id: str | None = None,
) -> None:
    """Write the history row of a change; ``values`` are before and after."""
    db.execute(
        "INSERT INTO booking_changes (booking_reference, kind, from_value, to_value,"
        " price_difference, reason_code, approval_id) VALUES (%(reference)s, %(kind)s,"
        " %(before)s, %(after)s, %(difference)s, %(reason_code)s, %(approval_id)s)",
        reference=reference,
        kind=kind,
        before=values[0],
        after=values[1],
        difference=price_difference,
        reason_code=reason_code,
        approval_id=approval_id,
    )
