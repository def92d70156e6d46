"""A plan as tables."""

import os

from rich.console import Console
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
        console.print(f"{number}. {fault.what}\n   -> {fault.remedy}", highlight=False)
    verdict = f"no-go: {len(plan.faults)} faults" if plan.faults else "go"
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
        "episodes a step": f"{config.rollout.groups} x {config.rollout.group_size} = "
        f"{plan.episodes_per_step}, and up to {config.rollout.replacements} groups more",
        "tokens a step": f"at most {plan.tokens_per_step:,}",
        "steps": str(config.steps),
    }
    if plan.shape is not None:
        rows["model"] = f"{plan.shape.parameters / 1e9:.3g}B parameters, {plan.shape.layers} layers"
    for name, value in rows.items():
        table.add_row(name, value)
    return table


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
    table = Table("GiB on each device (estimate)", "")
    for name in (*LearnerMemory.__dataclass_fields__, "total"):
        table.add_row(name, f"{getattr(plan.memory, name):,.2f}")
    table.add_row("KV cache of one full episode (engine)", f"{plan.cache_gib_per_episode:,.2f}")
    return table
