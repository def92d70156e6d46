"""What a study of learning found, as a table and as a picture; several seeds as mean and spread."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from rich.table import Table

from tb_bench.formats import percent
from tb_bench.learning import TASKS, WHEN, Figures, SeedResult, Tasks, When

_COLOURS: dict[When, str] = {"before": "#9aa5b1", "after": "#2f6f4f"}
_SMOOTH = 5
"""Steps that the curve of rewards is averaged over."""

Reading = Callable[[Figures], float]


def columns(k: int) -> dict[str, Reading]:
    """The figures that are shown, by name."""
    return {
        "pass@1": lambda figures: figures.pass_1,
        f"pass@{k}": lambda figures: figures.pass_k,
        f"all of {k // 2}": lambda figures: figures.all_of_half,
        f"all {k} passed": lambda figures: figures.observed_k,
    }


def study_table(results: Sequence[SeedResult]) -> Table:
    """Before and after, on trained and on unseen tasks."""
    k = _attempts(results)
    table = Table(title=_title(results, k), title_justify="left")
    table.add_column("tasks")
    table.add_column("training")
    for name in columns(k):
        table.add_column(name, justify="right")
    for tasks in TASKS:
        for when in WHEN:
            style = "bold" if when == "after" else ""
            table.add_row(*_row(results, tasks, when, k), style=style, end_section=when == "after")
    return table


def study_markdown(results: Sequence[SeedResult]) -> str:
    """The same table for a page."""
    k = _attempts(results)
    names = list(columns(k))
    lines = [
        f"| tasks | training | {' | '.join(names)} |",
        f"|---|---|{'---:|' * len(names)}",
        *(f"| {' | '.join(_row(results, t, w, k))} |" for t in TASKS for w in WHEN),
    ]
    return f"{_title(results, k)}\n\n" + "\n".join(lines) + "\n"


def draw_study(results: Sequence[SeedResult], path: Path) -> None:
    """Write the picture; the path's ending says in which format."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    curve, *bars = figure.subplots(1, 3, width_ratios=(1.5, 1, 1))
    _draw_rewards(curve, results)
    for axes, tasks in zip(bars, TASKS, strict=True):
        _draw_bars(axes, results, tasks)
    handles, labels = bars[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=2, frameon=False, fontsize=8)
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _title(results: Sequence[SeedResult], k: int) -> str:
    figures = results[0].figures
    counts = " and ".join(f"{figures[tasks, 'before'].tasks} {tasks}" for tasks in TASKS)
    seeds = "" if len(results) == 1 else f"; mean of {len(results)} seeds (lowest to highest)"
    return f"{counts} tasks, {k} attempts each{seeds}"


def _row(results: Sequence[SeedResult], tasks: Tasks, when: When, k: int) -> list[str]:
    cells = [_cell(_values(results, tasks, when, figure)) for figure in columns(k).values()]
    return [tasks, when, *cells]


def _cell(values: npt.NDArray[np.float64]) -> str:
    mean = percent(float(values.mean()))
    if len(values) == 1:
        return mean
    return f"{mean} ({values.min() * 100:.1f} to {values.max() * 100:.1f})"


def _values(
    results: Sequence[SeedResult], tasks: Tasks, when: When, figure: Reading
) -> npt.NDArray[np.float64]:
    return np.array([figure(result.figures[tasks, when]) for result in results])


def _attempts(results: Sequence[SeedResult]) -> int:
    return min(figures.k for result in results for figures in result.figures.values())


def _draw_rewards(axes: Axes, results: Sequence[SeedResult]) -> None:
    for result in results:
        rewards = np.array(result.rewards)
        steps = np.arange(1, len(rewards) + 1)
        axes.plot(steps, rewards, color=_COLOURS["after"], alpha=0.25, linewidth=0.8)
        window = min(_SMOOTH, len(rewards))
        smooth = np.convolve(rewards, np.ones(window) / window, mode="valid")
        axes.plot(steps[window - 1 :], smooth, color=_COLOURS["after"], linewidth=1.6)
    axes.set(title="mean reward of a step's episodes", xlabel="GRPO step", ylim=(0, 1))
    _tidy(axes)


def _draw_bars(axes: Axes, results: Sequence[SeedResult], tasks: Tasks) -> None:
    names = columns(_attempts(results))
    places = np.arange(len(names))
    for when, shift in zip(WHEN, (-0.19, 0.19), strict=True):
        found = [_values(results, tasks, when, figure) for figure in names.values()]
        means = [values.mean() for values in found]
        axes.bar(places + shift, means, 0.36, color=_COLOURS[when], label=f"{when} training")
        for place, values in zip(places, found, strict=True):
            if len(values) > 1:
                axes.plot([place + shift] * len(values), values, "k.", markersize=4)
    axes.set_xticks(places, [name.replace("all ", "all\n") for name in names])
    axes.set(title=f"{results[0].figures[tasks, 'before'].tasks} {tasks} tasks", ylim=(0, 1.05))
    _tidy(axes)


def _tidy(axes: Axes) -> None:
    axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
    axes.spines[["top", "right"]].set_visible(False)
    axes.title.set_fontsize(9)
    axes.xaxis.label.set_fontsize(8)
    axes.tick_params(labelsize=8)
