"""From a name to a suite: a split, a pool file, or task and family names."""

from collections.abc import Sequence
from pathlib import Path

from tb_envs.registration import env_id
from tb_envs.specs import Task, all_tasks, resolve_tasks
from tb_trainer.selection.suite import Suite, SuiteTask


def load_suite(name: str) -> Suite:
    """The suite that ``name`` stands for.

    Args:
        name: ``bench``, ``train`` or ``demo``; a pool file (``*.json``), whose tasks must be
            unchanged; or task and family names, separated by commas.

    Raises:
        UsageError: it names no task, or a pooled task has changed.
        SpecError: a task file is not valid.
    """
    whole = name in ("bench", "train", "demo") or name.endswith(".json")
    tasks = resolve_tasks(name if whole else [part.strip() for part in name.split(",")])
    label = Path(name).stem if name.endswith(".json") else name
    return Suite(name=label, tasks=tuple(suite_task(task) for task in tasks))


def suite_task(task: Task) -> SuiteTask:
    """What results need to know of a task."""
    return SuiteTask(
        task_id=task.id,
        env_id=env_id(task.id),
        task_hash=task.hash,
        domain=task.domain.name,
        family=task.family,
        right_end=task.variant.right_end,
    )


def excluded_suites(names: Sequence[str] | None) -> tuple[Suite, ...]:
    """The suites that must not be trained on; by default the benchmark, where one is installed."""
    if names is not None:
        return tuple(load_suite(name) for name in names)
    tasks = all_tasks("bench")
    return (load_suite("bench"),) if tasks else ()
