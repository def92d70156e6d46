"""Reports as files: one self-contained HTML page, or Markdown.

The page holds everything (figures, plots, episodes, style, script), needs no network, and reads
well in light and dark and at any width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tb_bench import figures, formats
from tb_bench.comparison import Comparison
from tb_bench.figures import Point
from tb_bench.results import Results
from tb_bench.summary import Summary
from tb_bench.viewer import Packed
from tb_trainer.selection.campaign import Standing

Form = Literal["html", "md"]


@dataclass(frozen=True, slots=True)
class Page:
    """What a report is made from.

    ``summary`` is None where results are incomplete; ``others`` are further policies in the plot of
    cost against success.
    """

    results: Results
    summary: Summary | None
    packed: Packed
    others: Sequence[Point] = ()


def render_report(page: Page, form: Form) -> str:
    """Render the report of one campaign."""
    results, summary = page.results, page.summary
    campaign = results.campaign
    context: dict[str, Any] = {
        "campaign": campaign,
        "standing": results.standing,
        "problems": problems(results.standing),
        "summary": summary,
        "packed": page.packed,
        "lineage": results.ledger.lineage(),
        "domains": sorted({task.domain for task in campaign.suite.tasks}),
    }
    if summary is not None:
        context |= {
            "scopes": (*summary.domains, summary.overall),
            "solved": sum(summary.histogram[1:]),
            "trial_low": min(summary.trial_pass_rates),
            "trial_high": max(summary.trial_pass_rates),
        }
    if form == "html":
        context["style"] = _asset("style.css")
        context["script"] = _asset("viewer.js")
        context["pictures"] = _pictures(summary, page) if summary is not None else {}
    return _environment(results.currency, form).get_template(f"report.{form}.j2").render(context)


def _pictures(summary: Summary, page: Page) -> dict[str, str]:
    scopes = (*summary.domains, summary.overall)
    cost = summary.overall.cost_per_success
    points = list(page.others)
    if cost is not None:
        points.append(Point(page.results.campaign.policy, cost, summary.overall.pass_1.value))
    return {
        "histogram": figures.histogram(summary.histogram),
        "curve": figures.curve(summary.curve),
        "dependable": figures.dependable_against_mean(scopes, summary.k),
        "pareto": figures.pareto(points, page.results.currency) if points else "",
    }


def problems(standing: Standing) -> dict[str, list[str]]:
    """What keeps results from being complete, by kind."""
    return {
        "never made": list(standing.missing),
        "ended in system errors only": [
            f"{name} ({message})" for name, message in standing.errors.items()
        ],
        "made more than once": list(standing.duplicates),
        "of another policy, suite or content": list(standing.foreign),
    }


def render_comparison(comparison: Comparison, form: Form) -> str:
    """Render two campaigns side by side."""
    currency = comparison.trained.currency
    names = [name for name, _ in comparison.policies]
    context: dict[str, Any] = {
        "comparison": comparison,
        "names": names,
        "suite": comparison.base.campaign.suite,
        "rows": (*comparison.rows, comparison.overall),
    }
    if form == "html":
        counts = (comparison.base_summary.histogram, comparison.trained_summary.histogram)
        top = max(max(part) for part in counts)
        points = comparison.points
        context["style"] = _asset("style.css")
        context["pareto"] = figures.pareto(points, currency) if points else ""
        context["histograms"] = [
            (name, figures.histogram(part, top=top))
            for name, part in zip(names[:2], counts, strict=True)
        ]
    return _environment(currency, form).get_template(f"compare.{form}.j2").render(context)


def _environment(currency: str, form: Form) -> Environment:
    """Templates with the filters that every report uses; in HTML all values are escaped."""
    env = Environment(
        loader=PackageLoader("tb_bench", "templates"),
        autoescape=form == "html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(
        percent=formats.percent,
        points=formats.points,
        interval=formats.interval,
        points_interval=formats.points_interval,
        p_value=formats.p_value,
        bracketed=lambda text: f" ({text})" if text else "",
        money=partial(_money, currency=currency),
    )
    return env


def _money(amount: float | None, *, currency: str) -> str:
    return formats.money(amount, currency)


def _asset(name: str) -> Markup:
    """A style sheet or script of this package, as it is."""
    return Markup((files("tb_bench") / "templates" / name).read_text(encoding="utf-8"))
