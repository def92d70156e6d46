"""SkyRL-gym: our tasks through its text-environment interface and registry.

::

    register_with_skyrl()  # in every process that makes environments, such as the Ray entry point
    env = skyrl_gym.make("thinkingbox", extras={"task_id": "hotel-downgrade", "seed": 0})

SkyRL renders prompts without tools, so ``init`` writes them into the system prompt in Hermes' form,
and the shared reader takes the calls out of the model's text. A system error is raised, after the
database was given back: SkyRL cannot mark a sample as broken.
"""

# The library is not installed where the types are checked, so what comes from it is unknown there.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false

import json
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput, ConversationType

from tb_envs.env import ThinkingBoxEnv
from tb_envs.errors import SystemFailure, UsageError
from tb_envs.messages import Observation, ToolSchema
from tb_envs.registration import env_id
from tb_envs.specs import Task, resolve_tasks
from tb_envs.tools import load_toolset
from tb_envs.wrappers import TextAction

ENV_ID = "thinkingbox"


class ThinkingBoxTextEnv(BaseTextEnv):
    """One episode of one task, model text in and messages out.

    Args:
        env_config: keyword arguments of the environment, such as ``database`` and ``judge``.
        extras: the dataset row: ``task_id``, and ``seed`` and ``max_turns`` where given.
    """

    def __init__(
        self, env_config: Mapping[str, Any] | None = None, extras: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        row = dict(extras or {})
        if "task_id" not in row:
            raise UsageError(f"extras: got {sorted(row)}; expected task_id among them")
        self._seed = int(row.get("seed") or 0)
        self.max_turns = row.get("max_turns")
        options: dict[str, Any] = {"on_system_error": "raise"} | dict(env_config or {})
        self._env = TextAction(
            gymnasium.make(env_id(row["task_id"]), disable_env_checker=True, **options)
        )
        self._metrics: dict[str, Any] = {}

    def init(self, prompt: ConversationType) -> tuple[ConversationType, dict[str, Any]]:
        """Begin the episode; the returned prompt replaces the row's.

        Raises:
            SystemFailure: there is no database.
        """
        observation, info = self._env.reset(seed=self._seed)
        self.turns = 0
        self._metrics = {"turns": 0, "tool_calls": 0, "refused_calls": 0}
        system = {"role": "system", "content": _system(info["system_prompt"], info["tools"])}
        return [system, *_messages(observation)], {"task_id": info["task_id"]}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Take the turn that the model's text holds.

        Raises:
            SystemFailure: the infrastructure broke; nothing is known about the model.
        """
        self.turns += 1
        try:
            observation, reward, terminated, truncated, info = self._env.step(action)
            over = self.max_turns is not None and self.turns >= self.max_turns
            if over and not (terminated or truncated):
                base = self._env.unwrapped
                assert isinstance(base, ThinkingBoxEnv)
                _, reward, terminated, truncated, ended = base.finish("steps")
                info = ended | {"calls": info["calls"]}
        except SystemFailure:
            self.close()
            raise
        self._count(info)
        done = bool(terminated or truncated)
        if done:
            self.close()
        return BaseTextEnvStepOutput(
            observations=_messages(observation),
            reward=float(reward),
            done=done,
            metadata={"outcome": info["outcome"]} if done else {},
        )

    def close(self) -> None:
        """Give the database back; safe to call twice."""
        self._env.close()

    def get_metrics(self) -> dict[str, Any]:
        """Say how the episode went, for SkyRL to average."""
        return self._metrics

    def _count(self, info: Mapping[str, Any]) -> None:
        self._metrics["turns"] = self.turns
        self._metrics["tool_calls"] += len(info["calls"])
        self._metrics["refused_calls"] += sum(call["is_error"] for call in info["calls"])
        if "is_success" in info:
            self._metrics["success"] = float(info["is_success"])


def register_with_skyrl() -> None:
    """Register ``thinkingbox`` in this process's registry; safe to call twice."""
    if ENV_ID not in skyrl_gym.envs.registration.registry:
        skyrl_gym.register(id=ENV_ID, entry_point="tb_envs.adapters.skyrl_gym:ThinkingBoxTextEnv")


def dataset_rows(
    tasks: str | Sequence[str] = "train", *, seeds: Sequence[int] = (0,)
) -> list[dict[str, Any]]:
    """Make SkyRL's dataset: one row a task and seed, to be written as JSON lines or Parquet."""
    selection = tasks if isinstance(tasks, str) else list(tasks)
    return [_row(task, seed) for task in resolve_tasks(selection) for seed in seeds]


def _row(task: Task, seed: int) -> dict[str, Any]:
    user = task.variant.user
    tools = tuple(tool.info.openai() for tool in load_toolset(task.domain.toolsets))
    opening = task.variant.instruction if user is None else user.opening
    return {
        # What ``init`` returns too: SkyRL filters rows by the length of this one.
        "prompt": [
            {"role": "system", "content": _system(task.domain.system_prompt, tools)},
            {"role": "user", "content": opening},
        ],
        "env_class": ENV_ID,
        "task_id": task.id,
        "seed": seed,
    }


def _system(prompt: str, tools: Sequence[ToolSchema]) -> str:
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return (
        f"{prompt}\n\n# Tools\n\nYou may call one or more of these functions:\n"
        f"<tools>\n{listed}\n</tools>\n\n"
        "For each call, write a JSON object with the function's name and its arguments:\n"
        '<tool_call>\n{"name": <name>, "arguments": <arguments as a JSON object>}\n</tool_call>'
    )


def _messages(observation: Observation) -> ConversationType:
    return [{"role": message["role"], "content": message["content"]} for message in observation]
