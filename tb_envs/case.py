"""One episode in progress: its database, tools, user and judge, opened and closed together."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from tb_envs.database import EpisodeDatabase, open_pool
from tb_envs.episode import CallRecord, Change
from tb_envs.errors import UsageError
from tb_envs.grading import grade_task, refuse_unsound
from tb_envs.judge import Judge
from tb_envs.messages import Message, ToolCall, ToolSchema
from tb_envs.outcome import CheckResult, Grade
from tb_envs.specs import Task
from tb_envs.specs.models import Rubric
from tb_envs.tools import AnyToolSession, ToolInfo, load_toolset, open_tools
from tb_envs.users import User, UserTurn, make_user

ACQUIRE_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class CaseOptions:
    """How cases are run: where the database comes from, who plays the user, who judges."""

    database: str | None = None
    isolation: Literal["database", "container"] = "database"
    user: Literal["scripted", "llm"] = "scripted"
    judge: Literal["endpoint", "skip"] = "endpoint"

    def __post_init__(self) -> None:
        """Refuse unknown values at once, not in the middle of an episode."""
        choices: Mapping[str, tuple[str, ...]] = {
            "isolation": ("database", "container"),
            "user": ("scripted", "llm"),
            "judge": ("endpoint", "skip"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise UsageError(
                    f"{name}: got {getattr(self, name)!r}; expected {' or '.join(allowed)}"
                )

    def tool_names(self, task: Task) -> tuple[str, ...]:
        """The names of a task's tools, for sampling; empty where a server will tell them."""
        if task.variant.mcp is not None:
            return ()
        return tuple(tool.name for tool in load_toolset(task.domain.toolsets))


class Case:
    """A customer's case being worked. Not thread-safe; one agent works it.

    Attributes:
        opening: the first message: the user's, or the instruction where there is no user.
        ended: whether it takes no more actions.
    """

    def __init__(
        self,
        task: Task,
        options: CaseOptions,
        database: EpisodeDatabase,
        digest: str,
        tools: AnyToolSession,
        user: User | None,
    ) -> None:
        self.task = task
        self.ended = False
        self._options = options
        self._database = database
        self._digest = digest
        self._tools = tools
        self._user = user
        self.opening = task.variant.instruction if user is None else user.opening()
        self._messages = [Message("user", "", self.opening)]

    @classmethod
    def open(cls, task: Task, options: CaseOptions, seed: int) -> "Case":
        """Take a fresh database, apply the task's records and get the user ready.

        Raises:
            SystemFailure: no database, or no tool server.
            SpecError: the task's records or expectation do not fit its domain.
            UsageError: the task needs a judge or a user model that is not configured.
        """
        if task.variant.rubrics and options.judge == "endpoint":
            Judge.from_environment()
        user = None
        if task.variant.user is not None:
            user = make_user(options.user, task.variant.user, seed=seed)
        pool = open_pool(task.domain, database=options.database, isolation=options.isolation)
        database = pool.acquire(timeout_s=ACQUIRE_TIMEOUT_S)
        try:
            digest = database.prepare(task.variant.start, task.now)
            refuse_unsound(task, database)
            tools = open_tools(database, task.domain.toolsets, task.variant.mcp)
        except BaseException:
            database.close()
            raise
        return cls(task, options, database, digest, tools, user)

    def list_tools(self) -> list[ToolInfo]:
        """What an agent is told about each tool."""
        return self._tools.list_tools()

    def call(self, call: ToolCall) -> CallRecord:
        """Execute one tool call; a refusal is a record with ``is_error``."""
        executed = self._tools.call_tool(call.name, call.arguments)
        self._messages.append(Message("tool", call.name, executed.result.content))
        return CallRecord(
            name=call.name,
            arguments=call.arguments,
            content=executed.result.content,
            is_error=executed.result.is_error,
            changes=executed.changes,
        )

    def say(self, content: str) -> UserTurn | None:
        """Pass the agent's message on; None where there is no user to answer."""
        self._messages.append(Message("assistant", "", content))
        if self._user is None:
            return None
        answer = self._user.reply(content)
        self._messages.append(Message("user", "", answer.content))
        return answer

    def grade(self) -> tuple[Grade, tuple[Change, ...]]:
        """End the case and grade the rows that it leaves.

        Raises:
            SystemFailure: database or judge could not answer.
        """
        self.ended = True
        changes = self._database.net_changes()
        judge = self._judge if self._options.judge == "endpoint" else None
        return grade_task(self.task, self._database, changes, judge), changes

    def close(self) -> None:
        """Give everything back, the database whatever the others do."""
        self.ended = True
        try:
            if self._user is not None:
                self._user.close()
            self._tools.close()
        finally:
            self._database.close()

    def reset_info(self) -> dict[str, Any]:
        """What an agent may know before its first turn; never the oracle, traps or checks."""
        return {
            "task_id": self.task.id,
            "task_hash": self.task.hash,
            "system_prompt": self.task.domain.system_prompt,
            "tools": self._fresh_schemas(),
            "database_digest": self._digest,
        }

    def step_info(self, calls: Sequence[CallRecord]) -> dict[str, Any]:
        """What the last action did."""
        return {
            "task_id": self.task.id,
            "calls": tuple(call.model_dump() for call in calls),
        }

    def _fresh_schemas(self) -> tuple[ToolSchema, ...]:
        """The tools in OpenAI form, shared with nobody: Gymnasium's users keep and change infos."""
        if self.task.variant.mcp is not None:
            return self._tools.openai_tools()
        return tuple(json.loads(_schemas_text(self.task.domain.toolsets)))

    def _judge(self, rubric: Rubric) -> CheckResult:
        return Judge.from_environment().answer(rubric, self._messages)


@cache
def _schemas_text(toolsets: tuple[str, ...]) -> str:
    return json.dumps([tool.info.openai() for tool in load_toolset(toolsets)])
