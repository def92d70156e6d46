"""The transformers engine: any causal model, CPU or GPU, one batch a turn.

A worker thread waits until each episode that is under way has asked for its next turn (or
`gather_s` has passed), then decodes them together. With environments that answer within that time
the batches, and so the sampled tokens, are the same in each run.
"""

import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field

import torch
from transformers import PreTrainedModel

from tb_envs.errors import PolicyFailure, UsageError
from tb_trainer.engines.kv import EpisodeCache
from tb_trainer.engines.protocol import Request, WeightSource
from tb_trainer.engines.turn import decode_turn
from tb_trainer.models import other_attention
from tb_trainer.trajectory import Sampled


@dataclass(frozen=True, slots=True)
class _Waiting:
    request: Request
    answer: "Future[Sampled]" = field(default_factory=lambda: Future[Sampled]())
    abandoned: threading.Event = field(default_factory=threading.Event)


class TransformersEngine:
    """Samples with a model of its own, separate from the learner's.

    Args:
        model: The model; the engine owns it.
        context_tokens: The longest sequence.
        max_batch: Episodes decoded together at most.
        gather_s: How long a batch waits for episodes that are still with their environment.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        context_tokens: int,
        max_batch: int = 64,
        gather_s: float = 2.0,
    ) -> None:
        if other := other_attention(model.config):
            raise UsageError(
                f"the transformers engine keeps caches of full attention only, and this model has "
                f"{', '.join(sorted(other))}; use the vllm engine"
            )
        self._model = model.eval()
        self._context_tokens = context_tokens
        self._max_batch = max_batch
        self._gather_s = gather_s
        self._kept: dict[str, EpisodeCache] = {}
        self._waiting: list[_Waiting] = []
        self._episodes_left = 0
        self._concurrency = 0
        self._closed = False
        self._changed = threading.Condition()
        self._model_lock = threading.Lock()
        self._worker = threading.Thread(target=self._work, name="transformers-engine", daemon=True)
        self._worker.start()

    @property
    def context_tokens(self) -> int:
        """The longest sequence, prompt and sampled tokens together."""
        return self._context_tokens

    def expect(self, episodes: int, concurrency: int) -> None:
        """Announce a collection: batches wait for each other's episodes from now on."""
        with self._changed:
            self._episodes_left, self._concurrency = episodes, concurrency

    def generate(self, request: Request, *, timeout_s: float) -> Sampled:
        """Sample one turn; blocks until it is there.

        Raises:
            PolicyFailure: the model raised, the engine is closed, or the time is over.
        """
        waiting = _Waiting(request)
        with self._changed:
            if self._closed:
                raise PolicyFailure("the engine is closed")
            self._waiting.append(waiting)
            self._changed.notify_all()
        try:
            return waiting.answer.result(timeout=timeout_s)
        except FutureTimeout as error:
            waiting.abandoned.set()
            raise PolicyFailure(f"no turn within {timeout_s:.1f} s") from error

    def forget(self, episode: str) -> None:
        """Drop the episode's cache, and wait for it no longer."""
        with self._changed:
            self._kept.pop(episode, None)
            self._episodes_left = max(0, self._episodes_left - 1)
            self._changed.notify_all()

    def update_weights(self, source: WeightSource) -> None:
        """Copy the weights in, and drop all caches."""
        with self._model_lock, torch.no_grad():
            own = dict(self._model.named_parameters(remove_duplicate=False))
            for name, tensor in source():
                if name not in own:
                    raise UsageError(f"the engine's model has no parameter {name!r}")
                own.pop(name).copy_(tensor)
            if own:
                raise UsageError(f"the update lacks {', '.join(sorted(own)[:5])}")
            with self._changed:
                self._kept.clear()

    def sleep(self) -> None:
        """Drop the caches; the weights stay, they are small here."""
        with self._changed:
            self._kept.clear()

    def wake(self) -> None:
        """Nothing was given away."""

    def close(self) -> None:
        """Stop the worker; requests that wait fail."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._worker.join()
        for waiting in self._waiting:
            waiting.answer.set_exception(PolicyFailure("the engine was closed"))

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            with self._model_lock:
                try:
                    self._decode(batch)
                except Exception as error:  # noqa: BLE001 - the boundary: whatever a model raises
                    for waiting in batch:
                        _fail(waiting, error)

    def _next_batch(self) -> list[_Waiting] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            deadline = time.monotonic() + self._gather_s
            self._changed.wait_for(
                lambda: self._closed or len(self._waiting) >= self._awaited(),
                timeout=deadline - time.monotonic(),
            )
            if self._closed:
                return None
            # Threads arrive in any order; a fixed order makes equal batches equal.
            self._waiting.sort(key=lambda waiting: waiting.request.episode)
            batch, self._waiting = (
                self._waiting[: self._max_batch],
                self._waiting[self._max_batch :],
            )
            return batch

    def _awaited(self) -> int:
        return max(1, min(self._episodes_left, self._concurrency))

    def _decode(self, batch: list[_Waiting]) -> None:
        live = {w.request.episode: w for w in batch if not w.abandoned.is_set()}
        if not live:
            return
        requests = [waiting.request for waiting in live.values()]
        with self._changed:
            kept = [self._kept.get(request.episode) for request in requests]
        usable = [
            cache if cache is not None and cache.usable_for(request.ids) else None
            for cache, request in zip(kept, requests, strict=True)
        ]
        for request, sampled, cache in decode_turn(
            self._model, requests, usable, lambda request: live[request.episode].abandoned.is_set()
        ):
            waiting = live[request.episode]
            with self._changed:
                if not waiting.abandoned.is_set():
                    self._kept[request.episode] = cache
            waiting.answer.set_result(sampled)


def _fail(waiting: _Waiting, error: Exception) -> None:
    if not waiting.answer.done():
        failure = PolicyFailure(f"the model raised {type(error).__name__}: {error}")
        failure.__cause__ = error
        waiting.answer.set_exception(failure)
