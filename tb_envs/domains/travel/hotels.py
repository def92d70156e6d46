"""Hotels, their rooms, and what is free. Reading only."""

import datetime as dt
from typing import Annotated

from pydantic import Field

from tb_envs.domains.travel.pricing import free_rooms
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

_LONGEST_STAY = 30


@tool
def find_hotels(
    db: Db,
    city: str | None = None,
    name: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """Find hotels by city or name; all of them if neither is given.

    Args:
        city: The city.
        name: The hotel's name or a part of it.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, name, city, country, stars, currency, status FROM hotels"
        " WHERE (%(city)s::text IS NULL OR lower(city) = lower(%(city)s))"
        " AND (%(name)s::text IS NULL OR strpos(lower(name), lower(%(name)s)) > 0)"
        " ORDER BY id LIMIT %(limit)s",
        city=city,
        name=name,
        limit=limit,
    )


@tool
def get_hotel(db: Db, hotel_id: str) -> Row:
    """Show a hotel with its room types, from the lowest rank to the highest.

    Args:
        hotel_id: The hotel, such as LIS-CT.
    """
    hotel = _require_hotel(db, hotel_id)
    hotel["room_types"] = db.all(
        "SELECT code, name, rank, max_guests, rack_rate FROM room_types"
        " WHERE hotel_id = %(hotel_id)s ORDER BY rank",
        hotel_id=hotel_id,
    )
    return hotel


@tool
def check_availability(
    db: Db, hotel_id: str, check_in: dt.date, check_out: dt.date, room_type: str | None = None
) -> list[Row]:
    """Show how many rooms of each type are free on each night of a stay.

    A stay is possible only if a room is free on every night of it.

    Args:
        hotel_id: The hotel, such as LIS-CT.
        check_in: The first night.
        check_out: The day of departure; its night is not counted.
        room_type: Only this room type, such as DLX.
    """
    _require_hotel(db, hotel_id)
    nights = (check_out - check_in).days
    if not 0 < nights <= _LONGEST_STAY:
        raise ToolRefusal(f"A stay has 1 to {_LONGEST_STAY} nights; this one has {nights}.")
    rows = free_rooms(
        db, hotel_id=hotel_id, check_in=check_in, check_out=check_out, room_type=room_type
    )
    if not rows:
        raise ToolRefusal(f"The hotel {hotel_id} has no room type {room_type}.")
    found: dict[str, Row] = {}
    for row in rows:
        entry = found.setdefault(
            row["code"], {"room_type": row["code"], "rank": row["rank"], "free_by_night": {}}
        )
        entry["free_by_night"][row["night"].isoformat()] = max(int(row["free"]), 0)
    for entry in found.values():
        entry["free_on_every_night"] = min(entry["free_by_night"].values())
    return list(found.values())


def _require_hotel(db: Db, hotel_id: str) -> Row:
    return db.require(
        f"There is no hotel {hotel_id}.",
        "SELECT id, name, city, country, stars, currency, front_desk_phone, status FROM hotels"
        " WHERE id = %(hotel_id)s",
        hotel_id=hotel_id,
    )


TOOLS = (find_hotels, get_hotel, check_availability)
