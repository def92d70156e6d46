"""Memory of a GPU by part, as estimates whose formulas are written down.

W parameters, S processes that share the sharded parts, T tokens of the longest sequence, P the
sequence-parallel degree, H hidden size, L layers, V vocabulary.
"""

from dataclasses import dataclass

from tb_trainer.config import LearnerConfig, RunConfig
from tb_trainer.learners.protocol import LearnerSettings
from tb_trainer.plan.shape import ModelShape

_GIB = 2**30
ATTENTION_VALUES = 40
"""Values of H a token that a layer of full attention keeps for its backward pass, at most.

What autograd saves in bfloat16 in transformers 5, where norms compute in float32: 26 at Qwen3-8B's
proportions, 37 at Qwen3.8-27B's.
"""
OTHER_VALUES = 80
"""The same for a layer of another kind: 76 for a gated delta rule in transformers' own arithmetic.

Fused kernels keep less.
"""
# DeepSpeed's defaults, in parameters: reduce_bucket_size and stage3_max_live_parameters.
_BUCKET = 500_000_000
_LIVE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class LearnerMemory:
    """GiB on each learning process's device.

    ``buffers`` are DeepSpeed's: what it gathers to work with, and shares out again.
    """

    weights: float
    gradients: float
    optimizer: float
    buffers: float
    activations: float
    logits: float
    reference: float

    @property
    def total(self) -> float:
        """All parts together."""
        return sum(getattr(self, name) for name in LearnerMemory.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class EngineMemory:
    """GiB on each of an engine's GPUs, which plays ``episodes`` at once."""

    weights: float
    cache_per_episode: float
    episodes: int


def learner_memory(config: RunConfig, shape: ModelShape, processes: int) -> LearnerMemory:
    """Estimate a learning process's memory on its device.

    Plain torch keeps everything whole in float32. DeepSpeed shards the optimizer (stage 1 on),
    gradients (2 on) and parameters (3), adds gradients up in float32, and its optimizer holds a
    float32 master copy. With an optimizer on the CPU the sharded gradients lie there too. The
    reference of a KL penalty is kept like the weights.
    """
    learner = config.learner
    on_cpu = learner.offload if learner.kind == "deepspeed" else "none"
    weights, gradients, optimizer = _states(learner, shape.parameters, processes)
    if on_cpu == "all":
        weights = 0.0
    if on_cpu != "none":
        optimizer = 0.0
        if learner.zero_stage > 1:
            gradients = 0.0
    chunk = LearnerSettings().logprob_chunk
    return LearnerMemory(
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        buffers=_buffers(learner, shape),
        activations=_activations(config, shape),
        logits=3 * 4 * chunk * shape.vocabulary / _GIB,
        reference=weights if config.grpo.kl_coef else 0.0,
    )


def offloaded_gib(config: RunConfig, shape: ModelShape, processes: int) -> float:
    """What a learning process keeps in CPU memory instead, GiB."""
    learner = config.learner
    if learner.kind != "deepspeed" or learner.offload == "none":
        return 0.0
    weights, gradients, optimizer = _states(learner, shape.parameters, processes)
    moved = optimizer + (gradients if learner.zero_stage > 1 else 0.0)
    return moved + (weights if learner.offload == "all" else 0.0)


def engine_memory(config: RunConfig, shape: ModelShape) -> EngineMemory:
    """Estimate the memory of a GPU that samples.

    The cache has two tensors for each layer of full attention, T x kv_heads x head_dim; tensor
    parallelism splits the heads. What other layers keep does not grow with T and is left out.
    """
    tensor = config.engine.tensor_parallel
    width = 2 if config.learner.dtype == "bfloat16" else 4
    values = 2 * shape.attention_layers * _longest(config) * shape.kv_heads * shape.head_dim
    return EngineMemory(
        weights=width * shape.parameters / tensor / _GIB,
        cache_per_episode=values * width / min(tensor, shape.kv_heads) / _GIB,
        episodes=-(-config.rollout.concurrency // max(1, len(config.engine.urls))),
    )


def _states(learner: LearnerConfig, count: int, processes: int) -> tuple[float, float, float]:
    """Weights, gradients and optimizer states of a process, wherever they lie, GiB."""
    sharded = learner.kind == "deepspeed"
    share = {
        stage: processes if sharded and learner.zero_stage >= stage else 1 for stage in (1, 2, 3)
    }
    return (
        _width(learner) * count / share[3] / _GIB,
        4 * count / share[2] / _GIB,
        (12 if sharded else 8) * count / share[1] / _GIB,
    )


def _buffers(learner: LearnerConfig, shape: ModelShape) -> float:
    """A bucket of gradients; in stage 3 also the parameters in use, and the head's gradient.

    The head is V x H, gathered whole, and so is its gradient until it is shared out.
    """
    if learner.kind != "deepspeed":
        return 0.0
    count = _BUCKET
    if learner.zero_stage == 3:
        head = shape.vocabulary * shape.hidden
        count += min(_LIVE + head, shape.parameters) + head
    return _width(learner) * count / _GIB


def _activations(config: RunConfig, shape: ModelShape) -> float:
    """What the forward pass keeps, GiB.

    With checkpointing that is every layer's input, and for a moment one whole layer.
    """
    learner = config.learner
    tokens = max(learner.micro_batch_tokens, _longest(config)) / learner.sequence_parallel
    others = shape.layers - shape.attention_layers
    values = shape.attention_layers * ATTENTION_VALUES + others * OTHER_VALUES
    if learner.gradient_checkpointing:
        values = shape.layers + (OTHER_VALUES if others else ATTENTION_VALUES)
    width = 2 if learner.dtype == "bfloat16" else 4
    return tokens * shape.hidden * width * values / _GIB


def _longest(config: RunConfig) -> int:
    return config.rollout.max_prompt_tokens + config.rollout.max_response_tokens


def _width(learner: LearnerConfig) -> int:
    """Bytes of a weight: plain torch keeps float32 whatever it computes in."""
    return 2 if learner.kind == "deepspeed" and learner.dtype == "bfloat16" else 4
