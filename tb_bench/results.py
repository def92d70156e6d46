"""Results as a tidy table: one row an attempt, read once from a results folder."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tb_bench.metrics import Tally
from tb_envs.episode import Episode, Usage
from tb_envs.grading import NO_CHANGE
from tb_envs.outcome import CheckResult, CutByLimit, outcome_passed
from tb_trainer.selection.campaign import Campaign, Slot, Standing
from tb_trainer.selection.ledger import Entry, Ledger
from tb_trainer.selection.prices import Prices
from tb_trainer.selection.suite import SuiteTask

if TYPE_CHECKING:
    import pandas

Mistake = Literal["", "wrong action", "nothing done", "incomplete"]
"""How a failed attempt failed, read from what it left in the database.

``wrong action``: it changed something that nothing allows. ``nothing done``: it changed nothing at
all, so that neither the deed nor the refusal was recorded. ``incomplete``: what it did was allowed,
but something due is missing or wrong.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One clean attempt, flat. ``offset`` finds the whole episode in the ledger.

    ``cost`` is None without prices; tokens are None where the policy does not count them.
    """

    task_id: str
    attempt: int
    domain: str
    family: str
    right_end: str
    passed: bool
    ended: str
    mistake: Mistake
    failed_checks: tuple[str, ...]
    turns: int
    calls: int
    refused_calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    seconds: float
    offset: int


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that a report is made from.

    ``retry_costs`` are what tries that ended in a system error have cost, by domain: part of the
    campaign.
    """

    ledger: Ledger
    standing: Standing
    attempts: tuple[Attempt, ...]
    retry_costs: Mapping[str, float]
    currency: str

    @property
    def campaign(self) -> Campaign:
        """What was to be sampled."""
        return self.ledger.campaign

    @property
    def cost(self) -> float | None:
        """Cost of the whole campaign; None unless every attempt has one."""
        costs = [attempt.cost for attempt in self.attempts]
        known = [cost for cost in costs if cost is not None]
        return (
            sum(known) + sum(self.retry_costs.values())
            if known and len(known) == len(costs)
            else None
        )

    def tally(self) -> Tally:
        """Passes by task, in the suite's order."""
        tasks = self.campaign.suite.tasks
        row = {task.task_id: index for index, task in enumerate(tasks)}
        attempts = np.zeros(len(tasks), dtype=np.int64)
        passes = np.zeros(len(tasks), dtype=np.int64)
        for attempt in self.attempts:
            attempts[row[attempt.task_id]] += 1
            passes[row[attempt.task_id]] += attempt.passed
        return Tally(tuple(row), tuple(task.domain for task in tasks), attempts, passes)

    def rows(self) -> list[dict[str, Any]]:
        """The tidy table as plain dictionaries, one an attempt."""
        return [{"policy": self.campaign.policy, **asdict(item)} for item in self.attempts]

    def to_pandas(self) -> "pandas.DataFrame":
        """The tidy table as a DataFrame.

        Raises:
            ImportError: pandas is not installed; ``rows()`` needs nothing.
        """
        import pandas  # an extra: notebooks have it, reports do not need it

        return pandas.DataFrame(self.rows())


def read_results(folder: Path, prices: Prices | None = None) -> Results:
    """Read a results folder, complete or not; ``results.standing`` says which.

    Attempts that do not belong to the campaign, and second copies, are left out here and listed in
    the standing.
    """
    ledger = Ledger.open(folder)
    pricing = prices.of(ledger.campaign.policy) if prices else None
    price: Callable[[Usage], float | None] = pricing.cost if pricing else (lambda _: None)
    domains = {task.task_id: task.domain for task in ledger.campaign.suite.tasks}
    retry_costs: defaultdict[str, float] = defaultdict(float)
    for episode in ledger.failed_tries():
        retry_costs[domains.get(episode.task_id, "")] += price(episode.usage) or 0.0
    entries, attempts = _scan(ledger, price)
    return Results(
        ledger=ledger,
        standing=ledger.standing_of(entries),
        attempts=attempts,
        retry_costs=retry_costs,
        currency=prices.currency if prices else "",
    )


def _scan(
    ledger: Ledger, price: Callable[[Usage], float | None]
) -> tuple[list[Entry], tuple[Attempt, ...]]:
    """Read the episodes once, for the standing and for the table."""
    tasks = {task.task_id: task for task in ledger.campaign.suite.tasks}
    entries: list[Entry] = []
    attempts: dict[Slot, Attempt] = {}
    for offset, episode in ledger.scan():
        entry = ledger.entry_of(episode)
        entries.append(entry)
        if entry.belongs and entry.slot not in attempts:
            task = tasks[episode.task_id]
            attempts[entry.slot] = attempt_of(episode, task, price(episode.usage), offset)
    return entries, tuple(attempts.values())


def attempt_of(episode: Episode, task: SuiteTask, cost: float | None, offset: int) -> Attempt:
    """Flatten a clean episode."""
    calls = episode.tool_calls
    outcome = episode.outcome
    failures = episode.grade.failures if episode.grade else ()
    passed = bool(outcome_passed(outcome))
    return Attempt(
        task_id=episode.task_id,
        attempt=episode.attempt,
        domain=task.domain,
        family=task.family,
        right_end=task.right_end,
        passed=passed,
        ended=f"limit: {outcome.limit}" if isinstance(outcome, CutByLimit) else "by itself",
        mistake="" if passed else _mistake(episode),
        failed_checks=tuple(check_label(result) for result in failures),
        turns=sum(message.role == "assistant" for message in episode.messages),
        calls=len(calls),
        refused_calls=sum(call.is_error for call in calls),
        prompt_tokens=episode.usage.prompt_tokens,
        completion_tokens=episode.usage.completion_tokens,
        cost=cost,
        seconds=episode.timings.total_s,
        offset=offset,
    )


def check_label(result: CheckResult) -> str:
    """A check's name without its row's key and values, so that equal failures add up.

    Checks and rubrics have names of their own; those of changes and records hold a key in brackets.
    """
    named = result.kind in ("check", "rubric")
    name = result.name if named else result.name.partition("(")[0]
    return f"{result.kind}: {name.strip()}"


def _mistake(episode: Episode) -> Mistake:
    failures = episode.grade.failures if episode.grade else ()
    if any(item.kind == "change" and item.expected == NO_CHANGE for item in failures):
        return "wrong action"
    return "incomplete" if episode.changes else "nothing done"
