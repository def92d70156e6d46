"""The tools of a domain on a fresh database, on each server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tb_envs.database import EpisodeDatabase, open_pool
from tb_envs.specs import load_domain
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start
from tb_envs.tools import ToolSession, load_toolset


class Desk:
    """The tools of an episode, called as a test likes it: keywords in, values out."""

    def __init__(self, database: EpisodeDatabase, session: ToolSession) -> None:
        self.database = database
        self._session = session

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that must succeed."""
        result = self._session.call_tool(tool, json.dumps(arguments)).result
        assert not result.is_error, result.content
        return json.loads(result.content)

    def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must refuse, and change nothing; returns what it says."""
        before = self.database.net_changes()
        result = self._session.call_tool(tool, json.dumps(arguments)).result
        assert result.is_error, result.content
        assert self.database.net_changes() == before
        return result.content

    def changed(self) -> list[tuple[str, str]]:
        """What was changed so far, as (operation, table), sorted."""
        return sorted((change.op, change.table) for change in self.database.net_changes())

    def value(self, query: str) -> Any:
        """The one value of a query."""
        row = self.database.owner.execute(query.encode()).fetchone()
        assert row is not None
        return next(iter(row.values()))

    def rows(self, query: str) -> list[dict[str, Any]]:
        """All rows of a query."""
        return self.database.owner.execute(query.encode()).fetchall()


def open_desk(domain: Domain, choice: str) -> Iterator[Desk]:
    """A domain's tools on a fresh database as its seed leaves it."""
    database = open_pool(domain, database=choice).acquire(timeout_s=60)
    database.prepare(Start(), domain.now)
    yield Desk(database, ToolSession(database, load_toolset(domain.toolsets)))
    database.close()


@pytest.fixture
def desk(database_choice: str) -> Iterator[Desk]:
    """The travel desk as the seed leaves it, on Monday 2026-05-11 at nine."""
    yield from open_desk(load_domain("travel"), database_choice)
