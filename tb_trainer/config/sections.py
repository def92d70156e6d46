"""The sections of a run's configuration, each handed only to the part that needs it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt

from tb_trainer.grpo import Aggregation, Estimator, Overlong

NotNegative = Annotated[int, Field(ge=0)]


class Section(BaseModel):
    """Base: frozen, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ModelConfig(Section):
    """The policy that is trained."""

    path: str
    """Model directory or hub name, with its tokenizer."""
    chat_template: str = "qwen3"
    """Family: qwen2_5, qwen3, qwen3_coder, llama3 or compact."""
    tools: list[str] | None = None
    """Show the model only these of a task's tools; all by default."""
    system_prompt: str | None = None
    """Replace each task's system prompt, for models too small to read it."""


class TasksConfig(Section):
    """What is trained on, and what is held out."""

    train: list[str] = Field(min_length=1)
    """Registered ids, splits, pool files, families or tasks."""
    held_out: list[str] = []
    """The same, for validation; none by default."""
    validate_every: NotNegative = 0
    """Steps between validations, `rollout.group_size` attempts a task; 0 never validates."""


class RolloutConfig(Section):
    """How episodes are gathered."""

    groups: PositiveInt = 18
    """Tasks a step (P)."""
    group_size: Annotated[int, Field(ge=2)] = 8
    """Episodes a task (G)."""
    replacements: NotNegative = 18
    """Groups drawn beyond `groups` at most, to replace those without signal."""
    retries: NotNegative = 1
    """Times that an episode broken by the infrastructure is played again."""
    concurrency: PositiveInt = 144
    """Episodes in flight."""
    temperature: PositiveFloat = 1.0
    """Sampling temperature, also of the learner's log-probabilities."""
    max_prompt_tokens: PositiveInt = 26_624
    """Longest first prompt; a longer one is an error."""
    max_response_tokens: PositiveInt = 106_496
    """All tokens after the first prompt, observations included."""
    max_turn_tokens: PositiveInt = 8_192
    """Longest single turn."""
    episode_deadline_s: PositiveFloat = 3600.0
    """Wall clock of one episode, set-up and grading included."""
    step_deadline_s: PositiveFloat = 14_400.0
    """Wall clock of one step's episodes, and of one validation's."""


class EngineConfig(Section):
    """What samples."""

    kind: Literal["transformers", "vllm", "served"] = "transformers"
    """transformers: any machine. vllm: in this process. served: vLLM servers over HTTP."""
    urls: list[str] = []
    """Base URLs of the servers, for served."""
    tensor_parallel: PositiveInt = 1
    """GPUs that share one vLLM engine."""


class LearnerConfig(Section):
    """What learns."""

    kind: Literal["torch", "deepspeed"] = "torch"
    """torch: a whole model on each process. deepspeed: sharded."""
    learning_rate: PositiveFloat = 1e-6
    """AdamW's rate; weight decay is 0."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Type of the computation."""
    micro_batch_tokens: PositiveInt = 8192
    """Padded tokens of one forward pass; a longer episode goes alone."""
    gradient_checkpointing: bool = False
    """Recompute activations to save memory."""
    sequence_parallel: PositiveInt = 1
    """Processes that share each sequence."""
    zero_stage: Literal[1, 2, 3] = 2
    """DeepSpeed: what is sharded (1 optimizer, 2 gradients, 3 parameters)."""
    offload: Literal["none", "optimizer", "all"] = "none"
    """DeepSpeed: what lies in CPU memory."""


class GrpoConfig(Section):
    """The objective."""

    advantage: Estimator = "grpo"
    """grpo, dr_grpo or rloo."""
    aggregation: Aggregation = "token"
    """token, sequence or constant."""
    clip: tuple[PositiveFloat, PositiveFloat] = (0.2, 0.28)
    """How far a ratio may fall below 1 and rise above it."""
    kl_coef: Annotated[float, Field(ge=0)] = 0.0
    """Weight of the KL penalty against the first policy; 0 keeps no reference."""
    importance_cap: PositiveFloat | None = 2.0
    """Cap of the sampler-learner correction; null corrects nothing."""
    overlong: Overlong = "keep"
    """Episodes cut by a limit: keep, mask or penalise."""
    updates: PositiveInt = 1
    """Optimizer steps made of one step's groups."""


class RunConfig(Section):
    """A whole run."""

    output: str
    """Folder of checkpoints, metrics and ledger."""
    steps: PositiveInt = 50
    """Steps in all."""
    seed: int = 0
    """Everything that is random derives from it."""
    keep_checkpoints: PositiveInt = 2
    """Latest checkpoints that stay, one a step; the best validated one stays besides."""
    model: ModelConfig
    tasks: TasksConfig
    rollout: RolloutConfig = RolloutConfig()
    engine: EngineConfig = EngineConfig()
    learner: LearnerConfig = LearnerConfig()
    grpo: GrpoConfig = GrpoConfig()
