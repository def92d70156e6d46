"""The tools over MCP, with the official SDK: one server object a session, over stdio or HTTP.

The agent gets list-tools and call-tool, and the case in the server's instructions. Reset, grading
and the database are never tools.
"""

import logging
import signal
from importlib.metadata import version
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from tb_envs.errors import SystemFailure
from tb_envs.tools.serving import OnEnd, OpenEpisode, ServedSession
from tb_envs.tools.tool import ToolInfo

_logger = logging.getLogger(__name__)


def make_server(session: ServedSession) -> Server[Any]:
    """Make the MCP server of one session."""

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_describe(info) for info in session.list_tools()])

    async def call_tool(
        _: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            record = await session.call(params.name, params.arguments)
        except SystemFailure as failure:
            _logger.exception("the tool %s could not be run", params.name)
            raise MCPError(
                types.INTERNAL_ERROR,
                f"the environment is broken ({failure.kind}), this is not about your call; "
                "the session is over",
            ) from failure
        text = types.TextContent(type="text", text=record.content)
        return types.CallToolResult(content=[text], is_error=record.is_error)

    return Server(
        "thinkingbox",
        version=version("thinkingbox"),
        instructions=session.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _describe(info: ToolInfo) -> types.Tool:
    return types.Tool(
        name=info.name,
        description=info.description,
        input_schema=info.input_schema,
        annotations=types.ToolAnnotations(read_only_hint=info.read_only),
    )


def serve_stdio(open_episode: OpenEpisode, *, on_end: OnEnd) -> None:
    """Serve one episode over stdin and stdout, until the client closes them.

    It takes the whole process, and its main thread.

    Args:
        open_episode: Makes the episode.
        on_end: Told the calls and the grade when the session ends.

    Raises:
        SystemFailure: the episode could not be opened.
    """
    anyio.run(_serve_stdio, open_episode, on_end)


async def _serve_stdio(open_episode: OpenEpisode, on_end: OnEnd) -> None:
    session = ServedSession(await anyio.to_thread.run_sync(open_episode), on_end)
    try:
        server = make_server(session)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        # A client that loses patience while the episode is graded would cost the grade.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        await session.finish()
