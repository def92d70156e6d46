"""Classic RL libraries: a task with a discrete menu of moves and a numeric observation.

Stable-Baselines3, Tianshou and their like take any Gymnasium environment with such spaces, so this
one function is all that they need::

    model = PPO("MlpPolicy", DummyVecEnv([lambda: menu_env("hotel-downgrade")] * 8))

None of them can mark a broken sample, so a system error is raised and stops the training: go on
from the last checkpoint.
"""

from typing import Any, Literal

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

    Args:
        task: a task or family name.
        scope: whose moves the menu holds: this task's, or those of its whole family.
        partial_credit: at most what a failed episode earns (see ``CheckShare``); 0 leaves the
            reward as it is. The verdict is in ``info["is_success"]`` either way.
        task_options: keyword arguments of the environment, such as ``database`` and ``judge``.
    """
    options = {"on_system_error": "raise"} | task_options
    env: gymnasium.Env[Any, Any] = gymnasium.make(env_id(task), disable_env_checker=True, **options)
    env = MenuAction(env, scope=scope)
    return CheckShare(env, partial_credit) if partial_credit else env
