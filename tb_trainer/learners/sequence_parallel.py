"""Sequence parallelism: each rank holds a slice of every sequence, and heads are traded for it.

Everything but attention works token by token, so a rank can do it for T / S tokens alone. For
attention an all-to-all exchanges slices of the sequence for slices of the heads: each rank then
sees all T tokens of H / S heads, and a second all-to-all turns that back. Layers of a gated delta
rule have heads too (`delta_parallel`).

Source: DeepSpeed-Ulysses (Jacobs et al. 2023, arXiv:2309.14509).
Shapes: B batch, H heads, T whole length, t = T / S slice, D head size, S ranks of the group.
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel
from transformers.masking_utils import AttentionMaskInterface

from tb_envs.errors import UsageError
from tb_trainer.learners.batch import MicroBatch
from tb_trainer.learners.delta_parallel import KIND, MODELS, trade_delta_heads
from tb_trainer.learners.trading import to_heads, to_sequence
from tb_trainer.models import other_attention

NAME = "sequence_parallel"


@dataclass(frozen=True, slots=True)
class SequenceShard:
    """A rank's place in its sequence-parallel group."""

    group: dist.ProcessGroup
    rank: int
    size: int

    def take(self, micro: MicroBatch) -> MicroBatch:
        """Cut the micro-batch to this rank's slice of each sequence."""
        width = micro.ids.shape[1]
        part = width // self.size
        row, place = micro.sources // width, micro.sources % width
        mine = self._mine(micro)

        def own(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor[mine]

        return replace(
            micro,
            ids=micro.ids[:, self.rank * part : (self.rank + 1) * part],
            sources=(row * part + place % part)[mine],
            targets=micro.targets[mine],
            sampling_logprobs=micro.sampling_logprobs[mine],
            advantages=micro.advantages[mine],
            weights=micro.weights[mine],
            old_logprobs=own(micro.old_logprobs),
            ref_logprobs=own(micro.ref_logprobs),
        )

    def join(self, micro: MicroBatch, values: Tensor) -> Tensor:
        """Put every rank's values, one a token of its own, together for the whole micro-batch."""
        whole = values.new_zeros(micro.sources.shape[0])
        whole[self._mine(micro)] = values
        dist.all_reduce(whole, group=self.group)
        return whole

    def _mine(self, micro: MicroBatch) -> Tensor:
        width = micro.ids.shape[1]
        return (micro.sources % width) // (width // self.size) == self.rank

    def positions(self, ids: Tensor) -> Tensor:
        """Positions of this rank's slice in the whole sequence, [1, t]."""
        part = ids.shape[1]
        start = self.rank * part
        return torch.arange(start, start + part, device=ids.device).unsqueeze(0)


def use_sequence_parallel(model: PreTrainedModel, size: int) -> SequenceShard:
    """Form groups of ``size`` neighbouring ranks and switch the model's attention.

    Raises:
        UsageError: ranks or attention heads cannot be divided, or a layer's attention is another.
    """
    known = {KIND} if model.config.get_text_config().model_type in MODELS else set[str]()
    if other := other_attention(model.config) - known:
        raise UsageError(
            f"sequence parallelism cannot trade the heads of this model's "
            f"{', '.join(sorted(other))}; set learner.sequence_parallel=1"
        )
    world, rank = dist.get_world_size(), dist.get_rank()
    heads = int(model.config.num_attention_heads)
    if world % size or heads % size:
        raise UsageError(
            f"sequence_parallel = {size} must divide the {world} processes and the model's "
            f"{heads} attention heads"
        )
    mine: dist.ProcessGroup | None = None
    for start in range(0, world, size):
        group = dist.new_group(list(range(start, start + size)))
        if start <= rank < start + size:
            mine = cast("dist.ProcessGroup", group)
    assert mine is not None

    def attention(
        module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **kw: Any
    ) -> tuple[Tensor, None]:
        del module, mask
        return _attend(query, key, value, kw.get("scaling"), mine, size), None

    trade_delta_heads(model, mine, size)
    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, _no_mask)
    model.set_attn_implementation(NAME)
    return SequenceShard(mine, rank % size, size)


def _no_mask(*args: Any, **kwargs: Any) -> None:
    """Right-padded causal sequences need no mask, and a slice's own mask would be wrong."""
    del args, kwargs


def _attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scale: float | None,
    group: dist.ProcessGroup,
    size: int,
) -> Tensor:
    """Causal attention over slices: q [B, H, t, D] and k, v [B, H_kv, t, D] to [B, t, H, D]."""
    key, value = _spread(key, size), _spread(value, size)
    whole_q, whole_k, whole_v = (to_heads(part, group, size) for part in (query, key, value))
    out = nn.functional.scaled_dot_product_attention(
        whole_q, whole_k, whole_v, is_causal=True, scale=scale, enable_gqa=True
    )  # [B, H / S, T, D]
    return to_sequence(out, group, size).transpose(1, 2).contiguous()


def _spread(heads: Tensor, size: int) -> Tensor:
    """Repeat key-value heads until each rank can have one."""
    count = heads.shape[1]
    if count % size == 0:
        return heads
    if size % count:
        raise UsageError(f"{count} key-value heads and sequence_parallel = {size} do not divide")
    return heads.repeat_interleave(size // count, dim=1)
