"""Decode one turn of several episodes together, each with its own random stream."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache

from tb_trainer.engines.kv import EpisodeCache, keep_rows, take_row, turn_cache
from tb_trainer.engines.protocol import Request
from tb_trainer.trajectory import Sampled


@dataclass(slots=True)
class _Row:
    request: Request
    generator: torch.Generator
    ids: list[int] = field(default_factory=list[int])
    logprobs: list[float] = field(default_factory=list[float])

    @property
    def stopped(self) -> bool:
        return bool(self.ids) and self.ids[-1] in self.request.stop_ids

    @property
    def done(self) -> bool:
        return self.stopped or len(self.ids) >= self.request.max_new_tokens


@dataclass(slots=True)
class _Batch:
    """Rows under way: what the model keeps of them, and which of its columns hold their tokens.

    ``mask`` is [n, capacity], of which the first ``filled`` columns are in use. Releases of
    transformers differ in what ``forward`` calls the cache.
    """

    model: PreTrainedModel
    cache: Cache
    cache_name: str
    mask: Tensor
    filled: int

    def read(self, ids: Tensor) -> Tensor:
        """Put the tokens [n, T] of the last T filled columns through the model; logits [n, V]."""
        mask = self.mask[:, : self.filled]
        return self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=(mask.cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :],
            use_cache=True,
            logits_to_keep=1,
            **{self.cache_name: self.cache},
        ).logits[:, -1]

    def extend(self, ids: Tensor) -> Tensor:
        """Read one more token [n, 1] of each row; logits [n, V]."""
        self.mask[:, self.filled] = 1
        self.filled += 1
        return self.read(ids)

    def take(self, row: int, ids: tuple[int, ...]) -> EpisodeCache:
        """Copy out what the model keeps of a row, whose tokens these are."""
        return take_row(self.cache, row, self.mask[row, : self.filled].bool(), ids)

    def keep(self, rows: list[int]) -> None:
        """Go on with these rows; one that is named twice becomes two."""
        index = torch.tensor(rows, device=self.mask.device)
        keep_rows(self.cache, index)
        self.mask = self.mask.index_select(0, index)


@torch.inference_mode()
def decode_turn(
    model: PreTrainedModel,
    requests: list[Request],
    kept: list[EpisodeCache | None],
    cancelled: Callable[[Request], bool],
) -> Iterator[tuple[Request, Sampled, EpisodeCache]]:
    """Sample a turn for each request, yielding each as soon as it is complete.

    A prompt that several requests share is read once: the episodes of a group begin alike, and
    often go on alike for some turns.

    Args:
        model: A causal language model with full attention in each layer.
        requests: [n] what to sample.
        kept: [n] caches that are usable for the prompts, or None.
        cancelled: Asked before each step; a cancelled row is dropped.
    """
    rows = [_Row(request, _generator(request.seed, model.device)) for request in requests]
    prompts = _longest_caches(requests, kept)
    room = max(request.max_new_tokens for request in requests)
    batch, fresh = _lay_out(model, prompts, room)
    logits = batch.read(fresh)
    if len(prompts) < len(rows):
        place = {ids: n for n, ids in enumerate(prompts)}
        own = [place[request.ids] for request in requests]
        logits = logits[own]
        batch.keep(own)
    while True:
        _sample(logits, rows)
        going = [n for n, row in enumerate(rows) if not row.done and not cancelled(row.request)]
        for n, row in enumerate(rows):
            if row.done:
                sampled = Sampled(tuple(row.ids), tuple(row.logprobs), row.stopped)
                yield row.request, sampled, batch.take(n, (*row.request.ids, *row.ids[:-1]))
        if not going:
            return
        if len(going) < len(rows):
            batch.keep(going)
            rows = [rows[n] for n in going]
        logits = batch.extend(torch.tensor([[row.ids[-1]] for row in rows], device=model.device))


def _longest_caches(
    requests: list[Request], kept: list[EpisodeCache | None]
) -> dict[tuple[int, ...], EpisodeCache | None]:
    """Each distinct prompt, with the longest cache that any of its requests has."""
    prompts: dict[tuple[int, ...], EpisodeCache | None] = {}
    for request, cache in zip(requests, kept, strict=True):
        best = prompts.get(request.ids)
        if best is None or (cache is not None and len(cache.ids) > len(best.ids)):
            prompts[request.ids] = cache
    return prompts


def _lay_out(
    model: PreTrainedModel, prompts: dict[tuple[int, ...], EpisodeCache | None], room: int
) -> tuple[_Batch, Tensor]:
    """Lay prompts side by side, what is cached of them and what is not, each padded on the left.

    Returns:
        The batch, with ``room`` columns left for the turn, and the tokens [n, T] not cached yet.
    """
    cached = [0 if cache is None else len(cache.ids) for cache in prompts.values()]
    fresh = [ids[start:] for ids, start in zip(prompts, cached, strict=True)]
    width, new = max(cached), max(len(ids) for ids in fresh)
    capacity = width + new + room
    mask = torch.zeros(len(fresh), capacity, dtype=torch.long)
    ids = torch.zeros(len(fresh), new, dtype=torch.long)
    for row, (length, tokens) in enumerate(zip(cached, fresh, strict=True)):
        mask[row, width - length : width] = 1
        mask[row, width + new - len(tokens) : width + new] = 1
        ids[row, new - len(tokens) :] = torch.tensor(tokens)
    cache = turn_cache(model.config.num_hidden_layers, capacity, width, list(prompts.values()))
    parameters = inspect.signature(model.forward).parameters
    cache_name = "cache" if "cache" in parameters else "past_key_values"
    batch = _Batch(model, cache, cache_name, mask.to(model.device), width + new)
    return batch, ids.to(model.device)


def _sample(logits: Tensor, rows: list[_Row]) -> None:
    """Draw one token a row from its own stream, and note its log-probability.

    The largest of p / e, with e drawn from Exp(1), is a draw from p: so `torch.multinomial` does it
    too, and here only the noise is made row by row.
    """
    temperatures = torch.tensor([row.request.temperature for row in rows], device=logits.device)
    greedy = temperatures == 0  # [n]
    logprobs = torch.log_softmax(
        logits.float() / temperatures.masked_fill(greedy, 1.0).unsqueeze(-1), dim=-1
    )  # [n, V]
    noise = torch.empty_like(logprobs)
    for place, row in zip(noise, rows, strict=True):
        place.exponential_(generator=row.generator)
    drawn = torch.where(greedy.unsqueeze(-1), logprobs, logprobs.exp() / noise).argmax(-1)  # [n]
    chosen = logprobs.gather(-1, drawn.unsqueeze(-1)).squeeze(-1)  # [n]
    for row, token, logprob in zip(rows, drawn.tolist(), chosen.tolist(), strict=True):
        row.ids.append(token)
        row.logprobs.append(logprob)


def _generator(seed: int, device: torch.device) -> torch.Generator:
    return torch.Generator(device=device).manual_seed(seed)
