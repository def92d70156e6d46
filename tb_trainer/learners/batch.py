"""From sequences to micro-batches: sorted by length, filled up to a token budget, dealt to ranks.

Every rank builds the same list and takes its own share, and every rank has the same number of
micro-batches, because sharded learners communicate in each forward pass. What fills up the last
round has weight 0.

Shapes: B sequences in a micro-batch, T padded length, N sampled tokens of the micro-batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from tb_trainer.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class TrainSequence:
    """A trajectory to learn from.

    ``advantage`` and ``weight`` hold for each of its sampled tokens. ``old_logprobs`` and
    ``ref_logprobs`` are one number a sampled token where they are needed, else None.
    """

    trajectory: Trajectory
    advantage: float
    weight: float
    old_logprobs: tuple[float, ...] | None = None
    ref_logprobs: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """Padded on the right, so a causal model needs no attention mask.

    ``ids`` [B, T] int64. ``sources`` [N]: positions in the flattened [B * T] whose hidden state
    predicts a sampled token; ``targets`` [N]: that token. The float32 tensors are [N].
    """

    ids: Tensor
    sources: Tensor
    targets: Tensor
    sampling_logprobs: Tensor
    advantages: Tensor
    weights: Tensor
    old_logprobs: Tensor | None = None
    ref_logprobs: Tensor | None = None

    def to(self, device: torch.device) -> "MicroBatch":
        """Copy every tensor to a device."""

        def move(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.to(device)

        return MicroBatch(
            ids=self.ids.to(device),
            sources=self.sources.to(device),
            targets=self.targets.to(device),
            sampling_logprobs=self.sampling_logprobs.to(device),
            advantages=self.advantages.to(device),
            weights=self.weights.to(device),
            old_logprobs=move(self.old_logprobs),
            ref_logprobs=move(self.ref_logprobs),
        )


def micro_batches(
    sequences: Sequence[TrainSequence],
    *,
    budget_tokens: int,
    multiple: int = 1,
    rank: int = 0,
    world: int = 1,
) -> list[tuple[list[int], MicroBatch]]:
    """Cut sequences into micro-batches and return this rank's share.

    Args:
        sequences: The global batch, the same on each rank.
        budget_tokens: Padded tokens of a micro-batch at most; a longer sequence is one of its own.
        multiple: T is padded to a multiple of it (the sequence-parallel degree).
        rank: This rank among the data-parallel ranks.
        world: How many data-parallel ranks there are.

    Returns:
        Pairs of indices into ``sequences`` and the micro-batch; the indices are empty for one that
        only keeps the ranks in step.
    """
    if not sequences:
        return []
    order = sorted(range(len(sequences)), key=lambda n: (-len(sequences[n].trajectory.ids), n))
    cuts: list[list[int]] = []
    for n in order:
        width = _width(sequences[cuts[-1][0]], multiple) if cuts else 0
        if cuts and width * (len(cuts[-1]) + 1) <= budget_tokens:
            cuts[-1].append(n)
        else:
            cuts.append([n])
    share = [(cut, _collate([sequences[n] for n in cut], multiple)) for cut in cuts[rank::world]]
    if len(share) < -(-len(cuts) // world):
        idle = replace(sequences[order[-1]], weight=0.0)
        share.append(([], _collate([idle], multiple)))
    return share


def _collate(sequences: Sequence[TrainSequence], multiple: int) -> MicroBatch:
    width = max(_width(sequence, multiple) for sequence in sequences)
    ids = torch.zeros(len(sequences), width, dtype=torch.long)
    sources: list[int] = []
    targets: list[int] = []
    sampling: list[float] = []
    advantages: list[float] = []
    weights: list[float] = []
    for row, sequence in enumerate(sequences):
        trajectory = sequence.trajectory
        ids[row, : len(trajectory.ids)] = torch.tensor(trajectory.ids)
        for place, sampled in enumerate(trajectory.loss_mask):
            if sampled:
                sources.append(row * width + place - 1)
                targets.append(trajectory.ids[place])
                sampling.append(trajectory.sampling_logprobs[place])
        advantages += [sequence.advantage] * trajectory.sampled_tokens
        weights += [sequence.weight] * trajectory.sampled_tokens
    return MicroBatch(
        ids=ids,
        sources=torch.tensor(sources, dtype=torch.long),
        targets=torch.tensor(targets, dtype=torch.long),
        sampling_logprobs=torch.tensor(sampling),
        advantages=torch.tensor(advantages),
        weights=torch.tensor(weights),
        old_logprobs=_joined([sequence.old_logprobs for sequence in sequences]),
        ref_logprobs=_joined([sequence.ref_logprobs for sequence in sequences]),
    )


def _width(sequence: TrainSequence, multiple: int) -> int:
    """The padded length of a row that the sequence is the longest of."""
    return -(-len(sequence.trajectory.ids) // multiple) * multiple


def _joined(parts: Sequence[tuple[float, ...] | None]) -> Tensor | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return torch.tensor([value for part in known for value in part])
