"""Gated delta layers under sequence parallelism: their heads are traded as those of attention are.

Such a layer is a short convolution over the sequence, channel by channel, and a recurrence, head by
head. So a rank can do both for all T tokens of H / S heads, given the whole sequence; what comes
before and after works token by token. Qwen3.5 to Qwen3.8 have three of them for one of attention.

Source: Gated Delta Networks (Yang et al. 2024, arXiv:2412.06464).
Shapes: B batch, K key heads, V value heads, t slice and T whole length, D head size, S ranks.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from transformers import PreTrainedModel

from tb_envs.errors import UsageError
from tb_trainer.learners.trading import to_heads, to_sequence

KIND = "linear_attention"
MODELS = frozenset({"qwen3_5", "qwen3_5_text"})
"""Model types whose layers of this kind are known here."""


def trade_delta_heads(model: PreTrainedModel, group: dist.ProcessGroup, size: int) -> None:
    """Let every gated delta layer trade heads within the group.

    Raises:
        UsageError: key heads cannot be divided among the ranks.
    """
    if model.config.get_text_config().model_type not in MODELS:
        return
    # Not every transformers that trains other models has it.
    from transformers.models.qwen3_5 import modeling_qwen3_5 as qwen3_5

    for module in model.modules():
        if not isinstance(module, qwen3_5.Qwen3_5GatedDeltaNet):
            continue
        if module.num_k_heads % size:
            raise UsageError(
                f"sequence_parallel = {size} must divide the {module.num_k_heads} key heads of the "
                "model's gated delta layers"
            )
        layer = cast("Any", module)
        layer.forward = partial(_forward, layer, qwen3_5, group, size)


def _forward(
    layer: Any,
    kernels: Any,
    group: dist.ProcessGroup,
    size: int,
    hidden_states: Tensor,
    **kwargs: Any,
) -> Tensor:
    """The layer's own computation on a slice, [B, t, H] to [B, t, H]; there is no cache."""
    del kwargs
    batch, part, _ = hidden_states.shape
    widths = [layer.key_dim, layer.key_dim, layer.value_dim]
    depths = [layer.head_k_dim, layer.head_k_dim, layer.head_v_dim]
    rank = dist.get_rank(group)

    def whole(projected: Tensor, depth: int) -> Tensor:
        heads = projected.reshape(batch, part, -1, depth).transpose(1, 2)
        return to_heads(heads, group, size)  # [B, heads / S, T, depth]

    projected = layer.in_proj_qkv(hidden_states).split(widths, dim=-1)
    query, key, value = (
        _convolve(
            partial(kernels.causal_conv1d_fn, activation=layer.activation),
            whole(one, depth),
            _own(kernel, rank, size),
        )
        for one, depth, kernel in zip(
            projected, depths, layer.conv1d.weight.squeeze(1).split(widths), strict=True
        )
    )
    beta = whole(layer.in_proj_b(hidden_states), 1).squeeze(-1).transpose(1, 2).sigmoid()
    rate = whole(layer.in_proj_a(hidden_states), 1).squeeze(-1).transpose(1, 2).float()
    decay = -_own(layer.A_log, rank, size).float().exp() * nn.functional.softplus(
        rate + _own(layer.dt_bias, rank, size)
    )
    served = layer.num_v_heads // layer.num_k_heads
    out, _ = kernels.torch_chunk_gated_delta_rule(
        query.repeat_interleave(served, dim=2),
        key.repeat_interleave(served, dim=2),
        value,
        g=decay,
        beta=beta,
        use_qk_l2norm_in_kernel=True,
    )  # [B, T, V / S, D]
    mine = to_sequence(out.transpose(1, 2), group, size).transpose(1, 2)  # [B, t, V, D]
    gate = layer.in_proj_z(hidden_states).reshape(-1, layer.head_v_dim)
    normed = layer.norm(mine.reshape(-1, layer.head_v_dim), gate)
    return layer.out_proj(normed.reshape(batch, part, -1))


def _convolve(convolution: Callable[..., Tensor], heads: Tensor, kernel: Tensor) -> Tensor:
    """Convolve each channel of [B, h, T, D] along T; returns [B, T, h, D]."""
    batch, count, length, depth = heads.shape
    channels = heads.transpose(2, 3).reshape(batch, count * depth, length)
    out = convolution(channels, kernel, None)
    return out.transpose(1, 2).reshape(batch, length, count, depth)


def _own(whole: Tensor, rank: int, size: int) -> Tensor:
    """Take this rank's heads of what has a row for each head, or for each channel of each head."""
    return torch.chunk(whole, size)[rank]
