"""Bookings as they stand, and what happened to them. Reading only."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

BookingStatus = Literal["held", "confirmed", "checked_in", "checked_out", "cancelled", "no_show"]


@tool
def find_bookings(
    db: Db,
    traveller_id: str | None = None,
    booked_by: str | None = None,
    account_id: str | None = None,
    hotel_id: str | None = None,
    group_id: str | None = None,
    status: BookingStatus | None = None,
    check_in_from: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List bookings, the latest arrival first. All criteria that are given must match.

    Args:
        traveller_id: The customer who stays, such as CUS-1004.
        booked_by: The customer who made the booking.
        account_id: The company's account, such as ACC-104.
        hotel_id: The hotel, such as LIS-CT.
        group_id: The group block, such as GRP-301.
        status: Only bookings in this status.
        check_in_from: Only arrivals on this day or later.
        limit: How many to return at most.
    """
    if not any((traveller_id, booked_by, account_id, hotel_id, group_id)):
        raise ToolRefusal(
            "Give at least one of traveller_id, booked_by, account_id, hotel_id and group_id."
        )
    return db.all(
        "SELECT reference, traveller_id, account_id, purpose, hotel_id, room_type, status,"
        " check_in, check_out, total_amount, currency FROM bookings"
        " WHERE (%(traveller_id)s::text IS NULL OR traveller_id = %(traveller_id)s)"
        " AND (%(booked_by)s::text IS NULL OR booked_by = %(booked_by)s)"
        " AND (%(account_id)s::text IS NULL OR account_id = %(account_id)s)"
        " AND (%(hotel_id)s::text IS NULL OR hotel_id = %(hotel_id)s)"
        " AND (%(group_id)s::text IS NULL OR group_id = %(group_id)s)"
        " AND (%(status)s::text IS NULL OR status = %(status)s::booking_status)"
        " AND (%(check_in_from)s::date IS NULL OR check_in >= %(check_in_from)s)"
        " ORDER BY check_in DESC, reference LIMIT %(limit)s",
        traveller_id=traveller_id,
        booked_by=booked_by,
        account_id=account_id,
        hotel_id=hotel_id,
        group_id=group_id,
        status=status,
        check_in_from=check_in_from,
        limit=limit,
    )


@tool
def get_booking(db: Db, booking_reference: str) -> Row:
    """Show one booking with its hotel, traveller and booker, and today's date and time.

    Args:
        booking_reference: The booking, such as BKG-4710.
    """
    return db.require(
        f"There is no booking {booking_reference}.",
        "SELECT booking.reference, booking.traveller_id, traveller.full_name AS traveller_name,"
        " booking.booked_by, booker.full_name AS booker_name, booking.account_id, booking.purpose,"
        " booking.hotel_id, hotel.name AS hotel_name, booking.room_type, booking.rate_plan,"
        " plan.is_refundable, booking.group_id, booking.status, booking.check_in,"
        " booking.check_out, booking.check_out - booking.check_in AS nights, booking.guests,"
        " booking.nightly_rate, booking.total_amount, booking.currency, booking.created_at,"
        " clock_now() AS now"
        " FROM bookings AS booking"
        " JOIN customers AS traveller ON traveller.id = booking.traveller_id"
        " JOIN customers AS booker ON booker.id = booking.booked_by"
        " JOIN hotels AS hotel ON hotel.id = booking.hotel_id"
        " JOIN rate_plans AS plan ON plan.code = booking.rate_plan"
        " WHERE booking.reference = %(reference)s",
        reference=booking_reference,
    )


@tool
def get_booking_history(db: Db, booking_reference: str) -> list[Row]:
    """List the changes of a booking, the oldest first, with the approvals that they used.

    Args:
        booking_reference: The booking, such as BKG-4710.
    """
    get_booking.function(db, booking_reference)
    return db.all(
        "SELECT kind, from_value, to_value, price_difference, reason_code, approval_id, changed_at"
        " FROM booking_changes WHERE booking_reference = %(reference)s ORDER BY changed_at, id",
        reference=booking_reference,
    )


TOOLS = (find_bookings, get_booking, get_booking_history)
