"""The DeepSpeed learner: states, gradients and parameters sharded over ranks, or kept on the CPU.

DeepSpeed averages gradients over ranks; the loss here is a sum with global weights, so it is
multiplied by the number of ranks first. Ranks of one sequence-parallel group add their slices'
gradients up like any others, so ZeRO shards over all of them.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import deepspeed
import torch
import torch.distributed as dist
from deepspeed.utils.zero_to_fp32 import get_fp32_state_dict_from_zero_checkpoint
from torch import Tensor
from transformers import PreTrainedModel

from tb_envs.errors import UsageError
from tb_trainer.learners.batch import MicroBatch, TrainSequence, micro_batches
from tb_trainer.learners.objective import Objective
from tb_trainer.learners.protocol import LearnerSettings, UpdateStats
from tb_trainer.learners.sequence_parallel import use_sequence_parallel
from tb_trainer.learners.statistics import StatSums, gather_logprobs
from tb_trainer.learners.torch_learner import learning_rate
from tb_trainer.models import recompute_activations, switch_dropout_off

_TAG = "deepspeed"
_ABOUT = "deepspeed.json"


class DeepSpeedLearner:
    """Trains with ZeRO stage 1, 2 or 3; started by the DeepSpeed launcher or torchrun.

    Args:
        model: The policy; for stage 3 best loaded under `deepspeed_config`.
        settings: See `LearnerSettings`.
    """

    def __init__(self, model: PreTrainedModel, settings: LearnerSettings) -> None:
        self.settings = settings
        self._rank, self._world = dist.get_rank(), dist.get_world_size()
        parallel = settings.sequence_parallel
        shard = use_sequence_parallel(model, parallel) if parallel > 1 else None
        switch_dropout_off(model)
        if settings.gradient_checkpointing:
            recompute_activations(model)
        self.model = model.train()
        objective = Objective(model, settings, shard)
        self._engine: Any = deepspeed.initialize(
            model=objective,
            model_parameters=list(objective.parameters()),
            config=deepspeed_config(settings),
        )[0]
        self._steps = 0

    @property
    def is_main(self) -> bool:
        """Whether this process is the one that samples and writes."""
        return self._rank == 0

    def update(self, sequences: Sequence[TrainSequence]) -> UpdateStats:
        """Make one optimizer step from the global batch, the same on each rank."""
        rate = learning_rate(self.settings, self._steps)
        for group in self._engine.optimizer.param_groups:
            group["lr"] = rate
        sums = StatSums()
        share = self._share(sequences)
        for n, (_, micro) in enumerate(share, start=1):
            loss, outputs = self._engine(micro.to(self._engine.device))
            self._engine.set_gradient_accumulation_boundary(n == len(share))
            self._engine.backward(loss * self._world)
            sums.add(outputs)
            self._engine.step()
        self._steps += 1
        norm = float(self._engine.get_global_grad_norm() or 0.0)
        return sums.reduced(self._engine.device, grad_norm=norm, learning_rate=rate)

    @torch.no_grad()
    def logprobs(self, sequences: Sequence[TrainSequence]) -> list[tuple[float, ...]]:
        """Log-probabilities of each sequence's sampled tokens under the present weights."""
        return gather_logprobs(_scorer(self._engine), sequences, self._share(sequences))

    def weights(self) -> Iterable[tuple[str, Tensor]]:
        """Every parameter, gathered one at a time; each rank must iterate."""
        for name, parameter in self.model.named_parameters(remove_duplicate=False):
            with deepspeed.zero.GatheredParameters(
                [parameter], enabled=self.settings.zero_stage == 3
            ):
                yield name, parameter.detach()

    def save(self, directory: Path) -> None:
        """Write every rank's shards; called on each rank."""
        state = {"steps": self._steps, "random": torch.get_rng_state()}
        self._engine.save_checkpoint(str(directory), tag=_TAG, client_state=state)
        if self.is_main:
            (directory / _ABOUT).write_text(json.dumps({"processes": self._world}))

    def load(self, directory: Path) -> None:
        """Read what `save` wrote, with the same number of ranks.

        Raises:
            UsageError: another kind of learner, or another number of processes, wrote it.
        """
        if not (directory / _ABOUT).exists():
            raise UsageError(
                f"{directory} has no {_ABOUT}: learner.kind=deepspeed did not write it"
            )
        processes = json.loads((directory / _ABOUT).read_text())["processes"]
        if processes != self._world:
            raise UsageError(
                f"{directory} holds the shards of {processes} processes, and {self._world} are "
                f"running; start {processes}"
            )
        _, state = self._engine.load_checkpoint(str(directory), tag=_TAG)
        self._steps = state["steps"]
        torch.set_rng_state(state["random"])

    def _share(self, sequences: Sequence[TrainSequence]) -> list[tuple[list[int], MicroBatch]]:
        return _share_of_rank(sequences, self.settings)


class DeepSpeedReference:
    """The first policy under DeepSpeed: sharded where the learner's parameters are, else whole.

    Args:
        model: Its weights never change; for stage 3 best loaded under `reference_config`.
        settings: The learner's.
    """

    def __init__(self, model: PreTrainedModel, settings: LearnerSettings) -> None:
        self._settings = settings
        parallel = settings.sequence_parallel
        shard = use_sequence_parallel(model, parallel) if parallel > 1 else None
        objective = Objective(model.eval().requires_grad_(False), settings, shard)
        self._engine: Any = deepspeed.initialize(
            model=objective, config=reference_config(settings)
        )[0]

    @torch.no_grad()
    def logprobs(self, sequences: Sequence[TrainSequence]) -> list[tuple[float, ...]]:
        """Log-probabilities of each sequence's sampled tokens; called on every rank."""
        share = _share_of_rank(sequences, self._settings)
        return gather_logprobs(_scorer(self._engine), sequences, share)


def consolidated_weights(directory: Path) -> dict[str, Tensor]:
    """Put a checkpoint's shards together, in float32, in one process and without a GPU."""
    shards = get_fp32_state_dict_from_zero_checkpoint(str(directory), tag=_TAG)
    prefix = "model."  # the model is a part of the objective
    return {
        name.removeprefix(prefix): tensor.contiguous()
        for name, tensor in shards.items()
        if name.startswith(prefix)
    }


def deepspeed_config(settings: LearnerSettings) -> dict[str, Any]:
    """Write DeepSpeed's configuration; micro-batches are ours, so it sees one sample each."""
    on_gpu = torch.cuda.is_available()
    zero: dict[str, Any] = {"stage": settings.zero_stage, "overlap_comm": on_gpu}
    if settings.offload != "none":
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": on_gpu}
    if settings.offload == "all":
        zero["offload_param"] = {"device": "cpu", "pin_memory": on_gpu}
    return {
        "train_micro_batch_size_per_gpu": 1,
        "gradient_accumulation_steps": 1,
        "gradient_clipping": settings.max_grad_norm,
        "bf16": {"enabled": settings.dtype == "bfloat16"},
        # Else micro-batches would be added up in bfloat16, where small ones vanish in the sum.
        "data_types": {"grad_accum_dtype": "fp32"},
        "zero_optimization": zero,
        # The fused CPU optimizer is compiled on first use, which only pays beside a GPU.
        "zero_force_ds_cpu_optimizer": on_gpu and settings.offload != "none",
        "optimizer": {
            "type": "AdamW",
            "params": {
                "lr": settings.learning_rate,
                "weight_decay": settings.weight_decay,
                "torch_adam": not on_gpu,
            },
        },
        "steps_per_print": 10**9,
    }


def reference_config(settings: LearnerSettings) -> dict[str, Any]:
    """Write DeepSpeed's configuration for weights that are not trained."""
    whole = deepspeed_config(settings)
    zero: dict[str, Any] = {"stage": 0}
    if settings.zero_stage == 3:
        zero = {"stage": 3}
        if settings.offload == "all":
            zero["offload_param"] = whole["zero_optimization"]["offload_param"]
    kept = ("train_micro_batch_size_per_gpu", "bf16", "steps_per_print")
    return {name: whole[name] for name in kept} | {"zero_optimization": zero}


def _scorer(engine: Any) -> Callable[[MicroBatch], Tensor]:
    return lambda micro: engine(micro.to(engine.device), loss=False)[0]


def _share_of_rank(
    sequences: Sequence[TrainSequence], settings: LearnerSettings
) -> list[tuple[list[int], MicroBatch]]:
    """Cut the global batch; the ranks of a sequence-parallel group take the same share."""
    parallel = settings.sequence_parallel
    return micro_batches(
        sequences,
        budget_tokens=settings.micro_batch_tokens,
        multiple=parallel,
        rank=dist.get_rank() // parallel,
        world=dist.get_world_size() // parallel,
    )


def local_device() -> torch.device:
    """The device of this process under a launcher."""
    return torch.device(cast("str", deepspeed.get_accelerator().current_device_name()))
