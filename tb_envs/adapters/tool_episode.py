"""An episode that is worked through tool calls alone, for libraries that know nothing but tools.

Talking to the user is a tool too (``message_user``). Every call is a step of the plain
environment, so limits, answers and verdict are the same there and here.
"""

import json
from typing import Any

import gymnasium

from tb_envs.env import ThinkingBoxEnv
from tb_envs.errors import SystemFailure, ToolRefusal, UsageError
from tb_envs.messages import ActionCall, ActionTurn, ToolResult, ToolSchema
from tb_envs.registration import env_id
from tb_envs.specs import find_task
from tb_envs.tools.talk import HOW_TO_TALK, TALK, read_message

CLOSED = "(The case is closed; nothing that you do from here on counts.)"


class ToolEpisode:
    """One running episode at a time; ``reset`` begins another, of any task.

    Args:
        task_options: keyword arguments of the environments, such as ``database`` and ``judge``.
    """

    def __init__(self, **task_options: Any) -> None:
        self.tools: tuple[ToolSchema, ...] = ()
        self.system_prompt = ""
        self.info: dict[str, Any] = {}
        self._task_options = task_options
        self._env: gymnasium.Env[Any, Any] | None = None
        self._reward: float | None = None
        self._begun = False
        self._ended = True
        self._talks = False

    @property
    def ended(self) -> bool:
        """Whether the episode is over: the user has left, a limit was reached, or it broke."""
        return self._ended

    @property
    def system_error(self) -> str | None:
        """What broke, where the infrastructure did; there is no verdict then."""
        return self.info.get("system_error")

    def reset(self, task_id: str, seed: int) -> str:
        """Begin an episode and return the user's opening message.

        Raises:
            SystemFailure: there is no database, a second time.
        """
        self.close()
        # A reset that fails leaves no episode, and least of all the last one's verdict.
        self.info, self._reward, self._begun, self._ended = {}, None, False, True
        task = find_task(task_id)
        env = gymnasium.make(env_id(task.id), disable_env_checker=True, **self._task_options)
        self._env = env
        observation, info = _begin(env, seed)
        self._talks = talks = task.variant.user is not None
        self.tools = (*info["tools"], *([TALK.openai()] if talks else []))
        self.system_prompt = "\n".join([info["system_prompt"], *([HOW_TO_TALK] if talks else [])])
        self.info, self._begun, self._ended = info, True, False
        return str(observation[0]["content"])

    def call(self, name: str, arguments: str) -> ToolResult:
        """Execute one call whose arguments are JSON text; what a model did wrong is an answer.

        Raises:
            UsageError: no episode was begun.
        """
        self._require_episode()
        if self._ended:
            return ToolResult(CLOSED, is_error=True)
        if not self._talks or name != TALK.name:
            call = ActionCall(name=name, arguments=arguments)
            content = self._step(ActionTurn(content="", tool_calls=(call,)))
            return ToolResult(content, is_error=any(c["is_error"] for c in self.info["calls"]))
        try:
            return ToolResult(self._step(read_message(arguments)))
        except ToolRefusal as refusal:
            return ToolResult(str(refusal), is_error=True)

    def call_with(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Execute one call whose arguments the library has decoded already."""
        return self.call(name, json.dumps(arguments, default=str))

    def verdict(self) -> float | None:
        """The reward, None after a system error; a running episode ends now and is graded.

        Raises:
            UsageError: no episode was begun.
        """
        self._require_episode()
        if not self._ended:
            base = self._running().unwrapped
            assert isinstance(base, ThinkingBoxEnv)
            self._keep(base.finish("steps"))
        return self._reward

    def close(self) -> None:
        """Give the database back; safe to call twice. The verdict stays."""
        env, self._env = self._env, None
        if env is not None:
            env.close()

    def _step(self, action: ActionTurn | str) -> str:
        observation = self._keep(self._running().step(action))
        answers = [str(message["content"]) for message in observation]
        return "\n".join([*answers, CLOSED] if self._ended else answers)

    def _keep(self, result: Any) -> Any:
        """Remember a step's outcome; an episode that ended needs its database no longer."""
        observation, reward, terminated, truncated, self.info = result
        self._ended = bool(terminated or truncated)
        if self._ended:
            self._reward = None if self.system_error else float(reward)
            self.close()
        return observation

    def _require_episode(self) -> None:
        if not self._begun:
            raise UsageError("there is no episode; call reset() first")

    def _running(self) -> gymnasium.Env[Any, Any]:
        assert self._env is not None
        return self._env


def _begin(env: gymnasium.Env[Any, Any], seed: int) -> tuple[Any, dict[str, Any]]:
    """Reset; a database that was lost once is no reason to stop a training run."""
    try:
        return env.reset(seed=seed)
    except SystemFailure:
        return env.reset(seed=seed)
