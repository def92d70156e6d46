import re

from tb_envs.specs import load_domain
from tb_envs.specs.catalog import all_tasks
from tb_envs.tools import load_toolset
from tests.domains.conftest import Desk

TRAVEL = load_domain("travel")


def test_the_world_has_the_size_of_a_small_company(desk: Desk) -> None:
    names = [
        row["relname"]
        for row in desk.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = [desk.value(f"SELECT count(*) FROM {name}") for name in names]
    assert 12 <= len(names) <= 22
    assert min(counts) > 0
    assert 300 <= sum(counts) <= 800


def test_every_status_of_bookings_payments_and_tickets_occurs(desk: Desk) -> None:
    for table, kind in (
        ("bookings", "booking_status"),
        ("payments", "payment_status"),
        ("tickets", "ticket_status"),
        ("approval_requests", "approval_status"),
        ("refunds", "refund_status"),
        ("group_bookings", "group_status"),
    ):
        missing = desk.rows(
            f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
            f" WHERE value NOT IN (SELECT status FROM {table})"
        )
        assert missing == [], table


def test_namesakes_are_meant_and_nothing_else_of_two_persons_is_equal(desk: Desk) -> None:
    twins = desk.rows(
        "SELECT full_name FROM customers GROUP BY full_name HAVING count(*) > 1 ORDER BY 1"
    )
    assert [row["full_name"] for row in twins] == ["Anna Lindqvist"]
    for column in ("email", "phone", "date_of_birth"):
        same = desk.value(f"SELECT count(*) - count(DISTINCT {column}) FROM customers")
        assert same == 0, column


def test_no_room_is_sold_twice(desk: Desk) -> None:
    for hotel in desk.rows("SELECT id FROM hotels"):
        for month in range(1, 12):
            for row in desk.call(
                "check_availability",
                hotel_id=hotel["id"],
                check_in=f"2026-{month:02d}-01",
                check_out=f"2026-{month:02d}-28",
            ):
                assert row["free_on_every_night"] >= 0


def test_status_and_dates_of_bookings_agree_but_for_the_stay_that_began_yesterday(
    desk: Desk,
) -> None:
    odd = desk.rows(
        "SELECT reference FROM bookings, clock"
        " WHERE (status IN ('held', 'confirmed') AND check_in < now::date)"
        " OR (status = 'checked_in' AND (check_in > now::date OR check_out <= now::date))"
        " OR (status IN ('checked_out', 'no_show') AND check_in >= now::date)"
        " OR created_at > now ORDER BY 1"
    )
    assert [row["reference"] for row in odd] == ["BKG-4872"]


def test_bookings_cost_what_the_tools_would_quote(desk: Desk) -> None:
    wrong = desk.rows(
        "SELECT booking.reference FROM bookings AS booking"
        " JOIN room_types AS room ON room.hotel_id = booking.hotel_id"
        "  AND room.code = booking.room_type"
        " JOIN rate_plans AS plan ON plan.code = booking.rate_plan"
        " LEFT JOIN negotiated_rates AS contract ON contract.account_id = booking.account_id"
        "  AND contract.hotel_id = booking.hotel_id AND contract.room_type = booking.room_type"
        "  AND booking.check_in BETWEEN contract.valid_from AND contract.valid_to"
        " WHERE booking.group_id IS NULL AND booking.nightly_rate <> coalesce("
        "  contract.nightly_rate, round(room.rack_rate * plan.percent_of_rack / 100, 2)) ORDER BY 1"
    )
    assert [row["reference"] for row in wrong] == ["BKG-4915"]  # the complimentary upgrade


def test_every_active_member_has_an_address_of_the_company(desk: Desk) -> None:
    # Anna Lindqvist works for Nordlys and writes from a private address, as she always did.
    odd = desk.rows(
        "SELECT full_name FROM account_members JOIN customers ON customers.id = customer_id"
        " JOIN corporate_accounts AS account ON account.id = account_id"
        " WHERE active AND split_part(email, '@', 2) <> split_part(billing_email, '@', 2)"
    )
    assert [row["full_name"] for row in odd] == ["Anna Lindqvist"]


def test_the_toolset_has_reading_and_writing_tools_and_says_what_they_do() -> None:
    tools = load_toolset(TRAVEL.toolsets)
    assert len(tools) >= 25
    assert {tool.writes for tool in tools} == {True, False}
    for tool in tools:
        for name, field in tool.input_schema["properties"].items():
            assert field["description"], f"{tool.name}({name})"


def test_tool_examples_do_not_give_away_a_tasks_records() -> None:
    texts = " ".join(
        f"{tool.description} {tool.input_schema}" for tool in load_toolset(TRAVEL.toolsets)
    )
    shown = set(re.findall(r"\b(?:BKG|APR|TCK)-\d+", texts))
    for task in all_tasks(domain="travel"):
        used = str([step.with_ for step in task.variant.oracle])
        assert not any(reference in used for reference in shown), task.id
