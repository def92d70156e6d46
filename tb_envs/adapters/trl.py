"""TRL: our tasks as the environments of ``GRPOTrainer``.

::

    spec = ThinkingBoxSpec("train")
    trainer = GRPOTrainer(
        model="Qwen/Qwen3-0.6B",
        train_dataset=spec.train_dataset,
        environment_factory=spec.environment_factory,
    )

Each domain is one of TRL's environments: its tools are methods, talking to the user is one of them,
and the environment owns its reward. A rollout ends when the model writes a turn without a tool
call, so that turn reaches nobody; the system prompt says so.
"""

# The library is not installed where the types are checked, so what comes from it is unknown there.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false

import inspect
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, cast

from tb_envs.adapters.tool_episode import ToolEpisode
from tb_envs.errors import UsageError
from tb_envs.messages import ToolSchema
from tb_envs.specs import Task, resolve_tasks
from tb_envs.specs.domain import Domain
from tb_envs.tools import load_toolset
from tb_envs.tools.talk import HOW_TO_TALK, TALK

if TYPE_CHECKING:
    from datasets import Dataset

_PYTHON_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_logger = logging.getLogger(__name__)


class ThinkingBoxSpec:
    """What ``GRPOTrainer`` takes of us: ``train_dataset`` and ``environment_factory``.

    Args:
        tasks: a split, a pool file, or a list of task and family names.
        seeds: one row a task and seed; all completions of a group share a row, and so a seed.
        task_options: keyword arguments of the environments, such as ``database`` and ``judge``.
    """

    def __init__(
        self,
        tasks: str | Path | Sequence[str] = "train",
        *,
        seeds: Sequence[int] = (0,),
        **task_options: Any,
    ) -> None:
        self._tasks = resolve_tasks(tasks)
        self._seeds = seeds
        self._task_options = task_options
        outside = [task.id for task in self._tasks if task.variant.mcp is not None]
        if outside:
            raise UsageError(
                f"{', '.join(outside)}: the tools come from an outside MCP server and are not "
                "known before an episode, but TRL asks for them when the trainer is made; leave "
                "these tasks out"
            )

    @cached_property
    def train_dataset(self) -> "Dataset":
        """One row a task and seed: ``prompt``, ``environment``, ``task_id``, ``seed``."""
        from datasets import Dataset

        return Dataset.from_list([_row(task, seed) for task in self._tasks for seed in self._seeds])

    @cached_property
    def environment_factory(self) -> dict[str, Callable[[], "DomainEnvironment"]]:
        """A class of environments for each domain, by the domain's name."""
        domains = {task.domain.name: task.domain for task in self._tasks}
        talking = {task.domain.name for task in self._tasks if task.variant.user is not None}
        return {
            name: environment_class(domain, self._task_options, talks=name in talking)
            for name, domain in domains.items()
        }


class DomainEnvironment:
    """An episode in TRL's terms; a domain's subclass adds a method for each of its tools."""

    _task_options: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self._episode = ToolEpisode(**self._task_options)

    def reset(self, *, task_id: str, seed: int, **_: Any) -> str:
        """Begin the row's episode; the user's opening goes to the end of the prompt."""
        return self._episode.reset(task_id, seed)

    def get_reward(self) -> float | None:
        """Give the verdict on the database as it is now.

        Returns:
            The reward, or None after a system error: TRL gives such a rollout no advantage.
        """
        reward = self._episode.verdict()
        if reward is None:
            _logger.warning("not scored: system error: %s", self._episode.system_error)
        return reward


def environment_class(
    domain: Domain, task_options: Mapping[str, Any], *, talks: bool = True
) -> type[DomainEnvironment]:
    """Make a domain's class; its methods but ``reset`` and ``get_reward`` are TRL's tools."""
    infos = [tool.info for tool in load_toolset(domain.toolsets)] + ([TALK] if talks else [])
    methods = {info.name: _method(info.openai()) for info in infos}
    name = f"ThinkingBox{domain.name.title().replace('_', '')}"
    return type(name, (DomainEnvironment,), {"_task_options": task_options, **methods})


def _row(task: Task, seed: int) -> dict[str, Any]:
    system = task.domain.system_prompt
    if task.variant.user is not None:
        system = f"{system}\n{HOW_TO_TALK}"
    return {
        "prompt": [{"role": "system", "content": system}, {"role": "user", "content": ""}],
        "environment": task.domain.name,
        "task_id": task.id,
        "seed": seed,
    }


def _method(tool: ToolSchema) -> Callable[..., str]:
    """Make a method whose signature and docstring say what the tool's schema says.

    TRL has no way to hand a schema over: it reads type hints and a Google docstring.
    """
    function = tool["function"]
    properties = cast("dict[str, dict[str, Any]]", function["parameters"]["properties"])
    required = function["parameters"].get("required", [])

    def method(self: DomainEnvironment, /, **arguments: Any) -> str:
        # Whatever the model made of the arguments: the environment says what is wrong with them.
        episode = self._episode  # pyright: ignore[reportPrivateUsage] - public names are tools
        return episode.call_with(function["name"], arguments).content

    hints = {name: _hint(schema) for name, schema in properties.items()}
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)] + [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[name],
            default=inspect.Parameter.empty if name in required else schema.get("default"),
        )
        for name, schema in properties.items()
    ]
    described = "\n".join(f"    {name}: {_describe(schema)}" for name, schema in properties.items())
    method.__name__ = function["name"]
    method.__doc__ = (
        f"{function['description']}\n\nArgs:\n{described}" if described else function["description"]
    )
    method.__annotations__ = hints
    method.__signature__ = inspect.Signature(parameters)
    return method


def _hint(schema: Mapping[str, Any]) -> Any:
    kinds = [part.get("type") for part in schema.get("anyOf", [schema])]
    hint = _PYTHON_TYPES[next(kind for kind in kinds if kind != "null")]
    return Optional[hint] if "null" in kinds else hint  # noqa: UP045 - made at run time


def _describe(schema: Mapping[str, Any]) -> str:
    """Write a parameter's description with what a type hint cannot say."""
    parts: dict[str, Any] = {}
    for part in schema.get("anyOf", [schema]):
        parts |= part
    words = " ".join(str(schema.get("description", "")).split())
    limits = [
        f"{word} {parts[key]}"
        for key, word in (
            ("minimum", "at least"),
            ("exclusiveMinimum", "more than"),
            ("maximum", "at most"),
        )
        if key in parts
    ]
    if limits:
        words += f" ({', '.join(limits)})"
    return f"{words} (choices: {json.dumps(parts['enum'])})" if "enum" in parts else words
