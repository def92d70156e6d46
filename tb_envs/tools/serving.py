"""One MCP session on the server's side: an episode of its own, from first request to grade.

Calls run one after the other in a worker thread, never on the event loop. When the session ends
(the client leaves, the server stops, or nobody asks for anything for too long), the episode is
graded and whoever opened the server is told.
"""

import json
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import anyio
import anyio.to_thread

from tb_envs.episode import CallRecord, Change
from tb_envs.errors import SystemFailure
from tb_envs.messages import ToolCall
from tb_envs.outcome import Grade
from tb_envs.tools.tool import ToolInfo

_logger = logging.getLogger(__name__)


class ServedEpisode(Protocol):
    """An episode that a server can hand to a client. Used from one thread at a time."""

    @property
    def instructions(self) -> str:
        """What the agent is told first: the system prompt and the case."""
        ...

    def list_tools(self) -> list[ToolInfo]:
        """Return what an agent is told about each tool."""
        ...

    def call(self, call: ToolCall) -> CallRecord:
        """Execute one tool call; a refusal is a record with ``is_error``.

        Raises:
            SystemFailure: the machinery is broken.
        """
        ...

    def grade(self) -> tuple[Grade, tuple[Change, ...]]:
        """End the episode; return the verdict and the net changes.

        Raises:
            SystemFailure: the verdict could not be reached.
        """
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


@dataclass(frozen=True, slots=True)
class EndedSession:
    """What happened in a session: its calls, and either a grade or the failure that left none."""

    session_id: str
    calls: tuple[CallRecord, ...]
    grade: Grade | None
    changes: tuple[Change, ...]
    failure: SystemFailure | None
    started_at: datetime
    total_s: float


OpenEpisode = Callable[[], ServedEpisode]
OnEnd = Callable[[EndedSession], None]


class ServedSession:
    """An episode and the client that works it."""

    def __init__(
        self,
        episode: ServedEpisode,
        on_end: OnEnd,
        *,
        session_id: str = "",
        idle_timeout_s: float = math.inf,
    ) -> None:
        self.instructions = episode.instructions
        self.idle_scope = anyio.CancelScope()
        self._episode = episode
        self._on_end = on_end
        self._session_id = session_id
        self._idle_timeout_s = idle_timeout_s
        self._one_at_a_time = anyio.CapacityLimiter(1)
        self._waiting = 0
        self._calls: list[CallRecord] = []
        self._failure: SystemFailure | None = None
        self._begun = False
        self._started_at = datetime.now(UTC)
        self._started = time.monotonic()
        self._asked()

    def list_tools(self) -> list[ToolInfo]:
        """Return what an agent is told about each tool."""
        self._asked()
        self._begun = True
        return self._episode.list_tools()

    async def call(self, name: str, arguments: dict[str, Any] | None) -> CallRecord:
        """Run a call in a worker thread, after the calls before it.

        Raises:
            SystemFailure: the machinery broke, in this call or an earlier one.
        """
        self._begun = True
        self._waiting += 1
        self.idle_scope.deadline = math.inf
        call = ToolCall(name, json.dumps(arguments or {}))
        try:
            return await anyio.to_thread.run_sync(self._call, call, limiter=self._one_at_a_time)
        finally:
            self._waiting -= 1
            self._asked()

    async def finish(self) -> None:
        """Grade the episode, tell the server's owner, and give everything back.

        A session whose client never asked for anything is not graded.
        """
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._finish, limiter=self._one_at_a_time)

    def _asked(self) -> None:
        """Begin to count idle time anew; a session that waits for an answer is not idle."""
        if not self._waiting:
            self.idle_scope.deadline = anyio.current_time() + self._idle_timeout_s

    def _call(self, call: ToolCall) -> CallRecord:
        if self._failure is not None:
            raise self._failure
        try:
            record = self._episode.call(call)
        except SystemFailure as failure:
            self._failure = failure
            raise
        self._calls.append(record)
        return record

    def _finish(self) -> None:
        try:
            if self._begun:
                self._on_end(self._end())
        finally:
            self._episode.close()

    def _end(self) -> EndedSession:
        grade, changes = None, ()
        if self._failure is None:
            try:
                grade, changes = self._episode.grade()
            except SystemFailure as failure:
                _logger.exception("the episode could not be graded")
                self._failure = failure
        return EndedSession(
            session_id=self._session_id,
            calls=tuple(self._calls),
            grade=grade,
            changes=changes,
            failure=self._failure,
            started_at=self._started_at,
            total_s=time.monotonic() - self._started,
        )
