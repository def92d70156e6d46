"""Group blocks: rooms that are kept for a group until its release date."""

from typing import Annotated

from pydantic import Field

from tb_envs.domains.travel.pricing import free_rooms, sold_out_nights
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def find_groups(
    db: Db,
    name: str | None = None,
    organiser_id: str | None = None,
    account_id: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List group blocks, the latest arrival first. All criteria that are given must match.

    Args:
        name: The group's name or a part of it.
        organiser_id: The customer who organises it, such as CUS-1004.
        account_id: The company's account, such as ACC-104.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, name, account_id, organiser_id, hotel_id, room_type, arrival, departure, status"
        " FROM group_bookings"
        " WHERE (%(name)s::text IS NULL OR strpos(lower(name), lower(%(name)s)) > 0)"
        " AND (%(organiser_id)s::text IS NULL OR organiser_id = %(organiser_id)s)"
        " AND (%(account_id)s::text IS NULL OR account_id = %(account_id)s)"
        " ORDER BY arrival DESC, id LIMIT %(limit)s",
        name=name,
        organiser_id=organiser_id,
        account_id=account_id,
        limit=limit,
    )


@tool
def get_group(db: Db, group_id: str) -> Row:
    """Show a group block, how many of its rooms are drawn, and today's date and time.

    Args:
        group_id: The group, such as GRP-301.
    """
    return db.require(
        f"There is no group {group_id}.",
        "SELECT id, name, account_id, organiser_id, hotel_id, room_type, rooms_blocked,"
        " (SELECT count(*) FROM bookings WHERE group_id = block.id"
        "  AND bookings.status IN ('held', 'confirmed', 'checked_in')) AS rooms_drawn,"
        " arrival, departure, departure - arrival AS nights, release_on, nightly_rate,"
        " block.status, clock_now() AS now FROM group_bookings AS block WHERE id = %(group_id)s",
        group_id=group_id,
    )


@tool(writes=True)
def resize_group_block(db: Db, group_id: str, rooms: Annotated[int, Field(ge=0, le=200)]) -> Row:
    """Set how many rooms a group's block has.

    Args:
        group_id: The group, such as GRP-301.
        rooms: The new number of rooms in all.
    """
    group: Row = get_group.function(db, group_id)
    if group["status"] not in ("tentative", "confirmed"):
        raise ToolRefusal(f"{group_id} is {group['status']} and cannot change.")
    if rooms < group["rooms_drawn"]:
        raise ToolRefusal(f"{group['rooms_drawn']} rooms of {group_id} are drawn already.")
    free = free_rooms(
        db,
        hotel_id=group["hotel_id"],
        room_type=group["room_type"],
        check_in=group["arrival"],
        check_out=group["departure"],
        except_group=group_id,
    )
    full = sold_out_nights(free, rooms=rooms)
    if rooms > group["rooms_blocked"] and full:
        raise ToolRefusal(f"There are not {rooms} rooms free on {', '.join(full)}.")
    db.execute(
        "UPDATE group_bookings SET rooms_blocked = %(rooms)s, updated_at = clock_now()"
        " WHERE id = %(group_id)s",
        group_id=group_id,
        rooms=rooms,
    )
    return {"group_id": group_id, "rooms_before": group["rooms_blocked"], "rooms_blocked": rooms}


TOOLS = (find_groups, get_group, resize_group_block)
