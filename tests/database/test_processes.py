"""Several processes on one server: sharing it, dying on it, cleaning up after each other."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tb_envs.database import DatabasePool, EpisodeDatabase, open_pool
from tb_envs.database.choice import start_server
from tb_envs.database.home import Home
from tb_envs.database.server import Server
from tb_envs.database.tenant import SHUT_DOORS, Tenant
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start

CHILD = """
import sys
from tb_envs.database import open_pool
from tb_envs.specs.domain import Domain

domain = Domain(
    name="child", title="Child", hash=sys.argv[2],
    schema_sql=("CREATE TABLE t (id int PRIMARY KEY);",),
    seed_sql="INSERT INTO t VALUES (1);", articles=(), now="2026-03-01T09:00:00+00:00",
    free_columns=frozenset(), toolsets=(), policy="",
)
database = open_pool(domain, database=sys.argv[1]).acquire(timeout_s=120)
print(database.agent.info.dbname, flush=True)
if sys.argv[3] == "wait":
    sys.stdin.read()
database.close()
"""


@pytest.fixture
def server(database_choice: str) -> Iterator[Server]:
    """The shared server, as its superuser sees it."""
    server = start_server(database_choice)
    yield server
    server.release()


def ours(server: Server) -> set[str]:
    """The databases and roles of all processes on a server."""
    with server.admin() as admin:
        names = admin.execute(
            "SELECT datname AS name FROM pg_database WHERE datname ~ '^tb_ep_' "
            "UNION SELECT rolname FROM pg_roles WHERE rolname ~ '^tb_[ao]_'"
        )
        return {row["name"] for row in names}


def start_child(choice: str, mode: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), choice, "ab" * 32, mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def first_line(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def end(child: "subprocess.Popen[str]") -> None:
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_a_process_that_ends_leaves_nothing(database_choice: str, server: Server) -> None:
    child = start_child(database_choice, "go")
    name = first_line(child)
    end(child)
    key = name.split("_")[2]
    assert not {left for left in ours(server) if key in left}
    with server.admin() as admin:
        left = admin.execute("SELECT FROM pg_database WHERE datname LIKE 'tb_template_child%'")
        assert left.rowcount == 0


def test_the_next_process_drops_what_a_killed_one_left_and_only_that(
    database_choice: str, server: Server, tiny: EpisodeDatabase
) -> None:
    living, doomed = (start_child(database_choice, "wait") for _ in range(2))
    kept, lost = first_line(living), first_line(doomed)
    doomed.send_signal(signal.SIGKILL)
    doomed.communicate(timeout=60)
    assert lost in ours(server)

    end(start_child(database_choice, "go"))
    left = ours(server)
    key = lost.split("_")[2]
    assert not {name for name in left if key in name}
    assert kept in left
    assert tiny.agent.info.dbname in left
    assert tiny.agent.execute("SELECT count(*) AS n FROM guests").fetchone() == {"n": 3}
    end(living)


def test_processes_that_start_at_once_share_one_server_and_one_template(
    database_choice: str, server: Server
) -> None:
    children = [start_child(database_choice, "wait") for _ in range(4)]
    names = {first_line(child) for child in children}
    assert len(names) == 4
    assert names <= ours(server)
    with server.admin() as admin:
        built = admin.execute("SELECT FROM pg_database WHERE datname LIKE 'tb_template_child%'")
        assert built.rowcount == 1
    for child in children:
        end(child)


def test_processes_that_begin_on_a_server_at_once_wait_for_each_other(
    database_choice: str, server: Server
) -> None:
    with server.admin() as first, ThreadPoolExecutor(1) as thread:
        first.execute("BEGIN")
        first.execute(SHUT_DOORS)
        second = thread.submit(Tenant, start_server(database_choice))
        while first.execute("SELECT FROM pg_locks WHERE NOT granted").rowcount == 0:
            time.sleep(0)
        first.execute("COMMIT")
        second.result().close()


def _in_a_forked_child(choice: str, domain: Domain, parent: str) -> None:
    database = open_pool(domain, database=choice).acquire(timeout_s=120)
    database.prepare(Start(), domain.now)
    same = database.agent.info.dbname == parent
    database.close()
    os._exit(3) if same else sys.exit(0)


def test_a_forked_child_opens_its_own_databases(
    tiny: EpisodeDatabase, tiny_domain: Domain, database_choice: str
) -> None:
    context = multiprocessing.get_context("fork")
    child = context.Process(
        target=_in_a_forked_child, args=(database_choice, tiny_domain, tiny.agent.info.dbname)
    )
    child.start()
    child.join(timeout=120)
    assert child.exitcode == 0
    assert tiny.agent.execute("SELECT count(*) AS n FROM guests").fetchone() == {"n": 3}


def test_a_forked_child_that_lets_its_copy_go_leaves_the_session_alone(
    tiny: EpisodeDatabase,
) -> None:
    child = multiprocessing.get_context("fork").Process(target=tiny.close)
    child.start()
    child.join(timeout=120)
    assert child.exitcode == 0
    for _ in range(2):
        assert tiny.agent.execute("SELECT count(*) AS n FROM guests").fetchone() == {"n": 3}


def test_64_episodes_at_once_never_see_each_other(tiny_pool: DatabasePool) -> None:
    def play(number: int) -> bool:
        database = tiny_pool.acquire(timeout_s=120)
        name = f"guest of {number}"
        database.prepare(
            Start(insert={"guests": [{"id": f"X{number}", "name": name}]}), "2026-01-01"
        )
        database.agent.execute("UPDATE guests SET name = %s WHERE id = 'G1'", (name,))
        seen = database.agent.execute(
            "SELECT name FROM guests WHERE name LIKE 'guest of%' ORDER BY name"
        ).fetchall()
        changes = database.net_changes()
        database.close()
        return seen == [{"name": name}] * 2 and len(changes) == 1

    with ThreadPoolExecutor(64) as threads:
        assert all(threads.map(play, range(256)))


def folders(root: Path) -> set[Path]:
    """What an ended server may have left: homes, and folders of sockets."""
    return {
        *Path("/tmp").glob("tb-????????"),
        *(path for path in root.glob("*/*") if path.is_dir()),
    }


@pytest.mark.parametrize("forgotten", [False, True])
def test_an_ended_embedded_server_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, *, forgotten: bool
) -> None:
    """One whose path is too long for a socket neither, nor one that did not answer for a while."""
    root = Path(tempfile.mkdtemp(prefix="tb-test-")) / ("long" * 20)
    root.parent.chmod(0o755)
    monkeypatch.setenv("TB_RUNTIME_DIR", str(root))
    before = folders(root)
    server = start_server("embedded")
    assert len(folders(root) - before) == 2
    found = Home.running(next(root.iterdir())) if forgotten else None
    if found is not None:
        found[0].forget()
    server.release()
    deadline = time.monotonic() + 60
    while folders(root) - before and time.monotonic() < deadline:
        os.sched_yield()
    assert folders(root) - before == set()
    shutil.rmtree(root.parent)


def test_the_embedded_server_ends_with_its_last_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_RUNTIME_DIR", f"/tmp/tb-{tmp_path.name}-{os.getpid()}")
    one, two = start_server("embedded"), start_server("embedded")
    assert (one.host, one.port) == (two.host, two.port)
    connection = one.admin()
    one.release()
    assert connection.execute("SELECT 1 AS n").fetchone() == {"n": 1}
    two.release()
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT pg_sleep(60)")
    connection.close()
