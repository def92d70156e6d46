"""One episode's tools: list them, call them, one transaction a call.

A call ends in one of three ways. It succeeds and is committed; it is refused (a result with
``is_error``, rolled back); or the machinery is broken (a ``SystemFailure`` is raised). Nothing is
ever tried twice.

The session's transactions are read-only unless a tool declared that it writes. Reading tools run
without a transaction block, so a read costs one round trip a statement: nobody else changes the
episode's database meanwhile.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import psycopg
from psycopg import Connection
from psycopg.pq import ExecStatus, TransactionStatus

from tb_envs.database.failures import describe, is_infrastructure
from tb_envs.episode import Change
from tb_envs.errors import DatabaseFailure, SystemFailure, ToolFailure, ToolRefusal, UsageError
from tb_envs.messages import ToolResult, ToolSchema
from tb_envs.tools.db import Db
from tb_envs.tools.refusals import explain_database_refusal, explain_unknown_tool
from tb_envs.tools.results import write_result
from tb_envs.tools.tool import Tool, ToolInfo

_OPEN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)
_REFUSALS = (
    psycopg.IntegrityError,
    psycopg.DataError,
    psycopg.errors.RaiseException,
    psycopg.errors.ProgramLimitExceeded,
)


class ExecutedCall(NamedTuple):
    """What a call answered, and what it changed in the database."""

    result: ToolResult
    changes: tuple[Change, ...] = ()


class ToolDatabase(Protocol):
    """What a tool session needs of an episode's database."""

    @property
    def agent(self) -> Connection[Any]:
        """The connection of the tools' role, in autocommit mode."""
        ...

    def take_changes(self) -> tuple[Change, ...]:
        """Return what changed since the last time it was asked."""
        ...


class AnyToolSession(Protocol):
    """A way to an episode's tools: our own session, or an outside server's."""

    def list_tools(self) -> list[ToolInfo]:
        """Return what an agent is told about each tool."""
        ...

    def openai_tools(self) -> tuple[ToolSchema, ...]:
        """Return the tools in OpenAI's form."""
        ...

    def call_tool(self, name: str, arguments: str) -> ExecutedCall:
        """Run a call whose arguments are JSON text.

        Raises:
            SystemFailure: the tool, its server or the database is broken.
        """
        ...

    def close(self) -> None:
        """Release what the session holds; the database is not part of it."""
        ...


class ToolSession:
    """One episode's tools, called directly. Not for several threads at once."""

    def __init__(self, database: ToolDatabase, tools: Sequence[Tool]) -> None:
        """Open a session.

        Raises:
            UsageError: two tools have the same name.
        """
        self._database = database
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise UsageError("two tools of a session have the same name")
        self._connection = database.agent
        self._db = Db(self._connection)
        self._read_only = False

    def list_tools(self) -> list[ToolInfo]:
        """Return what an agent is told about each tool."""
        return [tool.info for tool in self._tools.values()]

    def openai_tools(self) -> tuple[ToolSchema, ...]:
        """Return the tools in OpenAI's form."""
        return tuple(tool.info.openai() for tool in self._tools.values())

    def close(self) -> None:
        """Release nothing: the database belongs to the caller."""

    def call_tool(self, name: str, arguments: str) -> ExecutedCall:
        """Run a call whose arguments are JSON text.

        Raises:
            DatabaseFailure: PostgreSQL is gone, cut off or too slow.
            ToolFailure: the tool is broken.
        """
        tool = self._tools.get(name)
        if tool is None:
            return _refused(explain_unknown_tool(name, self._tools))
        try:
            values = tool.read_arguments(arguments)
            content = self._run(tool, values)
        except ToolRefusal as refusal:
            return _refused(str(refusal))
        changes = self._database.take_changes() if tool.writes else ()
        return ExecutedCall(ToolResult(content), changes)

    def _run(self, tool: Tool, values: dict[str, Any]) -> str:
        """Run a tool with validated arguments; a write is committed or rolled back."""
        finished = False
        try:
            if not self._read_only:
                self._db.execute("SET default_transaction_read_only = on")
                self._read_only = True
            if tool.writes:
                self._command(b"BEGIN READ WRITE")
            content = write_result(tool.function(self._db, **values))
            if tool.writes:
                self._commit(tool)
            finished = True
        except (ToolRefusal, SystemFailure):
            raise
        except psycopg.Error as error:
            raise self._classify(error, tool) from error
        except Exception as error:
            raise ToolFailure(f"{tool.name}: {type(error).__name__}: {error}") from error
        finally:
            if not finished:
                self._roll_back(tool)
        return content

    def _commit(self, tool: Tool) -> None:
        # PostgreSQL answers the COMMIT of a failed transaction with a silent ROLLBACK.
        if self._connection.pgconn.transaction_status != TransactionStatus.INTRANS:
            raise ToolFailure(f"{tool.name}: the tool went on after an error of the database")
        self._command(b"COMMIT")

    def _roll_back(self, tool: Tool) -> None:
        """Undo an unfinished call, where the connection still lives."""
        if self._connection.pgconn.transaction_status in _OPEN:
            try:
                self._command(b"ROLLBACK")
            except psycopg.Error as error:
                raise DatabaseFailure(f"{tool.name}: rolling back: {describe(error)}") from error

    def _command(self, command: bytes) -> None:
        """Begin or end a transaction; a third of the cost of a cursor's execute."""
        result = self._connection.pgconn.exec_(command)
        if result.status != ExecStatus.COMMAND_OK:
            raise psycopg.errors.error_from_result(result)

    def _classify(self, error: psycopg.Error, tool: Tool) -> ToolRefusal | SystemFailure:
        """Say whose fault an error is: the agent's, the machinery's or the tool's."""
        if isinstance(error, _REFUSALS):
            return ToolRefusal(explain_database_refusal(error))
        story = f"{tool.name}: {describe(error)}"
        if is_infrastructure(error) or self._connection.broken:
            return DatabaseFailure(story)
        return ToolFailure(story)


def _refused(message: str) -> ExecutedCall:
    return ExecutedCall(ToolResult(message, is_error=True))
