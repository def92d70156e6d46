"""Memory of a learning GPU by part, as estimates whose formulas are written down.

W parameters, S processes that share the sharded parts, T tokens of the longest sequence, P the
sequence-parallel degree, H hidden size, L layers, V vocabulary.
"""

from dataclasses import dataclass

from tb_trainer.config import RunConfig
from tb_trainer.learners.protocol import LearnerSettings
from tb_trainer.plan.shape import ModelShape

_GIB = 2**30
# Without recomputation a layer keeps about 34 values of H a token (Korthikanti et al. 2022,
# arXiv:2205.05198, less the attention matrix, which fused kernels do not keep).
_VALUES_A_LAYER = 34


@dataclass(frozen=True, slots=True)
class LearnerMemory:
    """GiB on each learning process's device."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    logits: float
    reference: float

    @property
    def total(self) -> float:
        """All parts together."""
        parts = (self.weights, self.gradients, self.optimizer, self.activations, self.logits)
        return sum(parts) + self.reference


def learner_memory(config: RunConfig, shape: ModelShape, processes: int) -> LearnerMemory:
    """Estimate a learning process's memory.

    Plain torch keeps everything whole in float32. DeepSpeed shards the optimizer (stage 1 on),
    gradients (2 on) and parameters (3); in bfloat16 the optimizer holds a float32 master copy.
    The reference of a KL penalty is kept like the weights.
    """
    learner = config.learner
    sharded = learner.kind == "deepspeed"
    half = sharded and learner.dtype == "bfloat16"
    width = 2 if half else 4
    share = {
        stage: processes if sharded and learner.zero_stage >= stage else 1 for stage in (1, 2, 3)
    }
    count = shape.parameters
    on_cpu = learner.offload if sharded else "none"
    tokens = (
        max(
            learner.micro_batch_tokens,
            config.rollout.max_prompt_tokens + config.rollout.max_response_tokens,
        )
        / learner.sequence_parallel
    )
    values = 1 if learner.gradient_checkpointing else _VALUES_A_LAYER
    state_bytes = (12 if half else 8) * count / share[1]
    # The layer that is being recomputed is whole for a moment.
    extra = _VALUES_A_LAYER if learner.gradient_checkpointing else 0
    activation_width = 2 if learner.dtype == "bfloat16" else 4
    activations = tokens * shape.hidden * activation_width * (shape.layers * values + extra)
    chunk = LearnerSettings().logprob_chunk
    weights = 0.0 if on_cpu == "all" else width * count / share[3] / _GIB
    return LearnerMemory(
        weights=weights,
        gradients=width * count / share[2] / _GIB,
        optimizer=0.0 if on_cpu != "none" else state_bytes / _GIB,
        activations=activations / _GIB,
        logits=3 * 4 * chunk * shape.vocabulary / _GIB,
        reference=weights if config.grpo.kl_coef else 0.0,
    )


def cache_gib(config: RunConfig, shape: ModelShape, width: int) -> float:
    """Key-value cache of one whole episode on each GPU of an engine, GiB.

    Two tensors a layer, of T x kv_heads x head_dim; tensor parallelism splits the heads.
    """
    tokens = config.rollout.max_prompt_tokens + config.rollout.max_response_tokens
    values = 2 * shape.attention_layers * tokens * shape.kv_heads * shape.head_dim
    return values * width / min(config.engine.tensor_parallel, shape.kv_heads) / _GIB
