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
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.config import RunConfig
from tb_trainer.models import load_tokenizer
from tb_trainer.plan.memory import LearnerMemory, cache_gib, learner_memory
from tb_trainer.plan.shape import ModelShape, read_shape
from tb_trainer.tasks import resolve

_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and what to do about it."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would be. ``shape`` and ``memory`` are None where the model is not readable."""

    config: RunConfig
    processes: int
    shape: ModelShape | None
    memory: LearnerMemory | None
    cache_gib_per_episode: float | None
    tasks: int
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
    tasks = _tasks(config, faults)
    faults += _limits(config)
    faults += _template(config, shape)
    faults += _software(config, shape)
    faults += _topology(config, shape, count)
    faults += _endpoints(config)
    faults += _disk(config, shape)
    memory = None if shape is None else learner_memory(config, shape, count)
    if memory is not None:
        faults += _fits(memory)
    width = 2 if config.learner.dtype == "bfloat16" else 4
    cache = None if shape is None else cache_gib(config, shape, width)
    return Plan(config, count, shape, memory, cache, tasks, tuple(faults))


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


def _tasks(config: RunConfig, faults: list[Fault]) -> int:
    try:
        train = resolve(config.tasks.train)
        held_out = resolve(config.tasks.held_out) if config.tasks.held_out else ()
    except ThinkingBoxError as error:
        faults.append(Fault(f"tasks: {error}", "see tb-envs list"))
        return 0
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
    return len(train)


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


def _template(config: RunConfig, shape: ModelShape | None) -> Iterator[Fault]:
    """The template must be known, and the tokenizer must have its control tokens."""
    try:
        family = family_of(config.model.chat_template)
    except UsageError as error:
        yield Fault(f"model.chat_template: {error}", "choose one of them")
        return
    if shape is None:
        return
    try:
        ChatCodec(load_tokenizer(config.model.path), family)
    except (UsageError, OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0]
        yield Fault(
            f"model.path, model.chat_template: {first}",
            "choose the template of the model's own family, and a model with a fast tokenizer",
        )


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
    if parallel > 1 and shape.attention_layers < shape.layers:
        yield Fault(
            f"{shape.layers - shape.attention_layers} of {shape.layers} layers are not full "
            "attention; sequence parallelism here trades attention heads only",
            "set learner.sequence_parallel=1",
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
    # float32 weights and two moments, for the kept checkpoints, the best one and the draft.
    needed = 12 * shape.parameters * (config.keep_checkpoints + 2) / _GIB
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
