"""Sums of statistics over micro-batches and ranks, and log-probabilities gathered from them."""

from collections.abc import Callable, Iterable, Sequence

import torch
import torch.distributed as dist
from torch import Tensor

from tb_trainer.learners.batch import MicroBatch, TrainSequence
from tb_trainer.learners.objective import ObjectiveOutputs
from tb_trainer.learners.protocol import UpdateStats

_FROM_LOSS = ("clip_fraction", "approx_kl", "ref_kl", "importance", "sampler_gap")
_SUMMED = ("loss", "weight", "entropy", *_FROM_LOSS)


class StatSums:
    """Adds micro-batches up. The loss stays a sum, and the largest gap a maximum.

    All else becomes a weighted mean: the weights of a batch need not add up to 1.
    """

    def __init__(self) -> None:
        self._sums = dict.fromkeys(_SUMMED, 0.0)
        self._gap_max = 0.0

    def add(self, outputs: ObjectiveOutputs) -> None:
        """Add one micro-batch."""
        self._sums["loss"] += outputs.loss.loss.item()
        self._sums["weight"] += outputs.weight
        self._sums["entropy"] += outputs.entropy
        for name in _FROM_LOSS:
            self._sums[name] += getattr(outputs.loss, name)
        self._gap_max = max(self._gap_max, outputs.loss.sampler_gap_max)

    def reduced(
        self, device: torch.device, *, grad_norm: float, learning_rate: float
    ) -> UpdateStats:
        """Add all ranks' sums up, and divide."""
        values = torch.tensor([self._sums[name] for name in _SUMMED], device=device)
        largest = torch.tensor(self._gap_max, device=device)
        if dist.is_initialized():
            dist.all_reduce(values)
            dist.all_reduce(largest, op=dist.ReduceOp.MAX)
        sums = dict(zip(_SUMMED, values.tolist(), strict=True))
        loss, weight = sums.pop("loss"), sums.pop("weight")
        return UpdateStats(
            loss=loss,
            **{name: value / weight for name, value in sums.items()},
            sampler_gap_max=float(largest),
            grad_norm=grad_norm,
            learning_rate=learning_rate,
        )


def gather_logprobs(
    score: Callable[[MicroBatch], Tensor],
    sequences: Sequence[TrainSequence],
    share: Iterable[tuple[list[int], MicroBatch]],
) -> list[tuple[float, ...]]:
    """Compute this rank's share and put every rank's together, in the order of ``sequences``.

    Args:
        score: Gives the log-probabilities [N] of a micro-batch.
        sequences: The global batch.
        share: This rank's micro-batches, as `micro_batches` gives them.
    """
    found: dict[int, tuple[float, ...]] = {}
    for indices, micro in share:
        pieces = score(micro).tolist()
        for n in indices:
            count = sequences[n].trajectory.sampled_tokens
            found[n], pieces = tuple(pieces[:count]), pieces[count:]
    if dist.is_initialized():
        every: list[dict[int, tuple[float, ...]]] = [{} for _ in range(dist.get_world_size())]
        dist.all_gather_object(every, found)
        found = {n: values for part in every for n, values in part.items()}
    return [found[n] for n in range(len(sequences))]
