"""Group-relative advantages: how much better an episode did than its siblings."""

import statistics
from collections.abc import Sequence
from typing import Literal, get_args

from tb_envs.errors import UsageError

Estimator = Literal["grpo", "dr_grpo", "rloo"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)

# Rewards are 0 or 1, so the deviation of a group with signal is at least 1/G; the epsilon only
# keeps shaped rewards that differ in the last bits from being blown up.
_EPSILON = 1e-6


def has_signal(rewards: Sequence[float]) -> bool:
    """Whether the group's rewards differ; equal rewards give advantage 0 to every episode."""
    return max(rewards) - min(rewards) > _EPSILON


def group_advantages(rewards: Sequence[float], estimator: Estimator) -> list[float]:
    """Turn the rewards of one group into advantages.

    ``grpo`` divides the centred reward by the group's sample standard deviation, ``dr_grpo`` does
    not (the division weighs very easy and very hard tasks up), ``rloo`` compares each episode with
    the mean of the *others*.

    Args:
        rewards: [G], G at least 2.
        estimator: Which of the three.

    Returns:
        [G]; they sum to zero.

    Raises:
        UsageError: a group of one has nothing to be compared with.
    """
    size = len(rewards)
    if size < 2:
        raise UsageError(f"a group needs at least 2 episodes, got {size}")
    mean = statistics.fmean(rewards)
    centred = [reward - mean for reward in rewards]
    if estimator == "dr_grpo":
        return centred
    if estimator == "rloo":
        return [value * size / (size - 1) for value in centred]
    deviation = statistics.stdev(rewards)
    return [value / (deviation + _EPSILON) for value in centred]
