"""All-to-alls that exchange slices of a sequence for slices of the heads, and back.

Shapes: B batch, H heads, T whole length, t = T / S slice, D head size, S ranks of the group.
"""

from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor


def to_heads(slice_: Tensor, group: dist.ProcessGroup, size: int) -> Tensor:
    """[B, H, t, D] on each rank to [B, H / S, T, D]."""
    batch, heads, part, depth = slice_.shape
    parts = slice_.reshape(batch, size, heads // size, part, depth).movedim(1, 0)
    traded = _trade(parts, group)  # [S, B, H / S, t, D], first index is now the source's slice
    return traded.movedim(0, 2).reshape(batch, heads // size, size * part, depth)


def to_sequence(whole: Tensor, group: dist.ProcessGroup, size: int) -> Tensor:
    """[B, H / S, T, D] on each rank to [B, H, t, D]."""
    batch, heads, length, depth = whole.shape
    parts = whole.reshape(batch, heads, size, length // size, depth).movedim(2, 0)
    traded = _trade(parts, group)  # [S, B, H / S, t, D], first index is now the source's heads
    return traded.movedim(0, 1).reshape(batch, size * heads, length // size, depth)


class _AllToAll(torch.autograd.Function):
    """Part n of the first dimension goes to rank n; the gradient travels the same way back."""

    @staticmethod
    def forward(ctx: Any, parts: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        received = torch.empty_like(parts, memory_format=torch.contiguous_format)
        dist.all_to_all_single(received, parts.contiguous(), group=group)
        return received

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        back = torch.empty_like(grads[0], memory_format=torch.contiguous_format)
        dist.all_to_all_single(back, grads[0].contiguous(), group=ctx.group)
        return back, None


def _trade(parts: Tensor, group: dist.ProcessGroup) -> Tensor:
    return cast("Tensor", _AllToAll.apply(parts, group))
