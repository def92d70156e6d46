"""From a configuration to working parts: model, engine, learner, policy."""

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from tb_envs.errors import UsageError
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.config import EngineConfig, RunConfig
from tb_trainer.engines import Engine
from tb_trainer.groups import CollectSettings
from tb_trainer.grpo import LossSettings
from tb_trainer.learners import Learner, LearnerSettings, Reference
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.models import load_model, load_tokenizer
from tb_trainer.policy import EnginePolicy, PromptView, SamplingLimits
from tb_trainer.prompts import measure_prompts
from tb_trainer.step import Objective, Parts
from tb_trainer.tasks import TaskRef, TaskStream, resolve


def build_parts(config: RunConfig, *, drawn: int) -> tuple[Parts, PreTrainedTokenizerFast]:
    """Load the model and make everything that a step works with.

    Args:
        config: The run.
        drawn: Tasks drawn before, when a run is resumed.

    Raises:
        UsageError: what is configured does not exist or does not fit together.
    """
    tokenizer = load_tokenizer(config.model.path)
    train = resolve(config.tasks.train)
    _refuse_long_prompts(config, tokenizer, train)
    join_ranks(config)
    model = _loaded(config, _sharding(config))
    learner = build_learner(config, model)
    reference = build_reference(config) if config.grpo.kl_coef else None
    policy = None
    if learner.is_main:
        policy = build_policy(config, build_engine(config), tokenizer)
    parts = Parts(
        learner=learner,
        policy=policy,
        reference=reference,
        stream=TaskStream(train, config.seed, drawn=drawn),
        collect=collect_settings(config),
        objective=Objective(
            advantage=config.grpo.advantage,
            aggregation=config.grpo.aggregation,
            max_response_tokens=config.rollout.max_response_tokens,
            updates=config.grpo.updates,
        ),
    )
    return parts, tokenizer


def _refuse_long_prompts(
    config: RunConfig, tokenizer: PreTrainedTokenizerFast, train: Sequence[TaskRef]
) -> None:
    """Say at the start, on every process, what would stop the run at the task's first turn."""
    held_out = resolve(config.tasks.held_out) if config.tasks.held_out else ()
    codec = ChatCodec(tokenizer, family_of(config.model.chat_template))
    lengths = measure_prompts((*train, *held_out), codec, prompt_view(config))
    fault = lengths.fault(config.rollout.max_prompt_tokens)
    if fault is not None:
        raise UsageError("; ".join(fault))


def join_ranks(config: RunConfig) -> None:
    """Join the other processes that a launcher started, if any."""
    launched = int(os.environ.get("WORLD_SIZE", "1")) > 1
    if dist.is_initialized() or not (launched or config.learner.kind == "deepspeed"):
        return
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    if backend == "nccl":
        # NCCL moves Python objects through the current device, which is GPU 0 for everyone else.
        torch.cuda.set_device(device_of_rank())
    # The others wait while the main process gathers a whole step's episodes, or a validation's.
    patience = timedelta(seconds=config.rollout.step_deadline_s + 3600.0)
    if config.learner.kind == "deepspeed":
        import deepspeed

        deepspeed.init_distributed(backend, timeout=patience)
    else:
        dist.init_process_group(backend, timeout=patience)


def device_of_rank() -> torch.device:
    """This process's GPU, or the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    return torch.device("cpu")


def build_learner(config: RunConfig, model: PreTrainedModel) -> Learner:
    """Make the learner around a model."""
    settings = learner_settings(config)
    if config.learner.kind == "torch":
        return TorchLearner(model, settings)
    from tb_trainer.learners.deepspeed_learner import DeepSpeedLearner

    return DeepSpeedLearner(model, settings)


def build_reference(config: RunConfig) -> Reference:
    """Load the first policy a second time, to stay as it is."""
    settings = learner_settings(config)
    if config.learner.kind == "torch":
        return TorchLearner(_loaded(config).requires_grad_(False), settings)
    from tb_trainer.learners.deepspeed_learner import DeepSpeedReference, reference_config

    return DeepSpeedReference(_loaded(config, reference_config(settings)), settings)


def build_engine(config: RunConfig) -> Engine:
    """Make the engine, with the model's weights as they lie on disk."""
    context = config.rollout.max_prompt_tokens + config.rollout.max_response_tokens
    exchange = Path(config.output) / "weights"
    return make_engine(config.engine, config.model.path, config.learner.dtype, context, exchange)


def make_engine(
    config: EngineConfig, path: str, dtype: str, context: int, exchange: Path
) -> Engine:
    """Make an engine of the configured kind.

    Args:
        config: Which kind, and what it needs.
        path: Model directory or hub name.
        dtype: Of the weights.
        context: The longest sequence, tokens.
        exchange: Folder through which served engines get their weights; they must see it too.
    """
    if config.kind == "transformers":
        from tb_trainer.engines.transformers_engine import TransformersEngine

        model = load_model(path, dtype=dtype).to(device_of_rank())  # pyright: ignore
        return TransformersEngine(model, context_tokens=context)
    if config.kind == "vllm":
        from tb_trainer.engines.vllm_engine import VllmEngine

        return VllmEngine(
            path, context_tokens=context, dtype=dtype, tensor_parallel=config.tensor_parallel
        )
    from tb_trainer.engines.served_engine import ServedEngine

    return ServedEngine(config.urls, exchange=exchange)


def build_policy(
    config: RunConfig, engine: Engine, tokenizer: PreTrainedTokenizerFast
) -> EnginePolicy:
    """Make the policy that plays episodes with an engine."""
    return EnginePolicy(
        engine,
        ChatCodec(tokenizer, family_of(config.model.chat_template)),
        SamplingLimits(
            temperature=config.rollout.temperature,
            max_prompt_tokens=config.rollout.max_prompt_tokens,
            max_response_tokens=config.rollout.max_response_tokens,
            max_turn_tokens=config.rollout.max_turn_tokens,
        ),
        name=f"model:{Path(config.model.path).name}",
        seed=config.seed,
        view=prompt_view(config),
    )


def prompt_view(config: RunConfig) -> PromptView:
    """What the model is shown of a task's prompt."""
    tools = config.model.tools
    return PromptView(None if tools is None else tuple(tools), config.model.system_prompt)


def collect_settings(config: RunConfig) -> CollectSettings:
    """Hand the collector its part of the configuration."""
    rollout = config.rollout
    return CollectSettings(
        groups=rollout.groups,
        group_size=rollout.group_size,
        replacements=rollout.replacements,
        retries=rollout.retries,
        concurrency=rollout.concurrency,
        episode_deadline_s=rollout.episode_deadline_s,
        step_deadline_s=rollout.step_deadline_s,
        overlong=config.grpo.overlong,
    )


def learner_settings(config: RunConfig) -> LearnerSettings:
    """Hand the learner its part of the configuration."""
    learner, grpo = config.learner, config.grpo
    return LearnerSettings(
        learning_rate=learner.learning_rate,
        temperature=config.rollout.temperature,
        micro_batch_tokens=learner.micro_batch_tokens,
        dtype=learner.dtype,
        gradient_checkpointing=learner.gradient_checkpointing,
        sequence_parallel=learner.sequence_parallel,
        zero_stage=learner.zero_stage,
        offload=learner.offload,
        loss=LossSettings(
            clip_eps_low=grpo.clip[0],
            clip_eps_high=grpo.clip[1],
            kl_coef=grpo.kl_coef,
            importance_cap=grpo.importance_cap,
        ),
    )


def _sharding(config: RunConfig) -> dict[str, Any] | None:
    """DeepSpeed's configuration, where a learner has one."""
    if config.learner.kind != "deepspeed":
        return None
    from tb_trainer.learners.deepspeed_learner import deepspeed_config

    return deepspeed_config(learner_settings(config))


def _loaded(config: RunConfig, sharding: dict[str, Any] | None = None) -> PreTrainedModel:
    """Load the model's weights as they lie on disk; stage 3 shards them while they load."""
    dtype = "float32" if sharding is None else config.learner.dtype
    if sharding is not None and sharding["zero_optimization"]["stage"] == 3:
        from transformers.integrations.deepspeed import HfDeepSpeedConfig

        # Alive while the model loads: that is how transformers knows that it is to shard.
        alive = HfDeepSpeedConfig(sharding)
        model = load_model(config.model.path, dtype=dtype)
        del alive
        return model
    model = load_model(config.model.path, dtype=dtype)
    return model.to(device_of_rank())  # pyright: ignore[reportArgumentType]
