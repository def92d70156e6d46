import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The desk is also a program that tests start, with this folder on its path.
sys.path.insert(0, str(Path(__file__).parent))

import desk

from tb_envs.database import EpisodeDatabase, open_pool
from tb_envs.tools import ToolSession


@pytest.fixture
def database(database_choice: str) -> Iterator[EpisodeDatabase]:
    """The desk's database, on each server."""
    yield from lend(database_choice)


@pytest.fixture
def embedded_database() -> Iterator[EpisodeDatabase]:
    """The desk's database, for what does not depend on the server."""
    yield from lend("embedded")


@pytest.fixture
def session(database: EpisodeDatabase) -> ToolSession:
    return ToolSession(database, desk.TOOLS)


def lend(choice: str) -> Iterator[EpisodeDatabase]:
    lent = open_pool(desk.DESK, database=choice).acquire(timeout_s=60)
    desk.prepare(lent)
    yield lent
    lent.close()
