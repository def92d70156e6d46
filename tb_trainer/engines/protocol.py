"""What the trainer asks of an engine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from tb_trainer.trajectory import Sampled

WeightSource = Callable[[], Iterable[tuple[str, Tensor]]]
"""Gives every parameter under its Hugging Face name, ``lm_head.weight`` included when tied."""


@dataclass(frozen=True, slots=True)
class Request:
    """One turn to sample.

    ``episode`` names the conversation, so that an engine may keep its KV cache between turns.
    ``temperature`` 0 takes the likeliest token. There is no top-p and no top-k: the probabilities
    that the learner computes would not be those that were sampled from.
    """

    episode: str
    ids: tuple[int, ...]
    max_new_tokens: int
    temperature: float
    seed: int
    stop_ids: frozenset[int]


class Engine(Protocol):
    """Samples turns; safe to call from many threads, which it batches."""

    @property
    def context_tokens(self) -> int:
        """The longest sequence, prompt and sampled tokens together."""
        ...

    def expect(self, episodes: int, concurrency: int) -> None:
        """Announce a collection, so that a batching engine knows for whom it may wait."""
        ...

    def generate(self, request: Request, *, timeout_s: float) -> Sampled:
        """Sample one turn; blocks until it is there.

        Raises:
            PolicyFailure: the engine broke, or took longer than ``timeout_s``.
        """
        ...

    def forget(self, episode: str) -> None:
        """Drop what is kept for an episode that has ended."""
        ...

    def update_weights(self, source: WeightSource) -> None:
        """Replace all weights and drop every cache that the old ones filled."""
        ...

    def sleep(self) -> None:
        """Free device memory while the learner works, where the engine can."""
        ...

    def wake(self) -> None:
        """Take the memory back; called before `update_weights`, which needs it."""
        ...

    def close(self) -> None:
        """Stop; a request that still waits fails."""
        ...
