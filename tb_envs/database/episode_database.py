"""The database of one episode: what tools, grading and the environment see of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from psycopg.types.json import Jsonb

from tb_envs.database import start as start_records
from tb_envs.database.changes import fold, read_changes
from tb_envs.database.checks import CheckAnswer, run_checks, validate_checks
from tb_envs.database.clone import Clone
from tb_envs.database.failures import database_boundary
from tb_envs.database.server import DictConnection
from tb_envs.episode import Change
from tb_envs.errors import UsageError
from tb_envs.specs.models import Start


class EpisodeDatabase:
    """A fresh database, lent until ``close``. Used by one thread at a time.

    Attributes:
        agent: connection of the tools' role: reads and writes the domain's tables, nothing else.
    """

    def __init__(
        self, clone: Clone, known_checks: set[str], give_back: Callable[[Clone], None]
    ) -> None:
        self._clone = clone
        self._known_checks = known_checks
        self._give_back = give_back
        self._taken = 0
        self._closed = False
        self.agent: DictConnection = clone.agent

    @property
    def owner(self) -> DictConnection:
        """Connection of the tables' owner, for set-up and tests; it costs a session of its own."""
        with database_boundary("opening the owner's session"):
            return self._clone.owner

    @property
    def agent_url(self) -> str:
        """The address for a tool server of its own; a database so shared is never used again."""
        return self._clone.url

    def prepare(self, start: Start, now: str) -> str:
        """Set the clock and apply the task's records, in one transaction; return the ``digest``.

        Raises:
            SpecError: a record does not fit; names its place, table and column.
            DatabaseFailure: the server broke.
        """
        with database_boundary("applying the start records"):
            return start_records.prepare(
                self.agent, self._clone.secret, start, now, lambda: self._clone.owner
            )

    def digest(self) -> str:
        """Hash all rows (in any order) and all sequences of the domain."""
        with database_boundary("hashing the database"):
            row = self.agent.execute("SELECT tb.digest() AS digest").fetchone()
        return row["digest"] if row else ""

    def take_changes(self) -> tuple[Change, ...]:
        """List what the agent's role changed since the last call, in order."""
        with database_boundary("reading the change log"):
            self._taken, changes = read_changes(self.agent, self._clone.secret, self._taken)
        return changes

    def net_changes(self) -> tuple[Change, ...]:
        """List what the agent's role changed in the whole episode, one change a row.

        Start records are not among them, nor rows that are again as they were.
        """
        with database_boundary("reading the change log"):
            _, changes = read_changes(self.agent, self._clone.secret, 0)
        return fold(changes)

    def run_checks(self, checks: Sequence[str]) -> list[CheckAnswer]:
        """Evaluate predicates read-only, in order.

        Raises:
            SpecError: one is not a single SELECT of one boolean, or tries to write.
            DatabaseFailure: the server broke, or a check took too long.
        """
        with database_boundary("running the checks"):
            unknown = [check for check in checks if check not in self._known_checks]
            validate_checks(self.agent, unknown)
            self._known_checks.update(unknown)
            return run_checks(self.agent, checks)

    def fetch_records(self, table: str, key: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Read the rows whose columns equal ``key``, as ``to_jsonb`` writes them.

        Raises:
            psycopg.ProgrammingError, psycopg.DataError: no such table or column, or another type.
        """
        if not key:
            raise UsageError("got an empty key; expected at least one column")
        wanted = Jsonb(dict(key), dumps=start_records.dumps)
        with database_boundary(f"reading {table}"):
            rows = self.agent.execute(
                "SELECT r AS row FROM tb.fetch(%s, %s) r", (table, wanted)
            ).fetchall()
        return [row["row"] for row in rows]

    def cut(self) -> None:
        """End both connections at once, from any thread: for episodes past their deadline.

        Whoever waits for an answer gets a connection error; ``close`` drops the database.
        """
        self._clone.cut()

    def close(self) -> None:
        """Give the database back; closing again does nothing."""
        if not self._closed:
            self._closed = True
            self._give_back(self._clone)
