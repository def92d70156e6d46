"""A pool for people: a table by domain, and a plot of where the candidates lie."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tb_trainer.selection.bands import BANDS, EDGES, TEACHING
from tb_trainer.selection.pool import Pool

_BAND_COLOURS = {
    "too_hard": "#8d99ae",
    "hard": "#e07a5f",
    "medium": "#e9b44c",
    "easy": "#5fa777",
    "too_easy": "#8d99ae",
}


def pool_report(pool: Pool) -> RenderableType:
    """Tables of what was kept, by domain and band, and of what was rejected, by reason."""
    return Group(_kept_table(pool), Text(), _rejected_table(pool))


def _kept_table(pool: Pool) -> Table:
    table = Table(title=f"pool {pool.digest[:12]} for {pool.manifest.policy}", title_justify="left")
    table.add_column("domain")
    for band in TEACHING:
        table.add_column(band, justify="right")
    for name in ("to train on", "families", "held out"):
        table.add_column(name, justify="right")
    domains = sorted({task.domain for task in (*pool.tasks, *pool.held_out)})
    for domain in [*domains, None]:
        tasks = [task for task in pool.tasks if domain in (None, task.domain)]
        bands = Counter(task.band for task in tasks)
        table.add_row(
            domain or "all",
            *(str(bands[band]) for band in TEACHING),
            str(len(tasks)),
            str(len({(task.domain, task.family) for task in tasks})),
            str(sum(domain in (None, task.domain) for task in pool.held_out)),
            style="bold" if domain is None else "",
        )
    return table


def _rejected_table(pool: Pool) -> Table:
    rejected = pool.manifest.rejected
    table = Table(
        title=f"{len(rejected)} of {pool.manifest.candidates} candidates rejected",
        title_justify="left",
    )
    table.add_column("reason")
    domains = sorted({item.domain for item in rejected})
    for domain in [*domains, "all"]:
        table.add_column(domain, justify="right")
    by_reason = Counter((item.reason, item.domain) for item in rejected)
    for reason, total in Counter(item.reason for item in rejected).most_common():
        counts = [by_reason[reason, domain] for domain in domains]
        table.add_row(reason, *map(str, counts), str(total))
    return table


def plot_pool(pool: Pool, path: Path) -> None:
    """Draw posterior means with the bands, and kept and rejected candidates by domain."""
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(9.5, 3.8), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        _plot_means(left, pool)
        _plot_domains(right, pool)
        figure.savefig(path, dpi=160)


def _plot_means(axes: Axes, pool: Pool) -> None:
    for band, low, high in zip(BANDS, EDGES[:-1], EDGES[1:], strict=True):
        axes.axvspan(low, high, color=_BAND_COLOURS[band], alpha=0.16, linewidth=0)
        axes.text(
            (low + high) / 2,
            1.01,
            band.replace("_", " "),
            transform=axes.get_xaxis_transform(),
            ha="center",
            fontsize=7.5,
            color="#444444",
        )
    kept = [task.mean for task in (*pool.tasks, *pool.held_out)]
    rejected = [item.mean for item in pool.manifest.rejected if item.mean is not None]
    axes.hist(
        [kept, rejected],
        bins=np.linspace(0, 1, 26).tolist(),
        stacked=True,
        color=["#2a6f97", "#c9ced6"],
        label=[f"kept ({len(kept)})", f"rejected ({len(rejected)})"],
    )
    axes.set(xlabel="posterior mean of the success probability", ylabel="tasks", xlim=(0, 1))
    axes.legend(frameon=False, loc="upper center")


def _plot_domains(axes: Axes, pool: Pool) -> None:
    kept = Counter(task.domain for task in (*pool.tasks, *pool.held_out))
    by_reason = Counter((item.reason, item.domain) for item in pool.manifest.rejected)
    domains = sorted({*kept, *(domain for _, domain in by_reason)})
    reasons = sorted({reason for reason, _ in by_reason})
    start = np.zeros(len(domains))
    greys = mpl.colormaps["Pastel2"]
    parts: list[tuple[str, Iterable[int], object]] = [
        ("kept", [kept[domain] for domain in domains], "#2a6f97")
    ]
    parts += [
        (reason, [by_reason[reason, domain] for domain in domains], greys(index % 8))
        for index, reason in enumerate(reasons)
    ]
    for name, counts, colour in parts:
        widths = np.array(list(counts), dtype=float)
        axes.barh(domains, widths, left=start, color=colour, label=name)
        start += widths
    axes.invert_yaxis()
    axes.set_xlabel("candidates")
    axes.legend(frameon=False, fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
