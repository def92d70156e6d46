"""The plain learner: AdamW on one process, or on several whose gradients are summed.

Token weights are global, so the gradient of the batch is the plain sum over micro-batches and
ranks; there is nothing to average.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from transformers import PreTrainedModel

from tb_envs.errors import UsageError
from tb_trainer.learners.batch import MicroBatch, TrainSequence, micro_batches
from tb_trainer.learners.objective import Objective, autocast
from tb_trainer.learners.protocol import LearnerSettings, UpdateStats
from tb_trainer.learners.sequence_parallel import use_sequence_parallel
from tb_trainer.learners.statistics import StatSums, gather_logprobs
from tb_trainer.models import named_weights, recompute_activations, switch_dropout_off

_STATE = "learner.pt"
_LOWEST_RATE = 0.05
"""Where a decay of the learning rate ends, as a share of it."""


class TorchLearner:
    """Trains a whole copy of the model on each process.

    Args:
        model: Trained in place, on the device that it is on.
        settings: See `LearnerSettings`.
    """

    def __init__(self, model: PreTrainedModel, settings: LearnerSettings) -> None:
        self.settings = settings
        self._rank = dist.get_rank() if dist.is_initialized() else 0
        self._world = dist.get_world_size() if dist.is_initialized() else 1
        parallel = settings.sequence_parallel
        shard = use_sequence_parallel(model, parallel) if parallel > 1 else None
        switch_dropout_off(model)
        if settings.gradient_checkpointing:
            recompute_activations(model)
        self.model = model.train()
        self._objective = Objective(model, settings, shard)
        self._optimizer = torch.optim.AdamW(
            model.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        self._steps = 0

    @property
    def is_main(self) -> bool:
        """Whether this process is the one that samples and writes."""
        return self._rank == 0

    def update(self, sequences: Sequence[TrainSequence]) -> UpdateStats:
        """Make one optimizer step from the global batch, the same on each rank."""
        rate = learning_rate(self.settings, self._steps)
        sums = StatSums()
        device = self.model.device
        for _, micro in self._share(sequences):
            with autocast(self.settings, device):
                loss, outputs = self._objective(micro.to(device))
            loss.backward()
            sums.add(outputs)
        norm = self._reduce_gradients()
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self._steps += 1
        return sums.reduced(device, grad_norm=norm, learning_rate=rate)

    @torch.no_grad()
    def logprobs(self, sequences: Sequence[TrainSequence]) -> list[tuple[float, ...]]:
        """Log-probabilities of each sequence's sampled tokens under the present weights."""

        def score(micro: MicroBatch) -> Tensor:
            with autocast(self.settings, self.model.device):
                return self._objective(micro.to(self.model.device), loss=False)[0]

        return gather_logprobs(score, sequences, self._share(sequences))

    def weights(self) -> Iterable[tuple[str, Tensor]]:
        """Every parameter, tied ones under each name."""
        return named_weights(self.model)

    def save(self, directory: Path) -> None:
        """Write weights, optimizer and random state; the main process is enough."""
        if self.is_main:
            torch.save(self._state(), directory / _STATE)

    def load(self, directory: Path) -> None:
        """Read what `save` wrote.

        Raises:
            UsageError: another kind of learner wrote the checkpoint.
        """
        state = _saved_state(directory)
        self.model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._steps = state["steps"]
        torch.set_rng_state(state["random"])

    def _state(self) -> dict[str, Any]:
        return {
            "model": self.model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "steps": self._steps,
            "random": torch.get_rng_state(),
        }

    def _share(self, sequences: Sequence[TrainSequence]):
        parallel = self.settings.sequence_parallel
        return micro_batches(
            sequences,
            budget_tokens=self.settings.micro_batch_tokens,
            multiple=parallel,
            rank=self._rank // parallel,
            world=self._world // parallel,
        )

    def _reduce_gradients(self) -> float:
        """Sum gradients over the ranks, clip them, and return their norm before clipping."""
        parameters = [p for p in self.model.parameters() if p.requires_grad]
        if self._world > 1:
            for parameter in parameters:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                dist.all_reduce(parameter.grad)
        return float(torch.nn.utils.clip_grad_norm_(parameters, self.settings.max_grad_norm))


def saved_weights(directory: Path) -> dict[str, Tensor]:
    """Read the weights of what a learner saved, without a learner."""
    return _saved_state(directory)["model"]


def _saved_state(directory: Path) -> dict[str, Any]:
    if not (directory / _STATE).exists():
        raise UsageError(f"{directory} has no {_STATE}: learner.kind=torch did not write it")
    return torch.load(directory / _STATE, map_location="cpu", weights_only=True)


def learning_rate(settings: LearnerSettings, steps: int) -> float:
    """The rate of the update after ``steps`` updates: up, then constant or down, both in a line."""
    if steps < settings.warmup_steps:
        return settings.learning_rate * (steps + 1) / settings.warmup_steps
    if not settings.decay_steps:
        return settings.learning_rate
    fallen = (steps - settings.warmup_steps) / settings.decay_steps
    return settings.learning_rate * max(1.0 - fallen, _LOWEST_RATE)
