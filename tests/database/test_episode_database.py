"""What an episode's database does for tools, grading and the environment."""

import datetime

import pytest

from tb_envs.database import DatabasePool, EpisodeDatabase
from tb_envs.episode import Change
from tb_envs.errors import SpecError
from tb_envs.specs.models import RowUpdate, Start

NOW = "2026-04-02T10:30:00+02:00"


def booking(**changed: object) -> dict[str, object]:
    """Booking 1 as the seed has it, with some columns changed."""
    row = {"id": 1, "guest_id": "G1", "room": "suite", "nights": 2, "details": {}, "price": 200}
    return {**row, **changed}


def test_the_clock_stands_at_the_start_and_columns_take_it_as_default(
    tiny: EpisodeDatabase,
) -> None:
    tiny.prepare(Start(insert={"guests": [{"id": "G9", "name": "Zoe"}]}), NOW)
    row = tiny.agent.execute("SELECT since, clock_now() AS now FROM guests WHERE id = 'G9'")
    moment = datetime.datetime(2026, 4, 2, 8, 30, tzinfo=datetime.UTC)
    assert row.fetchone() == {"since": moment, "now": moment}


def test_start_records_take_what_yaml_gives(tiny: EpisodeDatabase) -> None:
    start = Start(
        insert={
            "guests": [
                {"id": "G9", "name": "Zoe", "balance": 12.5, "tags": ["vip", "late"]},
                {"id": "G8", "name": "Yan", "since": datetime.date(2026, 1, 2)},
            ],
            "bookings": [
                {"guest_id": "G9", "room": "deluxe", "nights": 4, "details": {"floor": [1, 2]}}
            ],
        },
        update={"bookings": [RowUpdate(where={"guest_id": "G1"}, set={"nights": 5})]},
        delete={"notes": [{"booking_id": 1, "body": None}]},
    )
    tiny.prepare(start, NOW)
    assert tiny.fetch_records("guests", {"id": "G9"}) == [
        {
            "id": "G9",
            "name": "Zoe",
            "balance": 12.5,
            "tags": ["vip", "late"],
            "since": "2026-04-02T08:30:00+00:00",
        }
    ]
    assert tiny.fetch_records("guests", {"id": "G8"})[0]["since"] == "2026-01-02T00:00:00+00:00"
    assert tiny.fetch_records("bookings", {"guest_id": "G9"})[0]["details"] == {"floor": [1, 2]}
    assert tiny.fetch_records("bookings", {"id": 1}) == [booking(nights=5, price=500)]
    assert [note["number"] for note in tiny.fetch_records("notes", {"booking_id": 1})] == [1]


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (
            Start(insert={"guests": [{"id": "G9", "name": "Zoe", "balance": "plenty"}]}),
            "start.insert.guests[0]: guests.balance: invalid input syntax",
        ),
        (
            Start(insert={"guests": [{"id": "G8", "name": "Y"}, {"id": "G1", "name": "Z"}]}),
            "start.insert.guests[1]: guests: duplicate key",
        ),
        (
            Start(insert={"guests": [{"id": "G9"}]}),
            "start.insert.guests[0]: guests.name: null value",
        ),
        (Start(insert={"hosts": [{"id": 1}]}), "start.insert.hosts[0]: there is no table hosts"),
        (
            Start(insert={"guests": [{"id": "G9", "nam": "Zoe"}]}),
            "start.insert.guests[0]: table guests has no column nam",
        ),
        (
            Start(update={"bookings": [RowUpdate(where={"id": 77}, set={"nights": 1})]}),
            'start.update.bookings[0]: no row of bookings matches {"id": 77}',
        ),
        (
            Start(update={"bookings": [RowUpdate(where={"id": 1}, set={"room": "attic"})]}),
            "start.update.bookings[0]: bookings.room: invalid input value for enum",
        ),
        (
            Start(insert={"guests": [{"id": "G9", "name": {1, 2}}]}),
            "got a set; expected text, number",
        ),
    ],
)
def test_a_start_record_that_does_not_fit_is_named_and_nothing_of_it_stays(
    tiny: EpisodeDatabase, start: Start, complaint: str
) -> None:
    before = tiny.digest()
    with pytest.raises(SpecError) as refused:
        tiny.prepare(start, NOW)
    assert complaint in str(refused.value)
    assert tiny.digest() == before


def test_a_now_that_is_no_moment_is_refused(tiny: EpisodeDatabase) -> None:
    with pytest.raises(SpecError, match="now: 'noonish' is no moment"):
        tiny.prepare(Start(), "noonish")


def test_preparing_returns_the_digest_of_what_it_prepared(tiny: EpisodeDatabase) -> None:
    start = Start(
        insert={
            "guests": [{"id": "G9", "name": "Zoe"}],
            "bookings": [{"guest_id": "G1", "room": "suite", "nights": 1}],
        },
        update={"guests": [RowUpdate(where={"id": "G2"}, set={"name": "Bo"})]},
        delete={"notes": [{"number": 2}]},
    )
    seed = tiny.digest()
    assert tiny.prepare(start, NOW) == tiny.digest() != seed


def test_the_digest_is_blind_to_row_order_and_sees_rows_sequences_and_clock(
    tiny_pool: DatabasePool,
) -> None:
    one, two = (tiny_pool.acquire(timeout_s=60) for _ in range(2))
    for database in (one, two):
        database.prepare(Start(), NOW)
    assert one.digest() == two.digest()
    start = one.digest()

    one.agent.execute("DELETE FROM notes WHERE number = 1")
    seen = {start, one.digest()}
    one.agent.execute("INSERT INTO notes (booking_id, number, body) VALUES (1, 1, 'late arrival')")
    assert one.digest() == start
    one.agent.execute("UPDATE notes SET weight = '-0' WHERE number = 1")
    seen.add(one.digest())
    one.agent.execute("UPDATE notes SET weight = 0.0 WHERE number = 1")
    seen.add(one.digest())
    one.agent.execute("SELECT nextval('ticket_numbers')")
    seen.add(one.digest())
    two.prepare(Start(), "2026-04-02T10:30:01+02:00")
    seen.add(two.digest())
    assert len(seen) == 6
    one.close()
    two.close()


def test_changes_are_taken_once_and_only_the_agents(tiny: EpisodeDatabase) -> None:
    tiny.prepare(Start(insert={"guests": [{"id": "G9", "name": "Zoe"}]}), NOW)
    assert tiny.take_changes() == ()
    tiny.agent.execute("UPDATE bookings SET nights = 4 WHERE id = 1")
    assert tiny.take_changes() == (
        Change(
            table="bookings",
            op="update",
            key={"id": 1},
            before=booking(),
            after=booking(nights=4, price=400),
        ),
    )
    tiny.agent.execute("DELETE FROM notes WHERE number = 2")
    (deleted,) = tiny.take_changes()
    assert (deleted.op, deleted.key) == ("delete", {"booking_id": 1, "number": 2})
    assert deleted.after is None
    assert tiny.take_changes() == ()


def test_a_cascade_is_logged_with_what_caused_it(tiny: EpisodeDatabase) -> None:
    tiny.agent.execute("DELETE FROM guests WHERE id = 'G1'")
    assert sorted((change.table, change.op) for change in tiny.take_changes()) == [
        ("bookings", "delete"),
        ("guests", "delete"),
        ("notes", "delete"),
        ("notes", "delete"),
    ]


def test_a_rolled_back_write_is_no_change(tiny: EpisodeDatabase) -> None:
    with tiny.agent.transaction(force_rollback=True):
        tiny.agent.execute("DELETE FROM notes")
    assert tiny.take_changes() == ()
    assert tiny.net_changes() == ()


def test_net_changes_keep_one_change_a_row_from_its_start_to_its_end(
    tiny: EpisodeDatabase,
) -> None:
    tiny.prepare(Start(update={"bookings": [RowUpdate(where={"id": 1}, set={"nights": 7})]}), NOW)
    for statement in (
        "UPDATE bookings SET nights = 8 WHERE id = 1",
        "UPDATE bookings SET nights = 9 WHERE id = 1",
        "INSERT INTO guests (id, name) VALUES ('G7', 'Tmp')",
        "DELETE FROM guests WHERE id = 'G7'",
        "UPDATE guests SET name = 'Bea' WHERE id = 'G2'",
        "UPDATE guests SET name = 'Ben' WHERE id = 'G2'",
        "INSERT INTO notes (booking_id, number, body) VALUES (2, 10, 'a'), (2, 9, 'b')",
        "UPDATE notes SET body = 'c' WHERE number = 10",
        "DELETE FROM notes WHERE number = 1",
    ):
        tiny.agent.execute(statement)
    net = tiny.net_changes()
    assert [(change.table, change.op, change.key) for change in net] == [
        ("bookings", "update", {"id": 1}),
        ("notes", "delete", {"booking_id": 1, "number": 1}),
        ("notes", "insert", {"booking_id": 2, "number": 9}),
        ("notes", "insert", {"booking_id": 2, "number": 10}),
    ]
    assert net[0].before == booking(nights=7, price=700)
    assert net[0].after == booking(nights=9, price=900)
    assert net[3].after == {"booking_id": 2, "number": 10, "body": "c", "weight": 0.1}


def test_a_row_deleted_and_made_again_alike_is_no_net_change(tiny: EpisodeDatabase) -> None:
    tiny.agent.execute("DELETE FROM notes WHERE number = 2")
    tiny.agent.execute("INSERT INTO notes (booking_id, number) VALUES (1, 2)")
    assert tiny.net_changes() == ()


def test_a_change_of_the_key_is_a_delete_and_an_insert(tiny: EpisodeDatabase) -> None:
    tiny.agent.execute("UPDATE notes SET number = 5 WHERE number = 2")
    assert [(change.op, change.key["number"]) for change in tiny.net_changes()] == [
        ("delete", 2),
        ("insert", 5),
    ]


def test_the_sessions_settings_do_not_colour_the_log(tiny: EpisodeDatabase) -> None:
    tiny.agent.execute("UPDATE guests SET balance = 1 WHERE id = 'G1'")
    tiny.agent.execute("SET timezone = 'Asia/Tokyo'")
    tiny.agent.execute("SET extra_float_digits = -15")
    tiny.agent.execute("UPDATE guests SET balance = 0 WHERE id = 'G1'")
    assert tiny.net_changes() == ()


def test_fetch_records_finds_rows_by_equality_and_null(tiny: EpisodeDatabase) -> None:
    assert tiny.fetch_records("bookings", {"guest_id": "G2", "room": "deluxe"}) == [
        {"id": 3, "guest_id": "G2", "room": "deluxe", "nights": 1, "details": {}, "price": 100}
    ]
    assert [row["number"] for row in tiny.fetch_records("notes", {"body": None})] == [2]
    assert tiny.fetch_records("guests", {"id": "G99"}) == []


def test_closing_twice_gives_back_once(tiny_pool: DatabasePool) -> None:
    database = tiny_pool.acquire(timeout_s=60)
    database.close()
    database.close()
    one, two = (tiny_pool.acquire(timeout_s=60) for _ in range(2))
    assert one.agent is not two.agent
    one.close()
    two.close()
