"""Plots as inline SVG that takes its colours from the page, so that dark mode is one style rule.

matplotlib draws with stand-in colours; each is then replaced by the page's variable of its role.
Text stays text, in the page's font.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from tb_bench.summary import CurvePoint, Scope

INK, MUTED, LINE, ACCENT, GOOD, BAD, WARM = (
    "#010203",
    "#040506",
    "#070809",
    "#0a0b0c",
    "#0d0e0f",
    "#101112",
    "#131415",
)
_ROLES = {
    INK: "ink",
    MUTED: "muted",
    LINE: "line",
    ACCENT: "accent",
    GOOD: "good",
    BAD: "bad",
    WARM: "warm",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "legend.frameon": False,
    "legend.labelcolor": MUTED,
}
_SERIES = (ACCENT, GOOD, BAD, WARM, MUTED)
_MARKERS = "sD^vPX"
_PERCENT = PercentFormatter(xmax=1, decimals=0)


@dataclass(frozen=True, slots=True)
class Point:
    """A policy in the Pareto plot: what a success costs, and how often it succeeds."""

    name: str
    cost: float
    pass_1: float


def histogram(counts: Sequence[int], *, top: int | None = None) -> str:
    """Tasks by number of passes; ``counts[c]`` are the tasks with c passes.

    ``top`` is the axis' end, so that two histograms can be compared.
    """
    # The salt keeps the ids of two histograms on one page apart.
    with mpl.rc_context({**_STYLE, "svg.hashsalt": str(counts), "axes.grid.axis": "y"}):
        figure, axes = _blank()
        k = len(counts) - 1
        colours = [BAD, *[ACCENT] * max(k - 1, 0), GOOD][: k + 1]
        axes.bar(range(k + 1), counts, color=colours, width=0.82)
        for passes in {0, k}:
            axes.annotate(
                f"{counts[passes]}",
                (passes, counts[passes]),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                weight="bold",
            )
        step = max(1, k // 5)
        axes.set_xticks(range(0, k + 1, step))
        axes.set(xlabel=f"passes of {k} attempts", ylabel="tasks", ylim=(0, top and top * 1.08))
        axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
        axes.grid(axis="x", visible=False)
        return _svg(figure)


def curve(points: Sequence[CurvePoint]) -> str:
    """Solved at least once, and on all of j attempts in both conventions, against j."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": "curve"}):
        figure, axes = _blank()
        steps = [point.j for point in points]
        series = (
            ("pass@j, at least once", [p.pass_at for p in points], GOOD, "-"),
            ("all of j, unbiased", [p.pass_hat for p in points], ACCENT, "-"),
            ("all of j, (c/n)^j", [p.pass_power for p in points], ACCENT, ":"),
        )
        for name, values, colour, dashes in series:
            axes.plot(
                steps, values, dashes, color=colour, label=name, linewidth=2, marker="o", ms=3.5
            )
        axes.set(xlabel="attempts j", ylim=(0, 1.02))
        axes.set_xticks([j for j in steps if len(steps) < 6 or j not in (3, 8)])
        axes.yaxis.set_major_formatter(_PERCENT)
        axes.legend(loc="best", fontsize=9)
        return _svg(figure)


def dependable_against_mean(scopes: Sequence[Scope], k: int) -> str:
    """Observed k/k against pass@1, a point a domain: how much of the mean can be relied on."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": "dependable"}):
        figure, axes = _blank()
        axes.plot([0, 1], [0, 1], color=LINE, linewidth=1)
        grid = np.linspace(0, 1, 101)
        axes.plot(grid, grid**k, color=MUTED, linewidth=1, linestyle=":")
        axes.annotate("tasks all alike: p^k", (0.985, 0.03), ha="right", color=MUTED, size=8)
        axes.annotate("each task 0 or 1", (0.70, 0.725), rotation=33, color=MUTED, size=8)
        for index, scope in enumerate(scopes):
            overall = scope.name == "overall"
            x, y = scope.pass_1.value, scope.observed_k.value
            axes.errorbar(
                x,
                y,
                xerr=_reach(scope.pass_1.low, x, scope.pass_1.high),
                yerr=_reach(scope.observed_k.low, y, scope.observed_k.high),
                fmt="o" if overall else _MARKERS[index % len(_MARKERS)],
                color=INK if overall else _SERIES[index % len(_SERIES)],
                markersize=8 if overall else 6.5,
                elinewidth=1.2 if overall else 0.8,
                label=scope.name,
            )
        axes.set(xlabel="pass@1", ylabel=f"observed {k}/{k}", xlim=(0, 1.02), ylim=(-0.02, 1.02))
        axes.legend(loc="upper left", fontsize=8.5, handlelength=1.2)
        axes.xaxis.set_major_formatter(_PERCENT)
        axes.yaxis.set_major_formatter(_PERCENT)
        return _svg(figure)


def pareto(points: Sequence[Point], currency: str) -> str:
    """Cost of a successful attempt against pass@1, and the front of what nothing dominates."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": "pareto"}):
        figure, axes = _blank()
        front = pareto_front(points)
        dearest = max(point.cost for point in points)
        axes.plot(
            [point.cost for point in front],
            [point.pass_1 for point in front],
            color=GOOD,
            linewidth=1.5,
            drawstyle="steps-post",
        )
        for point in points:
            colour = GOOD if point in front else MUTED
            axes.plot(point.cost, point.pass_1, "o", color=colour, markersize=8)
            side = "left" if point.cost < dearest / 2 else "right"
            _name(axes, point, side, bold=point in front)
        axes.set(xlabel=f"{currency} per successful attempt", ylabel="pass@1")
        axes.set_xlim(0, dearest * 1.1 or 1)
        axes.margins(y=0.2)
        axes.yaxis.set_major_formatter(_PERCENT)
        return _svg(figure)


def pareto_front(points: Sequence[Point]) -> list[Point]:
    """The points that no other beats in both cost and pass@1, cheapest first."""
    front: list[Point] = []
    for point in sorted(points, key=lambda item: (item.cost, -item.pass_1)):
        if not front or point.pass_1 > front[-1].pass_1:
            front.append(point)
    return front


def _blank() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(5.0, 3.5), layout="constrained")
    return figure, figure.subplots()


def _reach(low: float, value: float, high: float) -> list[list[float]] | None:
    return None if np.isnan(low) else [[value - low], [high - value]]


def _name(axes: Axes, point: Point, side: Literal["left", "right"], *, bold: bool) -> None:
    """Write a name so that it begins (``left``) or ends (``right``) at its point."""
    axes.annotate(
        point.name,
        (point.cost, point.pass_1),
        xytext=(7 if side == "left" else -7, 6),
        textcoords="offset points",
        ha=side,
        size=9,
        weight="bold" if bold else "normal",
    )


def _svg(figure: Figure) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    # The page sizes the picture; matplotlib's fixed size in points would not fit a phone.
    text = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for colour, role in _ROLES.items():
        text = text.replace(colour, f"var(--{role})")
    return text
