"""PostgreSQL killed, cut off or too slow: a system error each time, and the next episode works.

Each test has a server of its own, which it may break.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tb_envs.database import (
    DatabasePool,
    EpisodeDatabase,
    close_pools,
    database_boundary,
    open_pool,
)
from tb_envs.errors import DatabaseFailure
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start

NOW = "2026-04-02T10:30:00+02:00"


@pytest.fixture
def breakable(
    tiny_domain: Domain,
    database_choice: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[DatabasePool]:
    """A pool on a server that no other test uses."""
    close_pools()
    # Not below pytest's own folder, which the server's user may not enter.
    home = Path(tempfile.mkdtemp(prefix="tb-test-"))
    home.chmod(0o755)
    monkeypatch.setenv("TB_RUNTIME_DIR", str(home))
    yield open_pool(tiny_domain, database=database_choice)
    close_pools()
    shutil.rmtree(home, ignore_errors=True)


def kill_server(database: EpisodeDatabase, choice: str) -> None:
    """End the server at once, as if its machine had failed."""
    if choice == "docker":
        _remove_container(database)
    else:
        postmaster = _parent(database.agent.info.backend_pid)
        processes = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
        doomed = [postmaster, *(pid for pid in processes if _parent(pid) == postmaster)]
        for process in doomed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        while any(Path(f"/proc/{process}").exists() for process in doomed):
            os.sched_yield()


def _parent(process: int) -> int:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rsplit(")", 1)[1].split()[1])


def _remove_container(database: EpisodeDatabase) -> None:
    found = subprocess.run(
        ["docker", "ps", "-q", "--filter", "label=thinkingbox.home"],
        capture_output=True,
        text=True,
        check=True,
    )
    for container in found.stdout.split():
        details = subprocess.run(
            ["docker", "inspect", container], capture_output=True, text=True, check=True
        )
        if f'"{database.agent.info.host}"' in details.stdout:
            subprocess.run(["docker", "rm", "-f", container], capture_output=True, check=True)


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
    pool = open_pool(tiny_domain, database="postgresql://postgres@127.0.0.1:1/postgres")
    with pytest.raises(DatabaseFailure, match="connection failed"):
        pool.acquire(timeout_s=5)
