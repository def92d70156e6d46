"""Raw model text as the action, read by the shared reader."""

from typing import Any

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from tb_envs.messages import Observation, action_of
from tb_envs.reading import ToolFormat, read_turn
from tb_envs.spaces import FreeText


class TextAction(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Takes what the model wrote, special tokens and think blocks included.

    Args:
        env: an environment of ours (or a wrapper of one).
        tool_format: how the model writes calls: ``hermes`` or ``qwen3_xml``.
        reasoning_open: the prompt ends inside ``<think>``, as some chat templates leave it.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        tool_format: ToolFormat = "hermes",
        reasoning_open: bool = False,
    ) -> None:
        """Wrap an environment; tools become known at ``reset``."""
        RecordConstructorArgs.__init__(self, tool_format=tool_format, reasoning_open=reasoning_open)
        gymnasium.Wrapper.__init__(self, env)
        self.action_space = FreeText(("Could you tell me your booking reference?", "Done."))
        self._tool_format: ToolFormat = tool_format
        self._reasoning_open = reasoning_open
        self._tools: tuple[dict[str, Any], ...] = ()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._tools = info["tools"]
        return observation, info

    def step(self, action: str) -> tuple[Observation, Any, bool, bool, dict[str, Any]]:
        """Read the model's text and take the turn it holds."""
        turn = read_turn(
            action,
            self._tools,
            tool_format=self._tool_format,
            reasoning_open=self._reasoning_open,
        )
        return self.env.step(action_of(turn))
