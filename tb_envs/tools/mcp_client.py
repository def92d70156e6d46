"""An outside MCP server as a task's toolset, behind the same interface as our own session.

The SDK's client lives on an event loop in a thread of its own; calls block until it answers or a
timeout passes. What the server calls an error is a refusal; a server that is gone, silent or
broken is a ``ToolFailure``. A call is never sent twice.
"""

import json
import logging
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any, TextIO, TypeVar, cast

import mcp_types as types
from anyio.from_thread import BlockingPortal, start_blocking_portal
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from tb_envs.errors import ToolFailure, ToolRefusal
from tb_envs.messages import ToolResult, ToolSchema
from tb_envs.specs.models import OutsideServer
from tb_envs.tools.refusals import explain_unknown_tool, shorten, write_path
from tb_envs.tools.results import write_result
from tb_envs.tools.session import ExecutedCall, ToolDatabase
from tb_envs.tools.tool import ToolInfo

_Answer = TypeVar("_Answer")
_logger = logging.getLogger(__name__)
_GRACE_S = 5.0
_STDERR_TAIL = 2000
_SHOWN = 400
_REFUSALS = (types.INVALID_PARAMS, types.METHOD_NOT_FOUND)


class OutsideToolSession:
    """One episode's tools, served by an outside MCP server. Not for several threads at once."""

    def __init__(
        self,
        server: OutsideServer,
        database: ToolDatabase,
        *,
        agent_url: str,
        timeout_s: float = 30.0,
        start_timeout_s: float = 60.0,
    ) -> None:
        """Connect to the server and read its tools.

        Args:
            server: The command or URL; ``{database_url}`` in it becomes ``agent_url``.
            database: Tells what the calls changed.
            agent_url: The episode database's address, for the tools' role.
            timeout_s: How long a call may take, in seconds.
            start_timeout_s: How long connecting and listing may take, each, in seconds.

        Raises:
            ToolFailure: the server does not start, does not answer, or its schemas are not valid.
        """
        self._database = database
        self._timeout_s = timeout_s
        self._start_timeout_s = start_timeout_s
        self._stack = ExitStack()
        self._stderr = cast(TextIO, tempfile.TemporaryFile("w+"))  # noqa: SIM115 - close() closes it
        self._stack.callback(self._stderr.close)
        try:
            self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())
            self._client = self._guard("connecting", lambda: self._connect(server, agent_url))
            tools = self._guard(
                "listing", lambda: self._ask(start_timeout_s, lambda: _list_tools(self._client))
            )
            self._tools = {info.name: info for info in tools}
            self._validators = {
                info.name: self._guard(f"the schema of {info.name}", lambda: _validator(info))  # noqa: B023 - runs at once
                for info in tools
            }
        except BaseException:
            self.close()
            raise

    def list_tools(self) -> list[ToolInfo]:
        """Return what an agent is told about each tool."""
        return list(self._tools.values())

    def openai_tools(self) -> tuple[ToolSchema, ...]:
        """Return the tools in OpenAI's form."""
        return tuple(info.openai() for info in self._tools.values())

    def call_tool(self, name: str, arguments: str) -> ExecutedCall:
        """Run a call whose arguments are JSON text.

        Raises:
            ToolFailure: the server is gone, silent or broken.
            DatabaseFailure: the changes cannot be read.
        """
        if name not in self._tools:
            return ExecutedCall(ToolResult(explain_unknown_tool(name, self._tools), is_error=True))
        try:
            result = self._guard(f"calling {name}", lambda: self._call(name, arguments))
        except ToolRefusal as refusal:
            result = ToolResult(str(refusal), is_error=True)
        return ExecutedCall(result, self._database.take_changes())

    def close(self) -> None:
        """Leave the server; one that we started is stopped."""
        try:
            self._stack.close()
        except Exception:
            _logger.exception("the outside MCP server could not be left in good order")

    def _call(self, name: str, arguments: str) -> ToolResult:
        values = self._read_arguments(name, arguments)
        answer = self._ask(
            self._timeout_s, lambda: _call_tool(self._client, name, values, self._timeout_s)
        )
        return ToolResult(_text(answer), is_error=answer.is_error)

    def _read_arguments(self, name: str, arguments: str) -> dict[str, Any]:
        values = _read_object(arguments)
        try:
            problems = [_explain(problem) for problem in self._validators[name].iter_errors(values)]
        except RecursionError:
            raise ToolRefusal("arguments: nested too deeply") from None
        if problems:
            raise ToolRefusal("; ".join(problems))
        return values

    def _connect(self, server: OutsideServer, agent_url: str) -> Client:
        """Enter the SDK's client on the event loop; leaving it is the stack's work."""
        if server.url is not None:
            transport: Any = server.url.replace("{database_url}", agent_url)
        else:
            command, *words = (
                word.replace("{database_url}", agent_url) for word in server.command or ()
            )
            parameters = StdioServerParameters(command=command, args=words)
            transport = stdio_client(parameters, errlog=self._stderr)
        client = Client(transport, read_timeout_seconds=self._start_timeout_s, cache=None)
        return self._stack.enter_context(self._portal.wrap_async_context_manager(client))

    def _ask(
        self, timeout_s: float, request: Callable[[], Coroutine[Any, Any, _Answer]]
    ) -> _Answer:
        """Run a request on the client's event loop and wait for its answer."""
        try:
            return self._portal.start_task_soon(request).result(timeout_s + _GRACE_S)
        except TimeoutError as error:  # a server that reads no more cannot even be asked
            raise TimeoutError(f"no answer within {timeout_s + _GRACE_S:g} s") from error

    def _guard(self, doing: str, act: Callable[[], _Answer]) -> _Answer:
        """Make whatever goes wrong with the server a ``ToolFailure``; the one place that does."""
        try:
            return act()
        except ToolRefusal:
            raise
        except Exception as error:
            raise ToolFailure(self._story(doing, error)) from error

    def _story(self, doing: str, error: Exception) -> str:
        """Say what was being done, what went wrong, and what the server printed last."""
        cause = _single_cause(error)
        self._stderr.seek(0)
        printed = self._stderr.read()[-_STDERR_TAIL:].strip()
        story = f"outside MCP server: {doing}: {type(cause).__name__}: {cause}"
        return f"{story}; its last words: {printed}" if printed else story


def _single_cause(error: BaseException) -> BaseException:
    """Unwrap the groups that the SDK's task groups put around one error."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    inner = cast(tuple[BaseException, ...], error.exceptions)
    return _single_cause(inner[0]) if len(inner) == 1 else Exception(str(inner))


async def _list_tools(client: Client) -> list[ToolInfo]:
    found: list[ToolInfo] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        found += (_describe(tool) for tool in page.tools)
        cursor = page.next_cursor
        if cursor is None:
            return found


async def _call_tool(
    client: Client, name: str, values: dict[str, Any], timeout_s: float
) -> types.CallToolResult:
    try:
        return await client.call_tool(name, values, read_timeout_seconds=timeout_s)
    except MCPError as error:
        if error.code in _REFUSALS:
            raise ToolRefusal(error.message) from error
        raise


def _describe(tool: types.Tool) -> ToolInfo:
    read_only = tool.annotations is not None and tool.annotations.read_only_hint is True
    return ToolInfo(tool.name, tool.description or "", tool.input_schema, read_only)


def _validator(info: ToolInfo) -> Validator:
    kind: Any = validator_for(info.input_schema, default=Draft202012Validator)
    kind.check_schema(info.input_schema)
    return kind(info.input_schema)


def _read_object(arguments: str) -> dict[str, Any]:
    try:
        values: object = json.loads(arguments if arguments.strip() else "{}")
        # What cannot be written back (NaN, half a surrogate pair) cannot be sent either.
        json.dumps(values, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ToolRefusal(f"arguments: not valid JSON: {error}") from None
    if not isinstance(values, dict):
        raise ToolRefusal(f"arguments: got {shorten(values)}, expected a JSON object")
    return cast(dict[str, Any], values)


def _explain(problem: ValidationError) -> str:
    path = write_path(tuple(problem.absolute_path)) or "arguments"
    # The validator's message repeats the value, however long it is.
    message = problem.message
    return f"{path}: {message if len(message) <= _SHOWN else f'{message[: _SHOWN - 3]}...'}"


def _text(answer: types.CallToolResult) -> str:
    """Write a result as text: its text parts, else its structured content as JSON."""
    parts = [part.text for part in answer.content if isinstance(part, types.TextContent)]
    if parts:
        return "\n".join(parts)
    if answer.structured_content is not None:
        return write_result(answer.structured_content)
    return "\n".join(f"[{part.type}]" for part in answer.content)
