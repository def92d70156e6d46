"""A base and a trained policy on the same tasks, and any number of others in the plot of cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from tb_bench.figures import Point
from tb_bench.metrics import PairedChange, by_domain, paired_change
from tb_bench.results import Results
from tb_bench.summary import Scope, Summary, summarise
from tb_envs.errors import UsageError


@dataclass(frozen=True, slots=True)
class DomainChange:
    """One domain (or the whole suite) before and after, and the paired change."""

    name: str
    base: Scope
    trained: Scope
    change: PairedChange


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that a comparison says. ``policies`` are the names, base and trained first."""

    base: Results
    trained: Results
    base_summary: Summary
    trained_summary: Summary
    rows: tuple[DomainChange, ...]
    overall: DomainChange
    policies: tuple[tuple[str, Scope], ...]

    @property
    def k(self) -> int:
        """Attempts at each task."""
        return self.base_summary.k

    @property
    def points(self) -> list[Point]:
        """The policies whose cost is known, for the plot of cost against pass@1."""
        return _points(self.policies)


def compare(base: Results, trained: Results, others: Sequence[Results] = ()) -> Comparison:
    """Compare two complete campaigns task by task.

    Raises:
        UsageError: one is incomplete, or they are over different suites, numbers of attempts or
            verdicts (with rubrics and without).
    """
    for other in (trained, *others):
        _refuse_unlike(base, other)
    before, after = summarise(base), summarise(trained)
    tallies = by_domain(base.tally()), by_domain(trained.tally())
    rows = tuple(
        DomainChange(
            name=old.name,
            base=old,
            trained=new,
            change=paired_change(tallies[0][old.name], tallies[1][new.name]),
        )
        for old, new in zip(before.domains, after.domains, strict=True)
    )
    overall = DomainChange(
        "overall", before.overall, after.overall, paired_change(base.tally(), trained.tally())
    )
    policies = [(_name(base), before.overall), (_name(trained), after.overall)]
    policies += [(_name(other), summarise(other).overall) for other in others]
    return Comparison(base, trained, before, after, rows, overall, tuple(policies))


def cost_points(results: Results, campaigns: Sequence[Results]) -> list[Point]:
    """Complete campaigns whose cost is known, for the plot of cost against pass@1 of ``results``.

    Raises:
        UsageError: one is incomplete, or not over the same suite, attempts and verdicts.
    """
    for other in campaigns:
        _refuse_unlike(results, other)
    return _points([(_name(item), summarise(item).overall) for item in campaigns])


def _points(policies: Sequence[tuple[str, Scope]]) -> list[Point]:
    return [
        Point(name, scope.cost_per_success, scope.pass_1.value)
        for name, scope in policies
        if scope.cost_per_success is not None
    ]


def _name(results: Results) -> str:
    """The policy, with its folder: two campaigns may carry one policy name."""
    return f"{results.campaign.policy} ({results.ledger.folder.name})"


def _refuse_unlike(base: Results, trained: Results) -> None:
    one, two = base.campaign, trained.campaign
    if one.suite.digest != two.suite.digest:
        raise UsageError(
            f"got results over suite {one.suite.name!r} ({one.suite.digest[:12]}) and "
            f"{two.suite.name!r} ({two.suite.digest[:12]}); expected the same tasks with the same "
            "content"
        )
    if one.attempts != two.attempts:
        raise UsageError(
            f"got {one.attempts} and {two.attempts} attempts a task; pass@k and k/k compare at "
            "equal k only"
        )
    if one.judge != two.judge:
        names = [f"{item.ledger.folder} ({item.campaign.judge})" for item in (base, trained)]
        raise UsageError(
            f"got verdicts with rubrics and without, {' and '.join(names)}; expected the same "
            "`--judge` in both"
        )
