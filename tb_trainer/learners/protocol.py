"""What the trainer asks of a learner."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from torch import Tensor

from tb_trainer.grpo.loss import LossSettings
from tb_trainer.learners.batch import TrainSequence


@dataclass(frozen=True, slots=True)
class LearnerSettings:
    """How a learner learns, whichever it is.

    ``micro_batch_tokens`` bounds the padded tokens of a forward pass, ``logprob_chunk`` the rows
    of logits that exist at once. ``temperature`` is the sampler's. The rate rises over
    ``warmup_steps`` updates, and then falls to a twentieth over ``decay_steps``, where that is not
    0. ``offload`` moves optimizer states, or parameters too, to the CPU.
    """

    learning_rate: float = 1e-6
    weight_decay: float = 0.0
    warmup_steps: int = 0
    decay_steps: int = 0
    max_grad_norm: float = 1.0
    temperature: float = 1.0
    micro_batch_tokens: int = 8192
    logprob_chunk: int = 1024
    dtype: Literal["float32", "bfloat16"] = "float32"
    gradient_checkpointing: bool = False
    sequence_parallel: int = 1
    zero_stage: Literal[1, 2, 3] = 2
    offload: Literal["none", "optimizer", "all"] = "none"
    loss: LossSettings = field(default_factory=LossSettings)


@dataclass(frozen=True, slots=True)
class UpdateStats:
    """What an update did, over all ranks.

    ``loss`` is the weighted sum that was minimised, ``sampler_gap_max`` a maximum and
    ``grad_norm`` the gradient's norm before clipping. From ``entropy`` to ``sampler_gap`` they are
    means over the trained tokens, weighted as in the loss.
    """

    loss: float
    grad_norm: float
    entropy: float
    clip_fraction: float
    approx_kl: float
    ref_kl: float
    importance: float
    sampler_gap: float
    sampler_gap_max: float
    learning_rate: float


class Reference(Protocol):
    """Weights that stay as they are: the first policy, which a KL penalty pulls back to."""

    def logprobs(self, sequences: Sequence[TrainSequence]) -> list[tuple[float, ...]]:
        """Log-probabilities of each sequence's sampled tokens; called on every rank."""
        ...


class Learner(Protocol):
    """Owns the trained weights and the optimizer. Every method is called on every rank."""

    @property
    def is_main(self) -> bool:
        """Whether this process is the one that samples and writes."""
        ...

    def update(self, sequences: Sequence[TrainSequence]) -> UpdateStats:
        """Make one optimizer step from the global batch, the same on each rank."""
        ...

    def logprobs(self, sequences: Sequence[TrainSequence]) -> list[tuple[float, ...]]:
        """Log-probabilities of each sequence's sampled tokens under the present weights."""
        ...

    def weights(self) -> Iterable[tuple[str, Tensor]]:
        """Every parameter, whole, tied ones under each name; iterate it on every rank."""
        ...

    def save(self, directory: Path) -> None:
        """Write weights, optimizer, schedule and random state."""
        ...

    def load(self, directory: Path) -> None:
        """Read what `save` wrote; the next update is then the same to the bit."""
        ...
