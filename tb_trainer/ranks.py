"""What several processes share: one of them samples, and all of them learn from it."""

from typing import TypeVar, cast

import torch.distributed as dist

T = TypeVar("T")


def from_main(value: T | None) -> T:
    """Return the main process's value on every rank; the others' own is ignored."""
    if not dist.is_initialized():
        return cast("T", value)
    box = [value]
    dist.broadcast_object_list(box, src=0)
    return cast("T", box[0])


def barrier() -> None:
    """Wait for every rank."""
    if dist.is_initialized():
        dist.barrier()
