"""What to do with an episode that a limit cut: train on it, leave it out, or penalise it.

The database graded it all the same. ``keep`` trusts that verdict. ``mask`` takes the episode out
of the loss while its reward still counts in the group's mean: that it was cut says little about
the tokens it did sample (DAPO's overlong filtering). ``penalise`` lowers its reward.
"""

from collections.abc import Sequence
from typing import Literal

Overlong = Literal["keep", "mask", "penalise"]

PENALTY = 0.5
"""Taken off the reward of a cut episode: a pass that was cut is worth half, a failure less."""


def apply_overlong(
    rewards: Sequence[float], cut: Sequence[bool], policy: Overlong
) -> tuple[list[float], list[bool]]:
    """Return each episode's reward, and whether it is trained on.

    Args:
        rewards: [G] verdicts.
        cut: [G] whether a limit ended the episode.
        policy: keep, mask or penalise.
    """
    if policy == "penalise":
        paid = [
            reward - PENALTY if was_cut else reward
            for reward, was_cut in zip(rewards, cut, strict=True)
        ]
        return paid, [True] * len(paid)
    return list(rewards), [not (was_cut and policy == "mask") for was_cut in cut]
