"""Partial credit at the end of an episode, for learners that start from nothing."""

from typing import Any, SupportsFloat

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from tb_envs.errors import UsageError


class CheckShare(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Rewards a failed episode with a part of the share of checks that held.

    A policy without any knowledge of language meets a reward of 1 too seldom to learn from it. This
    is an aid to training and never a result: what counts is ``info["is_success"]``.

    ## Rewards
    As before, but a graded episode that failed earns ``weight`` times the share of its verdict's
    parts that held (each stray change is a part that did not).

    Args:
        env: an environment of ours (or a wrapper of one).
        weight: at most what a failed episode earns; less than 1.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], weight: float = 0.5) -> None:
        """Wrap an environment."""
        if not 0.0 <= weight < 1.0:
            raise UsageError(f"weight: got {weight}; expected at least 0 and less than 1")
        RecordConstructorArgs.__init__(self, weight=weight)
        gymnasium.Wrapper.__init__(self, env)
        self._weight = weight

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take a step; at the end of a failed episode, add the partial credit."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        grade = info.get("grade")
        if grade is not None and not grade["passed"]:
            held = [result["passed"] for result in grade["results"]]
            reward = float(reward) + self._weight * sum(held) / len(held)
        return observation, reward, terminated, truncated, info
