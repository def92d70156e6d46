"""PostgreSQL killed, cut off or too slow: a system error each time, and the next episode works.

Each test has a server of its own, which it may break.
"""

import threading
import time
from collections.abc import Callable

import psycopg
import pytest

from tb_envs.database import DatabasePool, EpisodeDatabase, database_boundary, open_pool
from tb_envs.errors import DatabaseFailure
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start
from tests.faults import kill_server

NOW = "2026-04-02T10:30:00+02:00"


@pytest.fixture
def breakable(tiny_domain: Domain, own_server: str) -> DatabasePool:
    """A pool on a server that no other test uses."""
    return open_pool(tiny_domain, database=own_server)


def works(pool: DatabasePool) -> bool:
    """Play a small episode."""
    database = pool.acquire(timeout_s=120)
    database.prepare(Start(), NOW)
    database.agent.execute("UPDATE bookings SET nights = 9 WHERE id = 1")
    right = [
        answer.value for answer in database.run_checks(["SELECT sum(nights) = 13 FROM bookings"])
    ]
    database.close()
    return right == [True]


def call_tool(database: EpisodeDatabase) -> None:
    with database_boundary("calling a tool"):
        database.agent.execute("DELETE FROM notes")


STEPS: dict[str, Callable[[EpisodeDatabase], object]] = {
    "a tool call": call_tool,
    "the start": lambda database: database.prepare(Start(), NOW),
    "the checks": lambda database: database.run_checks(["SELECT true"]),
    "the change log": lambda database: database.net_changes(),
    "a record": lambda database: database.fetch_records("guests", {"id": "G1"}),
    "the digest": lambda database: database.digest(),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_server_killed_before_a_step_is_a_database_failure_and_the_next_episode_works(
    breakable: DatabasePool, database_choice: str, step: str
) -> None:
    database = breakable.acquire(timeout_s=120)
    database.prepare(Start(), NOW)
    kill_server(database, database_choice)
    with pytest.raises(DatabaseFailure):
        STEPS[step](database)
    database.close()
    assert works(breakable)


@pytest.mark.parametrize(
    ("sleeping", "step"),
    [
        ("a tool call", call_tool),
        ("the checks", lambda database: database.run_checks(["SELECT count(*) = 2 FROM notes"])),
    ],
)
def test_a_server_killed_during_a_step_is_a_database_failure(
    breakable: DatabasePool,
    database_choice: str,
    sleeping: str,
    step: Callable[[EpisodeDatabase], object],
) -> None:
    database = breakable.acquire(timeout_s=120)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            step(database)
        except DatabaseFailure as failure:
            failures.append(failure)

    holder = psycopg.connect(database.agent_url)
    holder.execute("LOCK TABLE notes")
    working = threading.Thread(target=work)
    working.start()
    while holder.execute("SELECT FROM pg_locks WHERE NOT granted").rowcount == 0:
        time.sleep(0)
    kill_server(database, database_choice)
    working.join(timeout=60)
    assert len(failures) == 1
    holder.close()
    database.close()
    assert works(breakable)


def test_a_server_killed_while_nobody_looks_is_replaced_at_the_next_episode(
    breakable: DatabasePool, database_choice: str
) -> None:
    database = breakable.acquire(timeout_s=120)
    database.close()
    kill_server(database, database_choice)
    assert works(breakable)


def test_a_cut_session_fails_its_own_episode_only(breakable: DatabasePool) -> None:
    cut, other = (breakable.acquire(timeout_s=120) for _ in range(2))
    cut.owner.execute("SELECT pg_terminate_backend(%s)", (cut.agent.info.backend_pid,))
    with pytest.raises(DatabaseFailure, match="reading the change log"):
        cut.net_changes()
    other.prepare(Start(), NOW)
    assert other.net_changes() == ()
    cut.close()
    other.close()
    assert works(breakable)


def test_a_lock_that_never_comes_is_a_database_failure(tiny_pool: DatabasePool) -> None:
    database = tiny_pool.acquire(timeout_s=60)
    with psycopg.connect(database.agent_url) as outside:
        outside.execute("LOCK TABLE notes")
        database.agent.execute("SET lock_timeout = 50")
        with (
            pytest.raises(DatabaseFailure, match="lock timeout"),
            database_boundary("calling a tool"),
        ):
            database.agent.execute("DELETE FROM notes")
    database.close()


def test_a_refused_statement_is_no_failure_of_the_database(tiny: EpisodeDatabase) -> None:
    with pytest.raises(psycopg.errors.CheckViolation), database_boundary("calling a tool"):
        tiny.agent.execute("UPDATE bookings SET nights = -1")


def test_an_address_where_nobody_answers_is_a_database_failure(tiny_domain: Domain) -> None:
    pool = open_pool(tiny_domain, database="postgresql://postgres:secret@127.0.0.1:1/postgres")
    with pytest.raises(DatabaseFailure, match="connection failed") as caught:
        pool.acquire(timeout_s=5)
    assert "secret" not in str(caught.value)
