"""Validate a configuration against the model, the tasks, the endpoints and the disk."""

import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import torch

from tb_envs.errors import ThinkingBoxError, UsageError
from tb_trainer.build import prompt_view
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.config import RunConfig
from tb_trainer.models import load_tokenizer
from tb_trainer.plan.memory import (
    EngineMemory,
    LearnerMemory,
    engine_memory,
    learner_memory,
    offloaded_gib,
)
from tb_trainer.plan.shape import ModelShape, read_shape
from tb_trainer.prompts import PromptLengths, measure_prompts
from tb_trainer.tasks import TaskRef, resolve

_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and what to do about it."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would be.

    ``shape``, ``memory`` and ``engine`` are None where the model is not readable, ``prompts`` where
    its tokenizer is not, or does not fit the chat template.
    """

    config: RunConfig
    processes: int
    shape: ModelShape | None
    memory: LearnerMemory | None
    engine: EngineMemory | None
    offloaded_gib: float
    tasks: int
    prompts: PromptLengths | None
    faults: tuple[Fault, ...]

    @property
    def episodes_per_step(self) -> int:
        """Without replacements and retries."""
        return self.config.rollout.groups * self.config.rollout.group_size

    @property
    def tokens_per_step(self) -> int:
        """At most, all episodes at full length."""
        rollout = self.config.rollout
        return self.episodes_per_step * (rollout.max_prompt_tokens + rollout.max_response_tokens)


def make_plan(config: RunConfig, *, processes: int | None = None) -> Plan:
    """Check everything and collect every fault.

    Args:
        config: The run.
        processes: Learning processes; by default those that a launcher announces, or one node's
            for each engine GPU that the configuration names.
    """
    count = processes or _processes(config)
    faults: list[Fault] = []
    shape = _shape(config, faults)
    train, held_out = _tasks(config, faults)
    faults += _limits(config)
    codec = _codec(config, shape, faults)
    prompts = None if codec is None else _prompts(config, codec, (*train, *held_out), faults)
    faults += _software(config, shape)
    faults += _topology(config, shape, count)
    faults += _endpoints(config)
    faults += _disk(config, shape)
    if shape is None:
        return Plan(config, count, None, None, None, 0.0, len(train), prompts, tuple(faults))
    memory = learner_memory(config, shape, count)
    faults += _fits(memory)
    return Plan(
        config=config,
        processes=count,
        shape=shape,
        memory=memory,
        engine=engine_memory(config, shape),
        offloaded_gib=offloaded_gib(config, shape, count),
        tasks=len(train),
        prompts=prompts,
        faults=tuple(faults),
    )


def _processes(config: RunConfig) -> int:
    launched = int(os.environ.get("WORLD_SIZE", "0"))
    if launched:
        return launched
    shared = len(config.engine.urls) * config.engine.tensor_parallel
    return max(
        config.learner.sequence_parallel, shared if config.learner.kind == "deepspeed" else 1
    )


def _shape(config: RunConfig, faults: list[Fault]) -> ModelShape | None:
    try:
        return read_shape(config.model.path)
    except (OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0]
        faults.append(
            Fault(
                f"model.path = {config.model.path} cannot be read: {first}",
                "give a model directory with a config.json, or a name that the hub serves",
            )
        )
        return None


def _tasks(
    config: RunConfig, faults: list[Fault]
) -> tuple[tuple[TaskRef, ...], tuple[TaskRef, ...]]:
    """Those that are trained on, and those that are held out."""
    try:
        train = resolve(config.tasks.train)
        held_out = resolve(config.tasks.held_out) if config.tasks.held_out else ()
    except ThinkingBoxError as error:
        faults.append(Fault(f"tasks: {error}", "see tb-envs list"))
        return (), ()
    both = {task.name for task in train} & {task.name for task in held_out}
    if both:
        faults.append(
            Fault(
                f"{len(both)} tasks are trained on and held out: {', '.join(sorted(both)[:3])}",
                "take them out of tasks.train or of tasks.held_out",
            )
        )
    if config.tasks.validate_every and not held_out:
        faults.append(
            Fault("tasks.validate_every is set, but tasks.held_out is empty", "name held-out tasks")
        )
    return train, held_out


def _limits(config: RunConfig) -> Iterator[Fault]:
    rollout = config.rollout
    if rollout.max_turn_tokens > rollout.max_response_tokens:
        yield Fault(
            f"rollout.max_turn_tokens = {rollout.max_turn_tokens} is more than max_response_tokens "
            f"= {rollout.max_response_tokens}",
            "lower the first or raise the second",
        )
    if rollout.groups < config.grpo.updates:
        yield Fault(
            f"grpo.updates = {config.grpo.updates} needs as many groups; rollout.groups = "
            f"{rollout.groups}",
            "raise rollout.groups",
        )


def _codec(config: RunConfig, shape: ModelShape | None, faults: list[Fault]) -> ChatCodec | None:
    """The template must be known, and the tokenizer must have its control tokens."""
    try:
        family = family_of(config.model.chat_template)
    except UsageError as error:
        faults.append(Fault(f"model.chat_template: {error}", "choose one of them"))
        return None
    if shape is None:
        return None
    try:
        return ChatCodec(load_tokenizer(config.model.path), family)
    except (UsageError, OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0]
        faults.append(
            Fault(
                f"model.path, model.chat_template: {first}",
                "choose the template of the model's own family, and a model with a fast tokenizer",
            )
        )
        return None


def _prompts(
    config: RunConfig, codec: ChatCodec, tasks: tuple[TaskRef, ...], faults: list[Fault]
) -> PromptLengths | None:
    try:
        lengths = measure_prompts(tasks, codec, prompt_view(config))
    except UsageError as error:
        faults.append(Fault(f"model.tools: {error}", "name tools that every task has"))
        return None
    fault = lengths.fault(config.rollout.max_prompt_tokens)
    if fault is not None:
        faults.append(Fault(*fault))
    return lengths


def _software(config: RunConfig, shape: ModelShape | None) -> Iterator[Fault]:
    """What is asked for must be installed, and must be able to do it."""
    learner, engine = config.learner, config.engine
    needed = {"deepspeed": learner.kind == "deepspeed", "vllm": engine.kind == "vllm"}
    for package, asked in needed.items():
        if asked and find_spec(package) is None:
            yield Fault(f"{package} is not installed here", "pip install 'thinkingbox[gpu]'")
    if learner.offload != "none" and learner.kind == "torch":
        yield Fault(
            f"learner.offload = {learner.offload} is DeepSpeed's, and learner.kind = torch",
            "set learner.kind=deepspeed or learner.offload=none",
        )
    if learner.offload == "all" and learner.kind == "deepspeed" and learner.zero_stage < 3:
        yield Fault(
            f"learner.offload = all moves sharded parameters, and learner.zero_stage = "
            f"{learner.zero_stage} keeps them whole",
            "set learner.zero_stage=3 or learner.offload=optimizer",
        )
    if (
        engine.kind == "transformers"
        and shape is not None
        and shape.attention_layers < shape.layers
    ):
        yield Fault(
            "engine.kind = transformers knows full attention only, and "
            f"{shape.layers - shape.attention_layers} of {shape.layers} layers are another kind",
            "set engine.kind=vllm or served",
        )


def _topology(config: RunConfig, shape: ModelShape | None, processes: int) -> Iterator[Fault]:
    parallel, tensor = config.learner.sequence_parallel, config.engine.tensor_parallel
    if processes % parallel:
        yield Fault(
            f"{processes} learning processes cannot be divided into groups of sequence_parallel = "
            f"{parallel}",
            "start a multiple of it",
        )
    if shape is None:
        return
    for name, degree in (
        ("learner.sequence_parallel", parallel),
        ("engine.tensor_parallel", tensor),
    ):
        if shape.heads % degree:
            yield Fault(
                f"{name} = {degree} does not divide the model's {shape.heads} attention heads",
                "choose a divisor",
            )
        if shape.kv_heads % degree and degree % shape.kv_heads:
            yield Fault(
                f"{name} = {degree} and the model's {shape.kv_heads} key-value heads do not divide",
                "choose a divisor or a multiple",
            )
    others = shape.layers - shape.attention_layers
    if parallel > 1 and others and shape.delta_key_heads is None:
        yield Fault(
            f"{others} of {shape.layers} layers are neither full attention nor a gated delta rule "
            "of Qwen3.5's kind; sequence parallelism trades the heads of those two",
            "set learner.sequence_parallel=1",
        )
    elif others and (shape.delta_key_heads or 0) % parallel:
        yield Fault(
            f"learner.sequence_parallel = {parallel} does not divide the {shape.delta_key_heads} "
            "key heads of the model's gated delta layers",
            "choose a divisor",
        )
    needed = config.rollout.max_prompt_tokens + config.rollout.max_response_tokens
    if needed > shape.max_positions:
        yield Fault(
            f"max_prompt_tokens + max_response_tokens = {needed}, but the model knows "
            f"{shape.max_positions} positions",
            "lower rollout.max_response_tokens",
        )


def _endpoints(config: RunConfig) -> Iterator[Fault]:
    if config.engine.kind != "served":
        return
    if not config.engine.urls:
        yield Fault("engine.kind = served, but engine.urls is empty", "name the vLLM servers")
    for url in config.engine.urls:
        try:
            with urllib.request.urlopen(f"{url.rstrip('/')}/health", timeout=3):
                pass
        except (urllib.error.URLError, OSError, ValueError) as error:
            yield Fault(f"{url} does not answer: {error}", "start the server, or mend the URL")


def _disk(config: RunConfig, shape: ModelShape | None) -> Iterator[Fault]:
    if shape is None:
        return
    # Float32 weights and two moments, and under DeepSpeed the model's own weights too; for the kept
    # checkpoints, the best one and the draft. Served engines get their weights through a file.
    width = 2 if config.learner.dtype == "bfloat16" else 4
    each = 12 + (width if config.learner.kind == "deepspeed" else 0)
    handed = width if config.engine.kind == "served" else 0
    needed = shape.parameters * (each * (config.keep_checkpoints + 2) + handed) / _GIB
    place = Path(config.output).absolute()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free / _GIB
    if needed > free:
        yield Fault(
            f"checkpoints need about {needed:.1f} GiB, and {place} has {free:.1f} GiB free",
            "lower keep_checkpoints, or choose another output",
        )


def _fits(memory: LearnerMemory) -> Iterator[Fault]:
    if not torch.cuda.is_available():
        return
    there = torch.cuda.get_device_properties(0).total_memory / _GIB
    if memory.total > there:
        yield Fault(
            f"learning needs about {memory.total:.0f} GiB a GPU, and it has {there:.0f} GiB",
            "raise learner.zero_stage or sequence_parallel, set offload or gradient_checkpointing",
        )
