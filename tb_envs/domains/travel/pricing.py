"""What a room costs and whether it is free: the arithmetic that several tools share."""

import datetime as dt
from decimal import Decimal

from tb_envs.tools import Db
from tb_envs.tools.db import Row


def nightly_rate(
    db: Db,
    *,
    hotel_id: str,
    room_type: str,
    rate_plan: str,
    account_id: str | None,
    check_in: dt.date,
) -> Decimal:
    """Price a night: under CORP the account's contract rate, else the plan's share of rack.

    Raises:
        ToolRefusal: there is no such room type or rate plan.
    """
    row = db.require(
        f"The hotel {hotel_id} has no room type {room_type}, or there is no rate plan {rate_plan}.",
        "SELECT coalesce("
        " (SELECT contract.nightly_rate FROM negotiated_rates AS contract"
        "  WHERE contract.account_id = %(account_id)s AND contract.hotel_id = room.hotel_id"
        "  AND contract.room_type = room.code AND plan.code = 'CORP'"
        "  AND %(check_in)s BETWEEN contract.valid_from AND contract.valid_to"
        "  ORDER BY contract.valid_from DESC LIMIT 1),"
        " round(room.rack_rate * plan.percent_of_rack / 100, 2)) AS nightly_rate"
        " FROM room_types AS room, rate_plans AS plan WHERE room.hotel_id = %(hotel_id)s"
        " AND room.code = %(room_type)s AND plan.code = %(rate_plan)s",
        hotel_id=hotel_id,
        room_type=room_type,
        rate_plan=rate_plan,
        account_id=account_id,
        check_in=check_in,
    )
    return row["nightly_rate"]


def free_rooms(
    db: Db,
    *,
    hotel_id: str,
    check_in: dt.date,
    check_out: dt.date,
    room_type: str | None = None,
    except_booking: str | None = None,
    except_group: str | None = None,
) -> list[Row]:
    """Count the free rooms of each type on each night.

    Free is the allotment less single bookings, blocks of groups and rooms that the hotel took
    back. A booking out of a group's block counts with the block, not by itself.

    Returns:
        Rows ``code, rank, night, free``, by rank and night.
    """
    return db.all(
        "SELECT room.code, room.rank, night::date AS night, room.allotment"
        " - (SELECT count(*) FROM bookings AS booking LEFT JOIN group_bookings AS block"
        "    ON block.id = booking.group_id AND block.room_type = booking.room_type"
        "    AND block.status IN ('tentative', 'confirmed')"
        "   WHERE booking.hotel_id = room.hotel_id AND booking.room_type = room.code"
        "   AND booking.status IN ('held', 'confirmed', 'checked_in') AND block.id IS NULL"
        "   AND booking.check_in <= night AND night < booking.check_out"
        "   AND booking.reference IS DISTINCT FROM %(except_booking)s)"
        " - (SELECT coalesce(sum(block.rooms_blocked), 0) FROM group_bookings AS block"
        "   WHERE block.hotel_id = room.hotel_id AND block.room_type = room.code"
        "   AND block.status IN ('tentative', 'confirmed')"
        "   AND block.arrival <= night AND night < block.departure"
        "   AND block.id IS DISTINCT FROM %(except_group)s)"
        " - (SELECT coalesce(sum(stop.rooms), 0) FROM stop_sales AS stop"
        "   WHERE stop.hotel_id = room.hotel_id AND stop.room_type = room.code"
        "   AND night BETWEEN stop.first_night AND stop.last_night) AS free"
        " FROM room_types AS room,"
        " generate_series(%(check_in)s::date, %(check_out)s::date - 1, interval '1 day') AS night"
        " WHERE room.hotel_id = %(hotel_id)s"
        " AND (%(room_type)s::text IS NULL OR room.code = %(room_type)s)"
        " ORDER BY room.rank, night",
        hotel_id=hotel_id,
        room_type=room_type,
        check_in=check_in,
        check_out=check_out,
        except_booking=except_booking,
        except_group=except_group,
    )


def sold_out_nights(rows: list[Row], *, rooms: int = 1) -> list[str]:
    """The nights on which fewer rooms than asked for are free, as ISO dates."""
    return [row["night"].isoformat() for row in rows if row["free"] < rooms]
