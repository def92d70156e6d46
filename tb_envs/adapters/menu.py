"""Classic RL libraries: a task with a discrete menu of moves and a numeric observation.

Stable-Baselines3, Tianshou and their like take any Gymnasium environment with such spaces, so this
one function is all that they need::

    model = PPO("MlpPolicy", DummyVecEnv([lambda: menu_env("hotel-downgrade")] * 8))

None of them can mark a broken sample, so a system error is raised and stops the training: go on
from the last checkpoint.
"""

from typing import Any, Literal, SupportsFloat

import gymnasium

from tb_envs.registration import env_id
from tb_envs.wrappers import CheckShare, MenuAction


def menu_env(
    task: str,
    *,
    scope: Literal["family", "task"] = "task",
    partial_credit: float = 0.5,
    **task_options: Any,
) -> gymnasium.Env[Any, Any]:
    """Make a task's environment with ``Discrete`` actions and a ``Box`` observation.

    ``info`` holds ``action_mask`` and ``is_success`` and nothing else, in every step: some of these
    libraries stack the infos of a batch, and fail where keys come and go.

    Args:
        task: a task or family name.
        scope: whose moves the menu holds: this task's, or those of its whole family.
        partial_credit: at most what a failed episode earns (see ``CheckShare``); 0 leaves the
            reward as it is. The verdict is in ``info["is_success"]`` either way.
        task_options: keyword arguments of the environment, such as ``database`` and ``judge``.
    """
    options: dict[str, Any] = {"on_system_error": "raise"} | task_options
    env: gymnasium.Env[Any, Any] = gymnasium.make(env_id(task), disable_env_checker=True, **options)
    return _FlatInfo(CheckShare(MenuAction(env, scope=scope), partial_credit))


class _FlatInfo(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Keeps the two parts of ``info`` that a classic learner can use."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, _flat(info)

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, _flat(info)


def _flat(info: dict[str, Any]) -> dict[str, Any]:
    return {"action_mask": info["action_mask"], "is_success": info.get("is_success", False)}
