"""A database is used again only when nothing of the last episode is left in it."""

import psycopg
import pytest

from tb_envs.database import DatabasePool, EpisodeDatabase
from tb_envs.specs.models import RowUpdate, Start

NOW = "2026-04-02T10:30:00+02:00"

PLANTED = {
    "an inserted row": "INSERT INTO guests (id, name) VALUES ('G7', 'Tmp')",
    "an updated row": "UPDATE guests SET name = 'Eve', balance = 3 WHERE id = 'G1'",
    "a deleted row": "DELETE FROM notes WHERE number = 1",
    "a cascade": "DELETE FROM guests WHERE id IN ('G1', 'G2')",
    "a changed key": "UPDATE notes SET number = 9 WHERE number = 2",
    "swapped keys": "UPDATE notes SET number = CASE number WHEN 1 THEN 2 WHEN 2 THEN 1 END "
    "WHERE false",
    "a row made and changed": "WITH made AS (INSERT INTO guests (id, name) VALUES ('G6', 'a') "
    "RETURNING id) UPDATE guests SET balance = 7 FROM made WHERE guests.id = 'G3'",
    "a sequence": "SELECT nextval('ticket_numbers')",
    "an identity": "INSERT INTO bookings (guest_id, room, nights) VALUES ('G1', 'suite', 1)",
    "a setting": "SET timezone = 'Asia/Tokyo'",
    "a raised limit": "SET statement_timeout = 0",
    "another search path": "SET search_path = pg_catalog",
    "a prepared statement": "PREPARE planted AS SELECT 1",
    "an advisory lock": "SELECT pg_advisory_lock(42)",
    "a listener": "LISTEN planted",
    "a notification to itself": "LISTEN planted; NOTIFY planted, 'hello'",
    "an open transaction": "BEGIN; DELETE FROM notes",
    "a failed transaction": "BEGIN; LOCK TABLE notes",
    "a cursor": "DECLARE planted CURSOR WITH HOLD FOR SELECT * FROM guests",
    "read-only sessions": "SET default_transaction_read_only = on",
    "a setting of its role": "ALTER ROLE CURRENT_USER SET search_path = pg_catalog",
    "a password of its role": "ALTER ROLE CURRENT_USER PASSWORD 'planted'",
    "a random seed": "SELECT setseed(0.5)",
    "a variable of its own": "SET planted.note = 'hello'",
}


def state(database: EpisodeDatabase) -> dict[str, object]:
    """All that an episode could find of the one before it."""
    agent = database.agent
    row = agent.execute(
        """
        SELECT
            (SELECT jsonb_agg(to_jsonb(g) ORDER BY id) FROM public.guests g) AS guests,
            (SELECT jsonb_agg(to_jsonb(b) ORDER BY id) FROM public.bookings b) AS bookings,
            (SELECT jsonb_agg(to_jsonb(n) ORDER BY number) FROM public.notes n) AS notes,
            (SELECT now FROM public.clock) AS clock,
            (SELECT jsonb_agg(name || '=' || setting ORDER BY name) FROM pg_settings
             WHERE source = 'session' OR name IN ('search_path', 'TimeZone')) AS settings,
            (SELECT count(*) FROM pg_prepared_statements WHERE from_sql) AS prepared,
            (SELECT count(*) FROM pg_listening_channels()) AS channels,
            (SELECT count(*) FROM pg_cursors WHERE is_holdable) AS cursors,
            (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
                AS locks,
            (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS temporary,
            (SELECT count(*) FROM pg_class) AS relations,
            (SELECT count(*) FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
             WHERE r.rolname = session_user) AS role_settings,
            nullif(current_setting('planted.note', true), '') AS note,
            current_user = session_user AS itself
        """
    ).fetchone()
    assert row is not None
    row["random"] = agent.execute("SELECT random() AS r").fetchone()
    row["notified"] = list(agent.notifies(timeout=0))
    row["next"] = agent.execute(
        "SELECT nextval('public.ticket_numbers') AS t, nextval('public.bookings_id_seq') AS b"
    ).fetchone()
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        # Each sequence was used just now; another one never was.
        agent.execute("SELECT currval('public.spare_numbers')")
    return row


@pytest.mark.parametrize("planted", PLANTED)
def test_the_next_episode_finds_nothing_of(tiny_pool: DatabasePool, planted: str) -> None:
    first = tiny_pool.acquire(timeout_s=60)
    digest, expected = first.digest(), state(first)
    first.close()
    lent = [tiny_pool.acquire(timeout_s=60) for _ in range(3)]
    for database in lent:
        database.prepare(
            Start(
                insert={"guests": [{"id": "G9", "name": "Zoe"}]},
                update={"guests": [RowUpdate(where={"id": "G2"}, set={"name": "Bo"})]},
                delete={"notes": [{"number": 2}]},
            )
            if "key" not in planted
            else Start(),
            NOW,
        )
        database.agent.execute("SELECT nextval('spare_numbers')")
        for statement in PLANTED[planted].split("; "):
            database.agent.execute(statement)
    for database in lent:
        database.close()
    for _ in range(4):
        database = tiny_pool.acquire(timeout_s=60)
        assert database.digest() == digest
        assert state(database) == expected
        assert database.net_changes() == ()
        database.close()


def test_databases_are_used_again(tiny_pool: DatabasePool) -> None:
    pids: list[int] = []
    while len(pids) == len(set(pids)):
        assert len(pids) < 100
        database = tiny_pool.acquire(timeout_s=60)
        database.agent.execute("UPDATE guests SET name = name || '!'")
        pids.append(database.agent.info.backend_pid)
        database.close()


def test_a_session_keeps_its_plans_from_episode_to_episode(tiny_pool: DatabasePool) -> None:
    """Reset and calls are several times slower on a session that must plan again."""
    planned: dict[int, int] = {}
    again = 0
    while not again:
        database = tiny_pool.acquire(timeout_s=60)
        session = database.agent
        pid = session.info.backend_pid
        row = session.execute("SELECT count(*) AS n FROM pg_prepared_statements").fetchone()
        assert row is not None
        if pid in planned:
            again = row["n"]
            assert again >= planned[pid] > 0
        for _ in range(10):
            session.execute("SELECT name FROM guests WHERE id = %s", ("G1",))
        assert database.run_checks(["SELECT true"])[0].value
        row = session.execute("SELECT count(*) AS n FROM pg_prepared_statements").fetchone()
        assert row is not None
        planned[pid] = row["n"]
        database.close()


def test_a_database_that_differs_in_what_no_log_knows_is_dropped(tiny_pool: DatabasePool) -> None:
    database = tiny_pool.acquire(timeout_s=60)
    digest, name = database.digest(), database.agent.info.dbname
    database.owner.execute("TRUNCATE notes")
    database.close()
    names: set[str] = set()
    for _ in range(6):
        database = tiny_pool.acquire(timeout_s=60)
        names.add(database.agent.info.dbname)
        assert database.digest() == digest
        database.close()
    assert name not in names
