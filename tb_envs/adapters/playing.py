"""One episode for a library that brings only a model: our loop plays it."""

from typing import Any

import gymnasium

from tb_envs.episode import Episode
from tb_envs.policies.protocol import Policy
from tb_envs.registration import env_id
from tb_envs.rollout import DEFAULT_DEADLINE_S, run_episode


def play_episode(
    task_id: str,
    policy: Policy,
    *,
    seed: int,
    attempt: int = 0,
    deadline_s: float = DEFAULT_DEADLINE_S,
    **task_options: Any,
) -> Episode:
    """Play a task once and give its database back; a system error is the episode's outcome."""
    env = gymnasium.make(env_id(task_id), disable_env_checker=True, **task_options)
    try:
        return run_episode(env, policy, seed=seed, attempt=attempt, deadline_s=deadline_s)
    finally:
        env.close()
