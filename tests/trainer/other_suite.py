"""A module of another project that registers an environment when it is imported."""

from typing import Any

import gymnasium

from tb_envs import spaces


class GreetingEnv(gymnasium.Env[Any, Any]):
    """Reward 1 for an answer with an even number of characters."""

    def __init__(self) -> None:
        self.observation_space = spaces.observation_space()
        self.action_space = spaces.action_space(())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return ({"role": "user", "name": "", "content": "Hello?"},), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return (), float(len(action["content"]) % 2 == 0), True, False, {}


gymnasium.register("Other/Greeting-v0", entry_point=GreetingEnv)
