"""The tools over MCP's streamable HTTP: every MCP session gets an episode of its own.

Sessions are what keeps clients apart, so only the protocol versions that have them are served: a
client that offers a sessionless version is told which ones to use, and the SDK's client does so
by itself.
"""

import contextlib
import logging
import socket
import threading
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from http import HTTPStatus
from uuid import uuid4

import anyio
import anyio.to_thread
import mcp_types as types
import uvicorn
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from tb_envs.errors import SystemFailure
from tb_envs.tools.mcp_server import make_server
from tb_envs.tools.serving import EndedSession, OnEnd, OpenEpisode, ServedSession

_logger = logging.getLogger(__name__)
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_SHUTDOWN_S = 5


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What a server holds at most: sessions at once, and seconds that one may be idle."""

    max_sessions: int = 64
    idle_timeout_s: float = 1800.0


def serve_http(
    open_episode: OpenEpisode,
    *,
    host: str,
    port: int,
    on_end: OnEnd,
    on_ready: Callable[[str], None],
    limits: HttpLimits | None = None,
) -> None:
    """Serve episodes over streamable HTTP at ``/mcp`` until SIGINT or SIGTERM.

    Args:
        open_episode: Makes a session's episode; called from worker threads.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        on_end: Told the calls and the grade when a session ends; one at a time, from any thread.
        on_ready: Told the URL once the port is open.
        limits: How many sessions, and for how long.

    Raises:
        OSError: the address is taken.
    """
    sessions = EpisodeSessions(open_episode, on_end, limits or HttpLimits(), host)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        config = uvicorn.Config(
            sessions.app(), log_level="warning", timeout_graceful_shutdown=_SHUTDOWN_S
        )
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        on_ready(f"http://{shown}:{listener.getsockname()[1]}/mcp")
        uvicorn.Server(config).run(sockets=[listener])


class EpisodeSessions:
    """The HTTP endpoint: opens a session for ``initialize``, and routes by session id."""

    def __init__(
        self, open_episode: OpenEpisode, on_end: OnEnd, limits: HttpLimits, host: str
    ) -> None:
        self._open_episode = open_episode
        self._on_end = on_end
        self._limits = limits
        self._security = TransportSecurityMiddleware(_security(host))
        self._transports: dict[str, StreamableHTTPServerTransport] = {}
        self._tasks: TaskGroup | None = None
        self._telling = threading.Lock()

    def app(self) -> Starlette:
        """Return the ASGI application that serves the endpoint at ``/mcp``."""
        limited = RequestBodyLimitMiddleware(self._handle, DEFAULT_MAX_REQUEST_BODY_SIZE)
        return Starlette(routes=[Route("/mcp", limited)], lifespan=self._run)

    @contextlib.asynccontextmanager
    async def _run(self, _: Starlette) -> AsyncGenerator[None, None]:
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        refused = await self._security.validate_request(request, is_post=request.method == "POST")
        offered = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
        session_id = request.headers.get(MCP_SESSION_ID_HEADER)
        if refused is not None:
            await refused(scope, receive, send)
        elif offered is not None and offered not in HANDSHAKE_PROTOCOL_VERSIONS:
            await _unsupported_version(offered)(scope, receive, send)
        elif session_id is None:
            await self._open(scope, receive, send)
        elif session_id in self._transports:
            await self._transports[session_id].handle_request(scope, receive, send)
        else:
            refusal = _error(HTTPStatus.NOT_FOUND, types.INVALID_REQUEST, "Session not found")
            await refusal(scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a session and let it answer the request; only ``initialize`` makes it stay."""
        if len(self._transports) >= self._limits.max_sessions:
            refusal = _error(
                HTTPStatus.SERVICE_UNAVAILABLE, types.INTERNAL_ERROR, "Too many open sessions"
            )
            await refusal(scope, receive, send)
            return
        session_id = uuid4().hex
        transport = StreamableHTTPServerTransport(session_id, is_json_response_enabled=True)
        self._transports[session_id] = transport
        assert self._tasks is not None
        try:
            await self._tasks.start(self._run_session, session_id, transport)
        except SystemFailure as failure:
            _logger.exception("no episode could be opened")
            broken = f"no episode could be opened ({failure.kind})"
            refusal = _error(HTTPStatus.SERVICE_UNAVAILABLE, types.INTERNAL_ERROR, broken)
            await refusal(scope, receive, send)
            return
        established = False
        try:
            status = await _answer(transport, scope, receive, send)
            established = status is not None and status < HTTPStatus.BAD_REQUEST
        finally:
            if not established:
                with anyio.CancelScope(shield=True):
                    await transport.terminate()

    async def _run_session(
        self,
        session_id: str,
        transport: StreamableHTTPServerTransport,
        *,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Hold a session open until its client leaves, it idles too long, or the server stops."""
        try:
            episode = await anyio.to_thread.run_sync(self._open_episode)
        except BaseException:
            del self._transports[session_id]
            raise
        session = ServedSession(
            episode,
            self._tell,
            session_id=session_id,
            idle_timeout_s=self._limits.idle_timeout_s,
        )
        try:
            server = make_server(session)
            async with transport.connect() as (read, write):
                task_status.started()
                with session.idle_scope:
                    await server.run(read, write, server.create_initialization_options())
        except Exception:
            _logger.exception("session %s crashed", session_id)
        finally:
            del self._transports[session_id]
            with anyio.CancelScope(shield=True):
                await transport.terminate()
                await _finish(session, session_id)

    def _tell(self, ended: EndedSession) -> None:
        with self._telling:
            self._on_end(ended)


async def _finish(session: ServedSession, session_id: str) -> None:
    """Finish a session; what breaks there must not end the other clients' sessions."""
    try:
        await session.finish()
    except Exception:
        _logger.exception("session %s could not be finished", session_id)


async def _answer(
    transport: StreamableHTTPServerTransport, scope: Scope, receive: Receive, send: Send
) -> int | None:
    """Let a transport answer a request; return the HTTP status, None where there was no answer."""
    statuses: list[int] = []

    async def watch(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        await send(message)

    await transport.handle_request(scope, receive, watch)
    return statuses[0] if statuses else None


def _security(host: str) -> TransportSecuritySettings | None:
    """Protect a server on the loopback address from web pages that rebind their name to it."""
    if host not in ("127.0.0.1", "localhost", "::1"):
        return None
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}:*" for name in _LOOPBACK],
        allowed_origins=[f"http://{name}:*" for name in _LOOPBACK],
    )


def _unsupported_version(offered: str) -> Response:
    data = types.UnsupportedProtocolVersionErrorData(
        supported=list(HANDSHAKE_PROTOCOL_VERSIONS), requested=offered
    )
    return _error(
        HTTPStatus.BAD_REQUEST,
        types.UNSUPPORTED_PROTOCOL_VERSION,
        "This server keeps sessions; use a protocol version that has them",
        data=data.model_dump(mode="json"),
    )


def _error(
    status: HTTPStatus, code: int, message: str, *, data: dict[str, object] | None = None
) -> Response:
    error = types.ErrorData(code=code, message=message, data=data)
    body = types.JSONRPCError(jsonrpc="2.0", id=None, error=error)
    return JSONResponse(body.model_dump(by_alias=True, exclude_unset=True), status_code=status)
