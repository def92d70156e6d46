"""Reports for the terminal: tables of figures."""

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tb_bench.comparison import Comparison
from tb_bench.formats import interval, money, p_value, percent, points, points_interval
from tb_bench.metrics import Estimate
from tb_bench.pages import problems
from tb_bench.results import Results
from tb_bench.summary import Scope, Summary
from tb_trainer.selection.campaign import Standing


def report_tables(results: Results, summary: Summary) -> RenderableType:
    """The figures of a complete campaign: by domain, with more attempts, failed checks."""
    return Group(
        _domain_table(results, summary),
        Text(),
        _curve_table(summary),
        Text(),
        _failed_table(summary),
    )


def incomplete_notice(standing: Standing) -> RenderableType:
    """What is missing, in place of any figure."""
    lines = [f"{standing.clean} of {standing.planned} attempts are clean; no figure is given."]
    for name, items in problems(standing).items():
        if items:
            more = ", ..." if len(items) > 5 else ""
            lines.append(f"{len(items)} {name}: {escape(', '.join(items[:5]))}{more}")
    lines.append("`tb-bench rerun DIR --missing --errors` completes what can be completed.")
    return Panel("\n".join(lines), title="incomplete", border_style="red")


def _domain_table(results: Results, summary: Summary) -> Table:
    campaign = results.campaign
    table = Table(
        title=f"{escape(campaign.policy)} on {escape(campaign.suite.name)}: "
        f"{summary.overall.tasks} tasks, "
        f"{summary.k} attempts each" + _judged(results),
        title_justify="left",
        caption="in brackets: 95% intervals from resampling tasks",
        caption_justify="left",
    )
    table.add_column("domain")
    for name in ("tasks", "pass@1", f"pass@{summary.k}", f"all {summary.k} passed", "calls"):
        table.add_column(name, justify="right")
    priced = summary.overall.cost is not None
    for name in ("per success", "per dependable task") if priced else ():
        table.add_column(name, justify="right")
    for scope in (*summary.domains, summary.overall):
        cells = [
            escape(scope.name),
            str(scope.tasks),
            _share(scope.pass_1),
            _share(scope.pass_k),
            f"{scope.dependable} = {_share(scope.observed_k)}",
            f"{scope.mean_calls:.1f}",
        ]
        if priced:
            cells.append(money(scope.cost_per_success, results.currency))
            cells.append(money(scope.cost_per_dependable, results.currency))
        table.add_row(*cells, style="bold" if scope is summary.overall else "")
    return table


def _curve_table(summary: Summary) -> Table:
    table = Table(title="with j attempts", title_justify="left")
    for name in ("j", "pass@j", "all of j (unbiased)", "all of j ((c/n)^j)"):
        table.add_column(name, justify="right")
    for point in summary.curve:
        shares = (point.pass_at, point.pass_hat, point.pass_power)
        table.add_row(str(point.j), *(percent(share) for share in shares))
    return table


def _failed_table(summary: Summary) -> Table:
    table = Table(title="most frequent failed checks", title_justify="left")
    table.add_column("check")
    table.add_column("attempts", justify="right")
    table.add_column("tasks", justify="right")
    for name, attempts, tasks in summary.failed_checks[:10]:
        table.add_row(escape(name), str(attempts), str(tasks))
    return table


def comparison_tables(comparison: Comparison) -> RenderableType:
    """Before, after and change by domain; what it costs; which tasks changed sides."""
    return Group(
        _change_table(comparison), Text(), _cost_table(comparison), Text(), _sides(comparison)
    )


def _change_table(comparison: Comparison) -> Table:
    k = comparison.k
    table = Table(
        title=" -> ".join(escape(name) for name, _ in comparison.policies[:2])
        + _judged(comparison.base),
        title_justify="left",
        caption="change in points, paired by task, 95% interval from resampling tasks",
        caption_justify="left",
    )
    table.add_column("domain")
    for name in ("pass@1", "change", f"pass@{k}", "change", f"all {k} passed", "change"):
        table.add_column(name, justify="right")
    for row in (*comparison.rows, comparison.overall):
        base, trained, change = row.base, row.trained, row.change
        table.add_row(
            escape(row.name),
            f"{percent(base.pass_1.value)} -> {percent(trained.pass_1.value)}",
            _moved(change.pass_1),
            f"{percent(base.pass_k.value)} -> {percent(trained.pass_k.value)}",
            _moved(change.pass_k),
            f"{base.dependable} -> {trained.dependable}",
            _moved(change.observed_k),
            style="bold" if row is comparison.overall else "",
        )
    return table


def _cost_table(comparison: Comparison) -> Table:
    currency = comparison.trained.currency
    table = Table(title="cost", title_justify="left")
    table.add_column("policy")
    for name in ("pass@1", "dependable", "campaign", "per success", "per dependable task"):
        table.add_column(name, justify="right")
    for name, scope in comparison.policies:
        table.add_row(escape(name), *_cost_cells(scope, currency))
    return table


def _cost_cells(scope: Scope, currency: str) -> tuple[str, ...]:
    amounts = (scope.cost, scope.cost_per_success, scope.cost_per_dependable)
    return (
        percent(scope.pass_1.value),
        str(scope.dependable),
        *(money(amount, currency) for amount in amounts),
    )


def _sides(comparison: Comparison) -> Text:
    change = comparison.overall.change
    return Text(
        f"gained at {comparison.k}/{comparison.k} ({len(change.gained)}): "
        f"{', '.join(change.gained) or 'none'}\n"
        f"lost ({len(change.lost)}): {', '.join(change.lost) or 'none'}\n"
        f"McNemar's exact test: p {p_value(change.p_value)}"
    )


def _judged(results: Results) -> str:
    return ", without rubrics" if results.campaign.judge == "skip" else ""


def _share(estimate: Estimate) -> str:
    bounds = interval(estimate)
    return percent(estimate.value) + (f" [dim]\\[{bounds}][/]" if bounds else "")


def _moved(estimate: Estimate) -> str:
    colour = "green" if estimate.value > 0 else "red" if estimate.value < 0 else "dim"
    bounds = points_interval(estimate)
    return f"[{colour}]{points(estimate.value)}[/]" + (f" [dim]\\[{bounds}][/]" if bounds else "")
