"""Sums of statistics over micro-batches and ranks, and log-probabilities gathered from them."""

from collections.abc import Iterable, Sequence

import torch
import torch.distributed as dist
from torch import nn

from tb_trainer.learners.batch import MicroBatch, TrainSequence
from tb_trainer.learners.objective import ObjectiveOutputs, autocast
from tb_trainer.learners.protocol import LearnerSettings, UpdateStats

_FROM_LOSS = ("clip_fraction", "approx_kl", "ref_kl", "importance", "sampler_gap")
_SUMMED = ("loss", "entropy", *_FROM_LOSS)


class StatSums:
    """Adds micro-batches up; every statistic but one is a weighted sum like the loss."""

    def __init__(self) -> None:
        self._sums = dict.fromkeys(_SUMMED, 0.0)
        self._gap_max = 0.0

    def add(self, outputs: ObjectiveOutputs) -> None:
        """Add one micro-batch."""
        self._sums["loss"] += outputs.loss.loss.item()
        self._sums["entropy"] += outputs.entropy
        for name in _FROM_LOSS:
            self._sums[name] += getattr(outputs.loss, name)
        self._gap_max = max(self._gap_max, outputs.loss.sampler_gap_max)

    def reduced(
        self, device: torch.device, *, grad_norm: float, learning_rate: float
    ) -> UpdateStats:
        """Add all ranks' sums up."""
        values = torch.tensor([self._sums[name] for name in _SUMMED], device=device)
        largest = torch.tensor(self._gap_max, device=device)
        if dist.is_initialized():
            dist.all_reduce(values)
            dist.all_reduce(largest, op=dist.ReduceOp.MAX)
        sums = dict(zip(_SUMMED, values.tolist(), strict=True))
        return UpdateStats(
            **sums,
            sampler_gap_max=float(largest),
            grad_norm=grad_norm,
            learning_rate=learning_rate,
        )


def gather_logprobs(
    objective: nn.Module,
    sequences: Sequence[TrainSequence],
    share: Iterable[tuple[list[int], MicroBatch]],
    settings: LearnerSettings,
) -> list[tuple[float, ...]]:
    """Compute this rank's share and put every rank's together, in the order of ``sequences``."""
    device = next(objective.parameters()).device
    found: dict[int, tuple[float, ...]] = {}
    for indices, micro in share:
        with autocast(settings, device):
            flat, _ = objective(micro.to(device), loss=False)
        pieces = flat.tolist()
        for n in indices:
            count = sequences[n].trajectory.sampled_tokens
            found[n], pieces = tuple(pieces[:count]), pieces[count:]
    if dist.is_initialized():
        every: list[dict[int, tuple[float, ...]]] = [{} for _ in range(dist.get_world_size())]
        dist.all_gather_object(every, found)
        found = {n: values for part in every for n, values in part.items()}
    return [found[n] for n in range(len(sequences))]
