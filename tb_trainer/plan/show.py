"""A plan as tables."""

from rich.console import Console
from rich.table import Table

from tb_trainer.plan.check import Plan


def show_plan(console: Console, plan: Plan) -> None:
    """Print topology, memory and tokens, then every fault with its remedy."""
    console.print(_topology(plan))
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
    if engine.urls:
        rows["on which GPU"] = "; ".join(
            f"{url}: GPUs of server {n}" for n, url in enumerate(engine.urls)
        )
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _memory(plan: Plan) -> Table:
    assert plan.memory is not None
    table = Table("GiB on each device (estimate)", "")
    for name in ("weights", "gradients", "optimizer", "activations", "logits", "total"):
        table.add_row(name, f"{getattr(plan.memory, name):,.2f}")
    table.add_row("KV cache of one full episode (engine)", f"{plan.cache_gib_per_episode:,.2f}")
    return table
