"""Observation and action spaces: Gymnasium's composites over one leaf for free text.

Gymnasium's own ``Text`` space knows a fixed character set, checks it character by character, and
returns wrong strings from shared-memory vectorisation. ``FreeText`` holds every string; where
Gymnasium would share memory for it, it refuses instead of garbling.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.random import Generator

MOST_SAMPLED = 3
"""Calls in a sampled turn, at most."""


class FreeText(spaces.Space[str]):
    """Any string, the empty one and every script included.

    Args:
        samples: what ``sample`` draws from, so that a sampled action is a valid one.
        seed: seed of the sampler.
    """

    def __init__(self, samples: Sequence[str] = ("",), seed: int | Generator | None = None) -> None:
        self.samples = tuple(samples)
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Text has no fixed-size array form."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draw one of the sample texts."""
        return self.samples[int(self.np_random.integers(len(self.samples)))]

    def contains(self, x: Any) -> bool:
        """Say whether ``x`` is a string."""
        return isinstance(x, str)

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Strings are JSON already."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[str]) -> list[str]:
        """Strings are JSON already."""
        return list(sample_n)

    def __eq__(self, other: object) -> bool:
        """All free-text spaces hold the same strings."""
        return isinstance(other, FreeText) and self.samples == other.samples

    __hash__ = None  # type: ignore[assignment] # like Gymnasium's spaces: equal by content

    def __repr__(self) -> str:
        """Name the space; its samples are an aid to testing, not part of it."""
        return "FreeText()"


class FewCalls(spaces.Sequence):
    """A sequence of calls of any length, whose samples are short.

    Gymnasium's checker wants an episode to outlast one sampled action; a turn with more calls than
    a task allows would end it.
    """

    def sample(self, mask: Any = None, probability: Any = None) -> tuple[Any, ...]:
        """Draw a few calls, or none."""
        drawn: tuple[Any, ...] = super().sample(mask, probability)
        return drawn[:MOST_SAMPLED]


def observation_space() -> spaces.Space[Any]:
    """The new messages since the last action: a tuple of ``{role, name, content}``."""
    message = spaces.Dict(
        {
            "role": FreeText(("user", "tool")),
            "name": FreeText(),
            "content": FreeText(("Hello.",)),
        }
    )
    return spaces.Sequence(message)


def action_space(tool_names: Sequence[str]) -> spaces.Space[Any]:
    """An assistant turn, ``{content, tool_calls: ({name, arguments}, ..)}``.

    ``sample`` draws turns that an agent could have written: a message, or calls of real tools.
    """
    call = spaces.Dict(
        {
            "name": FreeText(tuple(tool_names) or ("none",)),
            "arguments": FreeText(("{}", '{"limit": 5}')),
        }
    )
    return spaces.Dict(
        {
            "content": FreeText(("", "Could you tell me your booking reference?", "Done.")),
            "tool_calls": FewCalls(call),
        }
    )


def seed_of(generator: np.random.Generator) -> int:
    """Draw an episode's seed."""
    return int(generator.integers(2**31))
