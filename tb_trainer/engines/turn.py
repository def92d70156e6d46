"""Decode one turn of several episodes together, each with its own random stream."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor
from transformers import PreTrainedModel

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


@torch.inference_mode()
def decode_turn(
    model: PreTrainedModel,
    requests: list[Request],
    kept: list[EpisodeCache | None],
    cancelled: Callable[[Request], bool],
) -> Iterator[tuple[Request, Sampled, EpisodeCache]]:
    """Sample a turn for each request, yielding each as soon as it is complete.

    Args:
        model: A causal language model with full attention in each layer.
        requests: [n] what to sample.
        kept: [n] caches that are usable for the prompts, or None.
        cancelled: Asked before each step; a cancelled row is dropped.
    """
    device = model.device
    rows = [_Row(request, _generator(request.seed, device)) for request in requests]
    cached = [0 if cache is None else len(cache.ids) for cache in kept]
    fresh = [request.ids[start:] for request, start in zip(requests, cached, strict=True)]
    width, new = max(cached), max(len(ids) for ids in fresh)
    capacity = width + new + max(request.max_new_tokens for request in requests)
    cache = turn_cache(model.config.num_hidden_layers, capacity, width, kept)
    mask, ids = _lay_out(cached, fresh, width, new, capacity, device)
    filled = width + new
    cache_name = _cache_argument(model)
    while True:
        positions = (mask[:, :filled].cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        logits = model(
            input_ids=ids,
            attention_mask=mask[:, :filled],
            position_ids=positions,
            use_cache=True,
            logits_to_keep=1,
            **{cache_name: cache},
        ).logits[:, -1]  # [n, V]
        _sample(logits, rows)
        going = [n for n, row in enumerate(rows) if not row.done and not cancelled(row.request)]
        for n, row in enumerate(rows):
            if row.done:
                tokens = (*row.request.ids, *row.ids[:-1])
                kept_row = take_row(cache, n, mask[n, :filled].bool(), tokens)
                yield (
                    row.request,
                    Sampled(tuple(row.ids), tuple(row.logprobs), row.stopped),
                    kept_row,
                )
        if not going:
            return
        if len(going) < len(rows):
            index = torch.tensor(going, device=device)
            keep_rows(cache, index)
            mask, rows = mask.index_select(0, index), [rows[n] for n in going]
        ids = torch.tensor([[row.ids[-1]] for row in rows], device=device)
        mask[:, filled] = 1
        filled += 1


def _cache_argument(model: PreTrainedModel) -> str:
    """Releases of transformers differ in what ``forward`` calls the cache."""
    parameters = inspect.signature(model.forward).parameters
    return "cache" if "cache" in parameters else "past_key_values"


def _lay_out(
    cached: list[int],
    fresh: list[tuple[int, ...]],
    width: int,
    new: int,
    capacity: int,
    device: torch.device,
) -> tuple[Tensor, Tensor]:
    """Return the attention mask [n, capacity] and the new tokens [n, new], padded on the left."""
    mask = torch.zeros(len(fresh), capacity, dtype=torch.long)
    ids = torch.zeros(len(fresh), new, dtype=torch.long)
    for row, (length, tokens) in enumerate(zip(cached, fresh, strict=True)):
        mask[row, width - length : width] = 1
        mask[row, width + new - len(tokens) : width + new] = 1
        ids[row, new - len(tokens) :] = torch.tensor(tokens)
    return mask.to(device), ids.to(device)


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
