"""The ledger: what became of each group that was drawn, and of each task's groups."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

Fate = Literal["trained", "zero_variance", "system_error", "deadline"]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One drawn group.

    ``rewards`` are those of its finished episodes. ``failures`` are the sources of all system
    errors on the way, those that a retry made good included. ``cut`` counts episodes that a limit
    ended.
    """

    step: int
    task: str
    seed: int
    fate: Fate
    rewards: tuple[float, ...]
    failures: tuple[str, ...]
    cut: int

    def as_json(self) -> dict[str, Any]:
        """The entry as one line of the ledger file."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TaskTotals:
    """A task's groups by fate, its graded episodes, and the sum of their rewards."""

    drawn: int
    trained: int
    zero_variance: int
    failed: int
    episodes: int
    reward: float


def totals_by_task(entries: Iterable[LedgerEntry]) -> dict[str, TaskTotals]:
    """Add the ledger up, task by task."""
    by_task: dict[str, list[LedgerEntry]] = {}
    for entry in entries:
        by_task.setdefault(entry.task, []).append(entry)
    return {task: _totals(group) for task, group in sorted(by_task.items())}


def write_totals(ledger: Path, path: Path) -> None:
    """Add a ledger file up and write the totals as JSON, task by task."""
    lines = [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]
    totals = totals_by_task(
        LedgerEntry(
            **line | {"rewards": tuple(line["rewards"]), "failures": tuple(line["failures"])}
        )
        for line in lines
    )
    draft = path.with_suffix(".tmp")
    document = {task: asdict(one) for task, one in totals.items()}
    draft.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)


def _totals(entries: list[LedgerEntry]) -> TaskTotals:
    fates = Counter(entry.fate for entry in entries)
    rewards = [reward for entry in entries for reward in entry.rewards]
    return TaskTotals(
        drawn=len(entries),
        trained=fates["trained"],
        zero_variance=fates["zero_variance"],
        failed=fates["system_error"] + fates["deadline"],
        episodes=len(rewards),
        reward=sum(rewards),
    )
