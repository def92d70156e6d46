"""A plan as tables."""

import os

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tb_trainer.plan.check import Plan
from tb_trainer.plan.memory import LearnerMemory

GPUS_PER_NODE = 8


def show_plan(console: Console, plan: Plan) -> None:
    """Print topology, memory and tokens, then every fault with its remedy."""
    console.print(_topology(plan))
    console.print(_places(plan))
    if plan.memory is not None:
        console.print(_memory(plan))
    for number, fault in enumerate(plan.faults, start=1):
        console.print(
            f"{number}. {fault.what}\n   -> {fault.remedy}", highlight=False, markup=False
        )
    count = len(plan.faults)
    verdict = f"no-go: {count} fault{'s' * (count > 1)}" if count else "go"
    console.print(verdict, style="bold red" if plan.faults else "bold green")


def _topology(plan: Plan) -> Table:
    config = plan.config
    learner, engine = config.learner, config.engine
    table = Table(title="Plan", show_header=False)
    groups = plan.processes // learner.sequence_parallel
    rows = {
        "learner": f"{learner.kind}, {plan.processes} processes: {groups} x sequence parallel "
        f"{learner.sequence_parallel}"
        + (f", ZeRO-{learner.zero_stage}" if learner.kind == "deepspeed" else ""),
        "engine": f"{engine.kind}, {max(1, len(engine.urls))} x tensor parallel "
        f"{engine.tensor_parallel}",
        "tasks": str(plan.tasks),
        "longest first prompt": _longest_prompt(plan),
        "episodes a step": f"{config.rollout.groups} x {config.rollout.group_size} = "
        f"{plan.episodes_per_step}, and up to {config.rollout.replacements} groups more",
        "tokens a step": f"at most {plan.tokens_per_step:,}",
        "steps": str(config.steps),
    }
    if plan.shape is not None:
        rows["model"] = (
            f"{plan.shape.parameters / 1e6:,.1f}M parameters, {plan.shape.layers} layers"
        )
    for name, value in rows.items():
        table.add_row(name, escape(value))
    return table


def _longest_prompt(plan: Plan) -> str:
    """How long, of what, and what it was chosen from."""
    lengths = plan.prompts
    if lengths is None:
        return "not checked: the tokenizer is not at hand, or a fault below stands in the way"
    parts: list[str] = []
    name, limit = lengths.longest, plan.config.rollout.max_prompt_tokens
    if name is not None:
        parts.append(f"{lengths.tokens[name]:,} tokens ({name}), of {limit:,} at most")
        if len(lengths.tokens) < lengths.tasks - lengths.unknown:
            parts.append(
                f"{len(lengths.tokens)} of {lengths.tasks} tasks were rendered, those with the "
                "longest openings of each domain"
            )
    if lengths.unknown:
        parts.append(f"{lengths.unknown} not checked: they tell it when an episode begins")
    return "; ".join(parts)


def _places(plan: Plan) -> Table:
    """Which process works on which GPU, and what it holds there."""
    config = plan.config
    learner, engine = config.learner, config.engine
    table = Table("GPU", "who", "holds", title="What is where")
    model = "the whole model"
    if learner.kind == "deepspeed":
        sharded = ("optimizer", "optimizer and gradients", "parameters, gradients and optimizer")
        model = f"1/{plan.processes} of {sharded[learner.zero_stage - 1]}"
    width = learner.sequence_parallel
    for first in range(0, plan.processes, width):
        ranks = f"{first}" if width == 1 else f"{first} to {first + width - 1}"
        whose = "each sequence whole" if width == 1 else f"each sequence in {width} parts"
        table.add_row(
            _gpus(first, width) if plan.processes > 1 else "the first, or the CPU",
            f"learner, rank {ranks}: replica {first // width}",
            f"{model}; {whose}",
        )
    tensor = engine.tensor_parallel
    weights = "the whole model" if tensor == 1 else f"1/{tensor} of the model on each of {tensor}"
    for url in engine.urls:
        table.add_row(f"{tensor} of its host", f"vLLM at {url}", f"{weights}; KV cache")
    if not engine.urls:
        table.add_row("the learner's", f"{engine.kind} engine, in rank 0", f"{weights}; KV cache")
    return table


def _gpus(first: int, width: int) -> str:
    """Where consecutive ranks are, if each node has as many processes as the launcher says."""
    per_node = int(os.environ.get("LOCAL_WORLD_SIZE", GPUS_PER_NODE))
    node, gpu = divmod(first, per_node)
    return f"node {node + 1}: {gpu}" + ("" if width == 1 else f" to {gpu + width - 1}")


def _memory(plan: Plan) -> Table:
    assert plan.memory is not None
    assert plan.engine is not None
    table = Table("GiB on each device (estimate)", "")
    for name in (*LearnerMemory.__dataclass_fields__, "total"):
        table.add_row(f"learner: {name}", f"{getattr(plan.memory, name):,.2f}")
    if plan.offloaded_gib:
        table.add_row("learner: offloaded to the CPU, a process", f"{plan.offloaded_gib:,.2f}")
    table.add_row("engine: weights", f"{plan.engine.weights:,.2f}")
    table.add_row("engine: KV cache of one full episode", f"{plan.engine.cache_per_episode:,.2f}")
    table.add_row(
        f"engine: KV cache of {plan.engine.episodes}, all in flight at once",
        f"{plan.engine.cache_per_episode * plan.engine.episodes:,.2f}",
    )
    return table
