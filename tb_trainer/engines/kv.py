"""Key-value caches of single episodes, and the batch that decodes several of them for one turn.

Between turns an episode keeps its own keys and values, unpadded. For a turn the waiting episodes
are laid side by side: what is cached is padded on the left to one width, the new tokens again, and
an attention mask with two runs of ones in each row tells padding from content.
"""

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from transformers.cache_utils import Cache, DynamicLayer


@dataclass(frozen=True, slots=True)
class EpisodeCache:
    """Keys and values of the tokens ``ids``; one tensor [heads, T, D] a layer."""

    ids: tuple[int, ...]
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    def usable_for(self, prompt: tuple[int, ...]) -> bool:
        """Whether the prompt continues exactly these tokens."""
        return len(self.ids) < len(prompt) and prompt[: len(self.ids)] == self.ids


class TurnLayer(DynamicLayer):
    """One layer's cache for one turn, allocated once instead of growing token by token."""

    def __init__(
        self, capacity: int, width: int, stored: list[tuple[Tensor, Tensor] | None]
    ) -> None:
        super().__init__()
        self._capacity = capacity
        self._stored = stored
        self._filled = width

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Allocate [n, heads, capacity, D] and lay the stored rows in, flush right."""
        super().lazy_initialization(key_states, value_states)
        rows, heads, _, size = key_states.shape
        self.keys = key_states.new_zeros(rows, heads, self._capacity, size)
        self.values = value_states.new_zeros(rows, heads, self._capacity, value_states.shape[-1])
        for row, pair in enumerate(self._stored):
            if pair is not None:
                place = slice(self._filled - pair[0].shape[1], self._filled)
                self.keys[row, :, place] = pair[0]
                self.values[row, :, place] = pair[1]
        self._stored = []

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Write the new columns and return views of all columns so far."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        assert self.keys is not None
        assert self.values is not None
        end = self._filled + key_states.shape[2]
        self.keys[:, :, self._filled : end] = key_states
        self.values[:, :, self._filled : end] = value_states
        self._filled = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def get_seq_length(self) -> int:
        """Columns filled, padding included."""
        return self._filled


def turn_cache(layers: int, capacity: int, width: int, stored: list[EpisodeCache | None]) -> Cache:
    """Build the cache of a turn from what each row's episode kept."""
    return Cache(
        layers=[
            TurnLayer(
                capacity,
                width,
                [None if row is None else (row.keys[n], row.values[n]) for row in stored],
            )
            for n in range(layers)
        ]
    )


def take_row(cache: Cache, row: int, columns: Tensor, ids: tuple[int, ...]) -> EpisodeCache:
    """Copy one row's keys and values out, without its padding.

    Args:
        cache: The batch.
        row: Which row.
        columns: [C] boolean, true where the row holds a token.
        ids: The tokens that these columns are of.
    """
    index = columns.nonzero().squeeze(-1)
    keys: list[Tensor] = []
    values: list[Tensor] = []
    for layer in _layers(cache):
        assert layer.keys is not None
        assert layer.values is not None
        keys.append(layer.keys[row].index_select(1, index))
        values.append(layer.values[row].index_select(1, index))
    return EpisodeCache(ids, tuple(keys), tuple(values))


def _layers(cache: Cache) -> list[DynamicLayer]:
    """The layers of a cache that ``turn_cache`` made."""
    return cast("list[DynamicLayer]", cache.layers)


def keep_rows(cache: Cache, rows: Tensor) -> None:
    """Drop all rows but these."""
    for layer in _layers(cache):
        assert layer.keys is not None
        assert layer.values is not None
        layer.keys = torch.index_select(layer.keys, 0, rows)
        layer.values = torch.index_select(layer.values, 0, rows)
