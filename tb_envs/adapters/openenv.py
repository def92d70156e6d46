"""OpenEnv: our suite behind its server, with its tools over OpenEnv's MCP door too.

::

    uvicorn --factory tb_envs.adapters.openenv:create_app --port 8000

    with ThinkingBoxClient(base_url="http://localhost:8000").sync() as client:
        opening = client.reset(seed=7, task_id="hotel-downgrade").observation
        answer = client.step(CallToolAction(tool_name="find_tickets", arguments={}))

The agent sees tools only (``tools/list``, ``tools/call``), talking to the user among them;
``reset``, ``step``, ``finish`` and the reward are the trainer's. A system error is an error of the
step (``EXECUTION_ERROR``), never a reward.
"""

# The library is not installed where the types are checked, so what comes from it is unknown there.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false

import os
from pathlib import Path
from typing import Any, ClassVar, cast, get_args
from uuid import uuid4

from fastapi import FastAPI
from openenv.core import MCPToolClient
from openenv.core.env_server import Environment
from openenv.core.env_server import create_app as create_openenv_app
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
)
from openenv.core.env_server.types import (
    Action,
    ConcurrencyConfig,
    EnvironmentMetadata,
    Observation,
    State,
)

from tb_envs.adapters.tool_episode import ToolEpisode
from tb_envs.errors import SystemFailure, UsageError
from tb_envs.specs import Task, resolve_tasks
from tb_envs.specs.models import Split
from tb_envs.tools import load_toolset
from tb_envs.tools.talk import TALK

FINISH = {"finish": True}
"""Metadata of an action that ends the episode; an agent's tool calls carry no metadata."""


class CaseObservation(Observation):
    """What an episode begins with. The tools are listed by ``ListToolsAction``."""

    task_id: str
    system_prompt: str
    message: str


class ThinkingBoxOpenEnv(Environment[Action, Observation, State]):
    """One session's environment: an episode at a time, of any task of the suite.

    Args:
        tasks: a split, a pool file, or a list of task and family names.
        task_options: keyword arguments of the environments, such as ``database`` and ``judge``.
    """

    SUPPORTS_CONCURRENT_SESSIONS: ClassVar[bool] = True

    def __init__(self, tasks: str | Path | list[str] = "demo", **task_options: Any) -> None:
        super().__init__()
        self._tasks = {task.id: task for task in resolve_tasks(tasks)}
        self._episode = ToolEpisode(**task_options)
        self._state = State()
        self._tools = _tools_of(next(iter(self._tasks.values())))

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        **_: Any,
    ) -> CaseObservation:
        """Begin an episode of a task, chosen by its id or by OpenEnv's split and index.

        Raises:
            UsageError: there is no such task here.
            SystemFailure: there is no database.
        """
        task = self._choose(task_id, split, index)
        opening = self._episode.reset(task.id, 0 if seed is None else seed)
        self._tools = [_tool(schema["function"]) for schema in self._episode.tools]
        self._state = State(episode_id=episode_id or uuid4().hex, step_count=0)
        return CaseObservation(
            task_id=task.id, system_prompt=self._episode.system_prompt, message=opening, reward=0.0
        )

    def step(self, action: Action, timeout_s: float | None = None, **_: Any) -> Observation:
        """List the tools, or call one; the last observation of an episode holds its verdict.

        Raises:
            SystemFailure: the infrastructure broke; there is no reward. The next reset works.
        """
        if isinstance(action, ListToolsAction):
            return ListToolsObservation(tools=self._tools)
        call = cast("CallToolAction", action)
        self._state.step_count += 1
        if call.metadata == FINISH:
            self._episode.verdict()
            return self._observe("", "", is_error=False)
        result = self._episode.call_with(call.tool_name, call.arguments)
        return self._observe(call.tool_name, result.content, is_error=result.is_error)

    @property
    def state(self) -> State:
        """The episode's id and how many steps it has had; nothing of the task."""
        return self._state

    def close(self) -> None:
        """Give the database back; the server calls it when the session ends."""
        self._episode.close()

    def get_metadata(self) -> EnvironmentMetadata:
        """Describe the environment to OpenEnv's catalog."""
        return EnvironmentMetadata(
            name="thinkingbox",
            description="Customer cases on real PostgreSQL databases, graded by the rows left.",
        )

    def list_splits(self) -> list[str]:
        """List the splits that have tasks here."""
        present = {task.split for task in self._tasks.values()}
        return [name for name in get_args(Split) if name in present]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """List a split's tasks."""
        return [
            {"id": task.id, "index": index, "domain": task.domain.name}
            for index, task in enumerate(self._of_split(split))
        ]

    def num_tasks(self, split: str) -> int:
        """Count a split's tasks."""
        return len(self._of_split(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Describe one task."""
        return self.list_tasks(split)[index]

    def _of_split(self, split: str) -> list[Task]:
        return [task for task in self._tasks.values() if task.split == split]

    def _choose(self, task_id: str | None, split: str | None, index: int | None) -> Task:
        if task_id is not None:
            # A family's name stands for its first task, as it does everywhere.
            wanted = task_id if "." in task_id else resolve_tasks([task_id])[0].id
            if wanted not in self._tasks:
                raise UsageError(
                    f"task_id: got {task_id!r}, which is not among this server's "
                    f"{len(self._tasks)} tasks"
                )
            return self._tasks[wanted]
        if split is None:
            return list(self._tasks.values())[index or 0]
        return self._of_split(split)[index or 0]

    def _observe(self, name: str, content: str, *, is_error: bool) -> CallToolObservation:
        episode = self._episode
        if episode.ended and episode.system_error:
            raise SystemFailure(f"system error: {episode.system_error}")
        verdict = episode.verdict() if episode.ended else 0.0
        return CallToolObservation(
            tool_name=name,
            result={"data": content, "is_error": is_error},
            done=episode.ended,
            reward=verdict,
            metadata={"outcome": episode.info["outcome"]} if episode.ended else {},
        )


class ThinkingBoxClient(MCPToolClient):
    """OpenEnv's own tool client, with one more act for the trainer."""

    async def finish(self) -> Any:
        """End the episode now and return a step result with its verdict.

        For agents that stop before the user has left, or that a limit of the trainer's cuts.
        """
        return await self.step(CallToolAction(tool_name=TALK.name, metadata=FINISH))

    def _step_payload(self, action: Any) -> dict[str, Any]:
        metadata = {"metadata": action.metadata} if getattr(action, "metadata", None) else {}
        return super()._step_payload(action) | metadata


def create_app(
    tasks: str | Path | list[str] | None = None,
    *,
    max_sessions: int = 64,
    idle_timeout_s: float = 1800.0,
    **task_options: Any,
) -> FastAPI:
    """Make the server.

    Args:
        tasks: a split, a pool file, or a list of names; None: ``TB_OPENENV_TASKS``, else ``demo``.
        max_sessions: episodes at once; OpenEnv's own default is one.
        idle_timeout_s: seconds after which a forgotten session is closed; OpenEnv's own is never.
        task_options: keyword arguments of the environments, such as ``database`` and ``judge``.
    """
    chosen = os.environ.get("TB_OPENENV_TASKS", "demo") if tasks is None else tasks
    return create_openenv_app(
        lambda: ThinkingBoxOpenEnv(chosen, **task_options),
        CallToolAction,
        CallToolObservation,
        env_name="thinkingbox",
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=max_sessions, session_timeout=idle_timeout_s
        ),
        reset_observation_cls=CaseObservation,
    )


def _tools_of(task: Task) -> list[Tool]:
    """What is listed before the first reset; an outside server's tools are known only after it."""
    if task.variant.mcp is not None:
        return []
    infos = [tool.info for tool in load_toolset(task.domain.toolsets)]
    return [_tool(info.openai()["function"]) for info in (*infos, TALK)]


def _tool(function: dict[str, Any]) -> Tool:
    return Tool(
        name=function["name"],
        description=function["description"],
        input_schema=function["parameters"],
    )
