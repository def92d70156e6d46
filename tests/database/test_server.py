"""Servers of every kind: full ones, a user's own, and one for each episode."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tb_envs.database import DatabasePool, EpisodeDatabase, close_pools, open_pool
from tb_envs.database.choice import start_server
from tb_envs.database.server import SETTINGS, DictConnection, Server
from tb_envs.errors import DatabaseFailure, UsageError
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start

NOW = "2026-04-02T10:30:00+02:00"


@pytest.fixture
def server(own_server: str) -> Iterator[Server]:
    """A server of this test's own, as its superuser sees it."""
    running = start_server(own_server)
    yield running
    running.release()


def test_a_full_server_is_told_from_one_that_is_gone(server: Server) -> None:
    with server.admin() as admin:
        admin.execute(b"CREATE ROLE tb_test_full LOGIN PASSWORD 'x' CONNECTION LIMIT 0")
    with pytest.raises(psycopg.errors.TooManyConnections, match="too many connections"):
        server.connect(server.maintenance, user="tb_test_full", password="x")


def test_an_episode_waits_while_the_server_is_full(
    own_server: str, server: Server, tiny_domain: Domain
) -> None:
    """Whoever comes late gets a database as soon as one comes back, and an error in time if not."""
    pool = open_pool(tiny_domain, database=own_server)
    first = pool.acquire(timeout_s=60)
    strangers = fill(server)
    try:
        lent = [first, *drain(pool)]
        with pytest.raises(DatabaseFailure, match=f"{len(lent)} are in use, and the server"):
            pool.acquire(timeout_s=1)
        threading.Timer(0.5, first.close).start()
        late = pool.acquire(timeout_s=60)
        assert late.agent.execute("SELECT count(*) AS n FROM guests").fetchone() == {"n": 3}
    finally:
        for connection in strangers:
            connection.close()


def test_databases_that_lie_idle_make_room_for_another_domains(
    own_server: str, tiny_domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SETTINGS, "max_connections", "20")
    pool = open_pool(tiny_domain, database=own_server)
    for database in [pool.acquire(timeout_s=60) for _ in range(10)]:
        database.close()
    other = open_pool(replace(tiny_domain, hash="0b" * 32), database=own_server)
    lent = [other.acquire(timeout_s=30) for _ in range(10)]
    count = "SELECT count(*) AS n FROM guests"
    assert all(one.agent.execute(count).fetchone() == {"n": 3} for one in lent)


def fill(server: Server) -> list[DictConnection]:
    """Take every connection that the server has."""
    taken: list[DictConnection] = []
    while True:
        try:
            taken.append(server.admin())
        except psycopg.errors.TooManyConnections:
            return taken


def drain(pool: DatabasePool) -> Iterator[EpisodeDatabase]:
    """Borrow what the pool has ready."""
    while True:
        try:
            yield pool.acquire(timeout_s=0)
        except DatabaseFailure:
            return


def test_a_server_of_the_users_own(own_server: str, server: Server, tiny_domain: Domain) -> None:
    """Named by an address, it is used like ours, and nothing of us stays on it."""
    address = server.url(server.maintenance, server.user, server.password, "")
    before = names(server)
    pool = open_pool(tiny_domain, database=address)
    database = pool.acquire(timeout_s=60)
    database.prepare(Start(), NOW)
    database.agent.execute("UPDATE bookings SET nights = 9 WHERE id = 1")
    assert [(change.table, change.op) for change in database.net_changes()] == [
        ("bookings", "update")
    ]
    database.close()
    again = pool.acquire(timeout_s=60)
    assert again.net_changes() == ()
    close_pools()
    assert names(server) == before


def names(server: Server) -> set[str]:
    """The databases and logins on a server; the three roles that everyone shares stay."""
    with server.admin() as admin:
        rows = admin.execute(
            "SELECT datname AS name FROM pg_database "
            "UNION ALL SELECT rolname FROM pg_roles WHERE rolcanlogin"
        ).fetchall()
    return {row["name"] for row in rows}


def test_a_login_that_is_no_superusers_is_refused(server: Server, tiny_domain: Domain) -> None:
    with server.admin() as admin:
        admin.execute(b"CREATE ROLE tb_test_plain LOGIN PASSWORD 'x'")
        admin.execute(
            sql.SQL("GRANT CONNECT ON DATABASE {} TO tb_test_plain").format(
                sql.Identifier(server.maintenance)
            )
        )
    address = server.url(server.maintenance, "tb_test_plain", "x", "")
    with pytest.raises(UsageError, match="'tb_test_plain' is not a superuser"):
        open_pool(tiny_domain, database=address).acquire(timeout_s=60)


@pytest.mark.slow
def test_a_server_of_its_own_for_each_episode(own_server: str, tiny_domain: Domain) -> None:
    pool = open_pool(tiny_domain, database=own_server, isolation="container")
    one, two = (pool.acquire(timeout_s=120) for _ in range(2))
    addresses = {
        (lent.agent.info.host, lent.agent.info.port, lent.agent.info.backend_pid)
        for lent in (one, two)
    }
    assert len(addresses) == 2
    one.prepare(Start(), NOW)
    one.agent.execute("DELETE FROM notes")
    two.prepare(Start(), NOW)
    assert two.agent.execute("SELECT count(*) AS n FROM notes").fetchone() == {"n": 2}
    gone = psycopg.connect(one.agent_url)
    one.close()
    with pytest.raises(psycopg.OperationalError):
        gone.execute("SELECT 1")
    two.close()


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("postgresql://me:secret@[half", 'matching "]" in IPv6 host address'),
        ("postgresql://me:secret@host/db?sslmood=on", "invalid URI query parameter"),
        ("postgresql://me:secret@host:54e2/db", "got the port '54e2'"),
        ("postgresql://me:secret@one:5432,two:5433/db", "got the port '5432,5433'"),
    ],
)
def test_a_faulty_address_is_refused_without_its_password(
    tiny_domain: Domain, address: str, problem: str
) -> None:
    with pytest.raises(UsageError, match="expected postgresql://user:password@host") as caught:
        open_pool(tiny_domain, database=address).acquire(timeout_s=5)
    assert problem in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_folder_that_cannot_be_had_is_a_database_failure(
    tiny_domain: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close_pools()
    (tmp_path / "file").touch()
    monkeypatch.setenv("TB_RUNTIME_DIR", str(tmp_path / "file"))
    with pytest.raises(DatabaseFailure, match=r"starting embedded: .* Not a directory"):
        open_pool(tiny_domain, database="embedded").acquire(timeout_s=5)


def test_a_user_cannot_ask_for_containers_on_a_server_of_their_own(tiny_domain: Domain) -> None:
    with pytest.raises(UsageError, match="isolation='container' starts a server"):
        open_pool(tiny_domain, database="postgresql://x@localhost/y", isolation="container")
