"""What the tools' role cannot do. Each attempt is one test."""

import select
import threading
import time

import psycopg
import pytest

from tb_envs.database import DatabasePool, EpisodeDatabase, SessionLimits, open_pool
from tb_envs.errors import SystemFailure
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start

FORBIDDEN = {
    "create a table": "CREATE TABLE mine (id int)",
    "create a temporary table": "CREATE TEMP TABLE mine (id int)",
    "create a schema": "CREATE SCHEMA mine",
    "create a function": "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "create an extension": "CREATE EXTENSION plpgsql SCHEMA public",
    "create a role": "CREATE ROLE mine",
    "create a database": "CREATE DATABASE mine",
    "run code in another language": "DO LANGUAGE plpython3u 'pass'",
    "alter a table": "ALTER TABLE guests ADD COLUMN vip bool",
    "switch the log off": "ALTER TABLE guests DISABLE TRIGGER tb_log",
    "switch triggers off": "SET session_replication_role = replica",
    "drop a table": "DROP TABLE notes",
    "truncate a table": "TRUNCATE notes",
    "comment on a table": "COMMENT ON TABLE notes IS 'x'",
    "alter its default rights": "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC",
    "drop what it was granted": "DROP OWNED BY CURRENT_USER",
    "give rights away": "GRANT SELECT ON guests TO PUBLIC WITH GRANT OPTION",
    "set a sequence": "SELECT setval('ticket_numbers', 1)",
    "move the clock": "UPDATE clock SET now = now()",
    "add a clock": "INSERT INTO clock (now, single) VALUES (now(), true)",
    "read the log": "SELECT * FROM tb.log",
    "write the log": "DELETE FROM tb.log",
    "read the secret": "SELECT * FROM tb.login",
    "read the template's state": "SELECT * FROM tb.state",
    "ask for the log": "SELECT * FROM tb.changes('guess', 0)",
    "start the episode again": "SELECT tb.prepare('guess', '2020-01-01', '[]')",
    "undo the episode": "SELECT tb.recycle('guess')",
    "enrol again": "SELECT tb.enrol('mine')",
    "apply records": "SELECT tb.apply('guests', 'delete', '{\"id\": \"G1\"}', '{}')",
    "call the log's trigger": "SELECT tb.undo_1()",
    "become the owner": "SET ROLE tb_owner",
    "become its group": "SET ROLE tb_agent",
    "become the superuser": "SET SESSION AUTHORIZATION postgres",
    "read a file": "SELECT pg_read_file('/etc/passwd')",
    "list a folder": "SELECT pg_ls_dir('/')",
    "copy from a file": "COPY guests FROM '/etc/passwd'",
    "copy to a file": "COPY guests TO '/tmp/guests'",
    "run a program": "COPY guests FROM PROGRAM 'id'",
    "make a large object": "SELECT lo_create(0)",
    "import a file": "SELECT lo_import('/etc/passwd')",
    "end a session": "SELECT pg_terminate_backend(pg_backend_pid())",
    "cancel a statement": "SELECT pg_cancel_backend(pg_backend_pid())",
    "change the server": "ALTER SYSTEM SET work_mem = '1GB'",
    "reload the server": "SELECT pg_reload_conf()",
    "raise what it may write to disk": "SET temp_file_limit = -1",
    "prepare a transaction": "BEGIN; PREPARE TRANSACTION 'mine'",
    "read passwords": "SELECT rolpassword FROM pg_authid",
    "load a library": "LOAD 'auto_explain'",
    "raise its connections": "ALTER ROLE CURRENT_USER CONNECTION LIMIT -1",
    "make itself a superuser": "ALTER ROLE CURRENT_USER SUPERUSER",
    "raise all roles' limits": "ALTER ROLE ALL SET statement_timeout = 0",
    "alter the database": "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 1000', "
    "current_database()); END $$",
}


@pytest.mark.parametrize("attempt", FORBIDDEN)
def test_the_tools_role_cannot(tiny: EpisodeDatabase, attempt: str) -> None:
    before = tiny.digest()
    with pytest.raises(psycopg.Error) as refused:
        tiny.agent.execute(FORBIDDEN[attempt])
    assert not isinstance(refused.value, psycopg.OperationalError) or refused.value.sqlstate in {
        "55000",  # prepared transactions are switched off
    }
    tiny.agent.rollback()
    assert tiny.digest() == before
    assert tiny.net_changes() == ()


def test_the_tools_role_reads_and_writes_the_domains_tables(tiny: EpisodeDatabase) -> None:
    agent = tiny.agent
    agent.execute("INSERT INTO bookings (guest_id, room, nights) VALUES ('G3', 'suite', 1)")
    agent.execute("UPDATE bookings SET nights = 2 WHERE guest_id = 'G3'")
    agent.execute("DELETE FROM bookings WHERE guest_id = 'G3'")
    assert agent.execute("SELECT nextval('ticket_numbers') AS n").fetchone() == {"n": 500}
    assert agent.execute("SELECT count(*) AS n FROM articles").fetchone() == {"n": 1}


def test_the_agents_address_leads_to_its_own_database_only(tiny_pool: DatabasePool) -> None:
    one, two = (tiny_pool.acquire(timeout_s=60) for _ in range(2))
    with psycopg.connect(one.agent_url) as outside:
        mine = outside.info.dbname
        assert outside.execute("SELECT count(*) FROM guests").fetchone() == (3,)
    found = one.owner.execute("SELECT datname FROM pg_database WHERE datname LIKE 'tb\\_%'")
    names = {"postgres", "template0", "template1", *(row["datname"] for row in found)}
    assert two.agent.info.dbname in names
    for name in names - {mine}:
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(one.agent_url, dbname=name).close()
    one.close()
    two.close()


def test_a_database_whose_address_was_given_away_is_never_used_again(
    tiny_pool: DatabasePool,
) -> None:
    database = tiny_pool.acquire(timeout_s=60)
    outside = psycopg.connect(database.agent_url, autocommit=True)
    database.close()
    with pytest.raises(psycopg.OperationalError):
        outside.execute("SELECT 1")
    outside.close()


@pytest.mark.parametrize(
    "raise_limits",
    [
        "SET statement_timeout = 0",
        "SELECT set_config('statement_timeout', '0', false)",
        "ALTER ROLE CURRENT_USER SET statement_timeout = 0",
    ],
)
def test_a_session_that_lifts_its_own_limit_is_stopped_all_the_same(
    tiny_domain: Domain, database_choice: str, raise_limits: str
) -> None:
    pool = open_pool(tiny_domain, database=database_choice, limits=SessionLimits(statement_s=0.3))
    database = pool.acquire(timeout_s=60)
    database.agent.execute(raise_limits)
    began = time.monotonic()
    with pytest.raises(psycopg.errors.QueryCanceled):
        database.agent.execute("SELECT pg_sleep(60)")
    assert time.monotonic() - began < 20
    database.close()


def test_a_session_that_idles_in_a_transaction_is_ended_all_the_same(
    tiny_domain: Domain, database_choice: str
) -> None:
    pool = open_pool(tiny_domain, database=database_choice, limits=SessionLimits(idle_s=0.2))
    database = pool.acquire(timeout_s=60)
    database.agent.execute("SET idle_in_transaction_session_timeout = 0")
    database.agent.execute("BEGIN")
    database.agent.execute("SELECT 1")
    readable, _, _ = select.select([database.agent.fileno()], [], [], 30)
    assert readable, "the server did not end the session"
    with pytest.raises(psycopg.OperationalError):
        database.agent.execute("SELECT 1")
    database.close()


def test_cutting_an_episode_ends_a_call_that_another_thread_waits_for(
    tiny_pool: DatabasePool,
) -> None:
    database = tiny_pool.acquire(timeout_s=60)
    failures: list[BaseException] = []

    def prepare_behind_a_lock() -> None:
        try:
            database.prepare(Start(delete={"notes": [{"number": 1}]}), "2026-01-01T00:00:00Z")
        except SystemFailure as failure:
            failures.append(failure)

    with psycopg.connect(database.agent_url) as outside:
        outside.execute("LOCK TABLE notes")
        waiting = threading.Thread(target=prepare_behind_a_lock)
        waiting.start()
        while outside.execute("SELECT FROM pg_locks WHERE NOT granted").rowcount == 0:
            pass
        database.cut()
        waiting.join(timeout=30)
    database.close()
    assert len(failures) == 1
    assert "applying the start records" in str(failures[0])
