"""Which tasks are trained on, and in which order."""

import importlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium

from tb_envs.errors import UsageError
from tb_envs.registration import SUITE_ID
from tb_envs.rollout import RolloutJob
from tb_envs.specs import resolve_tasks
from tb_trainer.seeds import derive_seed


@dataclass(frozen=True, slots=True)
class TaskRef:
    """One task: a registered id, and for a suite which of its tasks."""

    env_id: str
    task_id: str | None = None
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def name(self) -> str:
        """What the ledger files it under."""
        return self.task_id or self.env_id

    def job(self, *, seed: int, attempt: int) -> RolloutJob:
        """One episode of it."""
        return RolloutJob(self.env_id, seed, attempt, self.task_id, self.options)


def resolve(entries: Sequence[str]) -> tuple[TaskRef, ...]:
    """Find the tasks that the entries name, without doubles, in the given order.

    An entry is the id of any registered environment (``module:Name-v0`` imports the module first),
    or a split, a pool file, a family or a task of ours.

    Raises:
        UsageError: an entry names nothing.
        SpecError: a task file is not valid.
    """
    found: dict[str, TaskRef] = {}
    for entry in entries:
        if ":" in entry or entry in gymnasium.registry:
            found.setdefault(entry, TaskRef(_registered(entry)))
            continue
        for task in resolve_tasks(entry):
            found.setdefault(task.id, TaskRef(SUITE_ID, task.id, {"tasks": [task.family]}))
    if not found:
        raise UsageError(f"no task is named by {list(entries)!r}")
    return tuple(found.values())


class TaskStream:
    """Draws tasks for ever: epoch after epoch, each in an order of its own.

    Args:
        tasks: What is drawn from.
        seed: Decides the orders.
        drawn: How many were drawn before; all that a checkpoint must keep.
    """

    def __init__(self, tasks: Sequence[TaskRef], seed: int, *, drawn: int = 0) -> None:
        self._tasks = tuple(tasks)
        self._seed = seed
        self.drawn = drawn

    def draw(self) -> tuple[TaskRef, int]:
        """Return the next task and the seed of its episodes, which no other draw shares."""
        epoch, place = divmod(self.drawn, len(self._tasks))
        order = list(range(len(self._tasks)))
        random.Random(derive_seed(self._seed, "order", epoch)).shuffle(order)
        seed = derive_seed(self._seed, "episode", self.drawn)
        self.drawn += 1
        return self._tasks[order[place]], seed


def _registered(entry: str) -> str:
    """Import an entry's module if it names one, and check that the id is registered."""
    module, _, env_id = entry.rpartition(":")
    try:
        if module:
            importlib.import_module(module)
        return gymnasium.spec(env_id).id
    except (gymnasium.error.Error, ImportError) as error:
        raise UsageError(f"{entry!r} is not a registered environment: {error}") from error
