"""How dependable a policy is: figures over a suite, with intervals that know what a task is.

The attempts at one task resemble each other, so the task is the unit that is resampled. One
resampling serves every statistic of a table: ``values`` has one row a task and one column a
statistic, and a bootstrap replicate is a weighted mean of its rows.

Shapes: T tasks, S statistics, R resamples.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from tb_envs.errors import UsageError
from tb_trainer.selection.estimators import (
    Counts,
    Rates,
    observed_all,
    pass_at_k,
    pass_hat_k,
    pass_power_k,
    pass_rate,
)

__all__ = [
    "Estimate",
    "PairedChange",
    "Tally",
    "bootstrap_means",
    "by_domain",
    "cost_per_dependable_task",
    "cost_per_success",
    "estimates",
    "observed_all",
    "paired_change",
    "pass_at_k",
    "pass_hat_k",
    "pass_power_k",
    "pass_rate",
]

RESAMPLES = 10_000
LEVEL = 0.95
_CHUNK = 1_000
_NOISE = 1e-9
"""Less than any two rates of tasks differ by, more than arithmetic on them leaves."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over tasks and its interval; the bounds are NaN where the tasks leave none."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tally:
    """Passes by task, the input of every figure.

    ``attempts`` and ``passes`` have shape (T,), in the order of ``tasks``.
    """

    tasks: tuple[str, ...]
    domains: tuple[str, ...]
    attempts: Counts
    passes: Counts

    def __post_init__(self) -> None:
        if len({len(self.tasks), len(self.domains), len(self.attempts), len(self.passes)}) != 1:
            raise UsageError("got columns of different lengths; expected one entry a task in each")

    def select(self, keep: npt.NDArray[np.bool_]) -> "Tally":
        """The tasks where ``keep`` (shape (T,)) holds."""
        rows = np.flatnonzero(keep)
        return Tally(
            tuple(self.tasks[row] for row in rows),
            tuple(self.domains[row] for row in rows),
            self.attempts[rows],
            self.passes[rows],
        )

    @property
    def k(self) -> int:
        """Attempts that every task has: the largest k that can be asked about."""
        return int(self.attempts.min()) if len(self.attempts) else 0


def by_domain(tally: Tally) -> dict[str, Tally]:
    """The same tally, cut by domain in alphabetical order."""
    names = np.array(tally.domains)
    return {name: tally.select(names == name) for name in sorted(set(tally.domains))}


def bootstrap_means(
    values: Rates, *, resamples: int = RESAMPLES, level: float = LEVEL, seed: int = 0
) -> tuple[Rates, Rates]:
    """Percentile intervals of the column means of ``values`` under resampling of its rows.

    Args:
        values: One row a task, one column a statistic; shape (T, S).
        resamples: Bootstrap replicates, R.
        level: Coverage asked for, such as 0.95.
        seed: Of the resampling; the same seed gives the same interval.

    Returns:
        Lower and upper bounds, each of shape (S,); NaN where T < 2 or where all tasks agree:
        resampling equal values would claim a certainty that few tasks cannot give.

    Source: Efron 1979; the cluster (here: task) as the unit as in Davison and Hinkley 1997, 3.8.
    """
    tasks, statistics = values.shape
    if tasks < 2:
        nothing = np.full(statistics, np.nan)
        return nothing, nothing
    rng = np.random.default_rng(seed)
    even = np.full(tasks, 1.0 / tasks)
    means: list[Rates] = []
    for start in range(0, resamples, _CHUNK):
        draws = rng.multinomial(tasks, even, size=min(_CHUNK, resamples - start))
        means.append(draws.astype(np.float64) @ values / tasks)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(np.concatenate(means), [tail, 1.0 - tail], axis=0)
    # Equal differences, such as 3/20 - 2/20 and 2/20 - 1/20, are not equal to the last bit.
    alike = np.ptp(values, axis=0) < _NOISE
    return np.where(alike, np.nan, low), np.where(alike, np.nan, high)


def estimates(
    columns: Mapping[str, Rates], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, Estimate]:
    """Mean over tasks and task-bootstrap interval of each column (shape (T,)) by its name."""
    values = np.column_stack(list(columns.values()))
    low, high = bootstrap_means(values, resamples=resamples, seed=seed)
    means = values.mean(axis=0)
    # No change is no change, not a fall by the last bit.
    means[np.abs(means) < _NOISE] = 0.0
    return {
        name: Estimate(float(means[i]), float(low[i]), float(high[i]))
        for i, name in enumerate(columns)
    }


@dataclass(frozen=True, slots=True)
class PairedChange:
    """What changed from a base to a trained policy on the same tasks, in shares (not points).

    ``gained`` and ``lost`` are the tasks that became, or stopped being, passed on every attempt;
    ``p_value`` is McNemar's exact test on those two counts.
    """

    pass_1: Estimate
    pass_k: Estimate
    observed_k: Estimate
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p_value: float


def paired_change(base: Tally, trained: Tally, *, seed: int = 0) -> PairedChange:
    """Compare two policies task by task: the interval is of the mean of paired differences.

    Pairing removes the spread between tasks, which both policies share.
    Source: McNemar 1947 for the exact test of gained against lost tasks.
    """
    if base.tasks != trained.tasks:
        missing = sorted(set(base.tasks) ^ set(trained.tasks))
        raise UsageError(
            f"got results over different tasks ({len(missing)} are in one only, such as "
            f"{missing[:3]}); expected the same tasks in the same order"
        )
    k = min(base.k, trained.k)
    dependable = [observed_all(tally.attempts, tally.passes) for tally in (base, trained)]
    columns = {
        "pass_1": _difference(base, trained, 1),
        "pass_k": _difference(base, trained, k),
        "observed_k": dependable[1] - dependable[0],
    }
    change = estimates(columns, seed=seed)
    gained = _named(base.tasks, columns["observed_k"] > 0)
    lost = _named(base.tasks, columns["observed_k"] < 0)
    discordant = len(gained) + len(lost)
    p_value = float(binomtest(len(gained), discordant).pvalue) if discordant else 1.0
    return PairedChange(
        change["pass_1"], change["pass_k"], change["observed_k"], gained, lost, p_value
    )


def _difference(base: Tally, trained: Tally, k: int) -> Rates:
    after = pass_at_k(trained.attempts, trained.passes, k)
    return after - pass_at_k(base.attempts, base.passes, k)


def _named(tasks: Sequence[str], keep: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(task for task, kept in zip(tasks, keep, strict=True) if kept)


def cost_per_success(campaign_cost: float, passing_attempts: int) -> float | None:
    """Campaign cost over passing attempts: failed attempts cost too. None where none passed."""
    return campaign_cost / passing_attempts if passing_attempts else None


def cost_per_dependable_task(campaign_cost: float, dependable_tasks: int) -> float | None:
    """Cost of the whole campaign over the tasks passed on every attempt. None where there are none.

    It prices dependability: the campaign is what finding those tasks out has cost.
    """
    return campaign_cost / dependable_tasks if dependable_tasks else None
