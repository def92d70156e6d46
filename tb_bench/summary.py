"""The figures of one complete campaign, overall and by domain."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tb_bench.metrics import (
    Estimate,
    Tally,
    by_domain,
    cost_per_dependable_task,
    cost_per_success,
    estimates,
    observed_all,
    pass_at_k,
    pass_hat_k,
    pass_power_k,
)
from tb_bench.results import Attempt, Results
from tb_envs.errors import UsageError

_CURVE = (1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 64)


@dataclass(frozen=True, slots=True)
class Scope:
    """Figures of a set of tasks: the suite, or one domain of it."""

    name: str
    tasks: int
    attempts: int
    passing: int
    dependable: int
    pass_1: Estimate
    pass_k: Estimate
    observed_k: Estimate
    mean_calls: float
    mean_turns: float
    mean_tokens: float | None
    cost: float | None
    cost_per_success: float | None
    cost_per_dependable: float | None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The suite at j attempts: solved at least once, and on all of them in both conventions."""

    j: int
    pass_at: float
    pass_hat: float
    pass_power: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a report over a complete campaign says.

    ``histogram[c]`` are the tasks with c passes. ``mistakes`` counts failed attempts by how the
    case should have ended and how the attempt failed. ``trial_pass_rates`` has one entry an attempt
    number: the spread between whole passes over the suite.
    """

    k: int
    overall: Scope
    domains: tuple[Scope, ...]
    curve: tuple[CurvePoint, ...]
    histogram: tuple[int, ...]
    failed_checks: tuple[tuple[str, int, int], ...]
    mistakes: dict[str, dict[str, int]]
    ended: dict[str, int]
    trial_pass_rates: tuple[float, ...]


def summarise(results: Results) -> Summary:
    """Work out a complete campaign's figures.

    Raises:
        UsageError: the campaign is not complete; no figure is given then.
    """
    if not results.standing.complete:
        raise UsageError(
            f"{results.ledger.folder} holds {results.standing.clean} of "
            f"{results.standing.planned} clean attempts; "
            "`tb-bench rerun --missing` or `--errors` completes it"
        )
    tally = results.tally()
    return Summary(
        k=tally.k,
        overall=_scope("overall", tally, results.attempts, sum(results.retry_costs.values())),
        domains=tuple(
            _scope(
                name,
                part,
                [attempt for attempt in results.attempts if attempt.domain == name],
                results.retry_costs.get(name, 0.0),
            )
            for name, part in by_domain(tally).items()
        ),
        curve=_curve(tally),
        histogram=tuple(int(n) for n in np.bincount(tally.passes, minlength=tally.k + 1)),
        failed_checks=failed_checks(results.attempts),
        mistakes=_mistakes(results.attempts),
        ended=dict(Counter(attempt.ended for attempt in results.attempts).most_common()),
        trial_pass_rates=_trial_pass_rates(results.attempts, tally.k),
    )


def _scope(name: str, tally: Tally, attempts: Sequence[Attempt], retry_cost: float) -> Scope:
    found = estimates(
        {
            "pass_1": pass_at_k(tally.attempts, tally.passes, 1),
            "pass_k": pass_at_k(tally.attempts, tally.passes, tally.k),
            "observed_k": observed_all(tally.attempts, tally.passes),
        }
    )
    passing = int(tally.passes.sum())
    dependable = int(observed_all(tally.attempts, tally.passes).sum())
    costs = [attempt.cost for attempt in attempts if attempt.cost is not None]
    cost = sum(costs) + retry_cost if len(costs) == len(attempts) else None
    return Scope(
        name=name,
        tasks=len(tally.tasks),
        attempts=len(attempts),
        passing=passing,
        dependable=dependable,
        **found,
        mean_calls=_mean([attempt.calls for attempt in attempts]),
        mean_turns=_mean([attempt.turns for attempt in attempts]),
        mean_tokens=_mean_tokens(attempts),
        cost=cost,
        cost_per_success=None if cost is None else cost_per_success(cost, passing),
        cost_per_dependable=None if cost is None else cost_per_dependable_task(cost, dependable),
    )


def _curve(tally: Tally) -> tuple[CurvePoint, ...]:
    points = sorted({j for j in _CURVE if j < tally.k} | {tally.k})
    return tuple(
        CurvePoint(
            j,
            float(pass_at_k(tally.attempts, tally.passes, j).mean()),
            float(pass_hat_k(tally.attempts, tally.passes, j).mean()),
            float(pass_power_k(tally.attempts, tally.passes, j).mean()),
        )
        for j in points
    )


def failed_checks(attempts: Sequence[Attempt]) -> tuple[tuple[str, int, int], ...]:
    """Each failed check's name with the attempts and the tasks that failed it, most first."""
    hits: Counter[str] = Counter()
    tasks: dict[str, set[str]] = {}
    for attempt in attempts:
        for name in set(attempt.failed_checks):
            hits[name] += 1
            tasks.setdefault(name, set()).add(attempt.task_id)
    ranked = sorted(hits.items(), key=lambda item: (-item[1], item[0]))
    return tuple((name, count, len(tasks[name])) for name, count in ranked)


def _mistakes(attempts: Sequence[Attempt]) -> dict[str, dict[str, int]]:
    table: dict[str, Counter[str]] = {}
    for attempt in attempts:
        row = table.setdefault(attempt.right_end or "any", Counter())
        row[attempt.mistake or "passed"] += 1
    return {name: dict(row) for name, row in sorted(table.items())}


def _trial_pass_rates(attempts: Sequence[Attempt], k: int) -> tuple[float, ...]:
    return tuple(
        _mean([attempt.passed for attempt in attempts if attempt.attempt == number])
        for number in range(k)
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _mean_tokens(attempts: Sequence[Attempt]) -> float | None:
    totals = [
        attempt.prompt_tokens + attempt.completion_tokens
        for attempt in attempts
        if attempt.prompt_tokens is not None and attempt.completion_tokens is not None
    ]
    return _mean(totals) if len(totals) == len(attempts) else None
