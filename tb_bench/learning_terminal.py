"""A study of learning in the terminal: what happens now, and what came out."""

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

from tb_bench.formats import percent
from tb_bench.learning import Figures, SeedResult, Tasks, When
from tb_bench.learning_report import draw_study, study_markdown, study_table
from tb_trainer.config import RunConfig
from tb_trainer.progress import Progress
from tb_trainer.run import Watch

_EVERY = 50
"""Steps of imitation between two lines."""


class ConsoleReporter:
    """Prints each stage as it begins, and each figure as it is there.

    Args:
        console: Where to.
        imitation_steps: How long the warm start is.
        seed: Whose stages these are.
    """

    def __init__(self, console: Console, imitation_steps: int, seed: int = 0) -> None:
        self._console = console
        self._imitation_steps = imitation_steps
        self._seed = seed
        self._started = time.monotonic()

    def of_seed(self, seed: int) -> "ConsoleReporter":
        """The reporter of one seed's stages."""
        return ConsoleReporter(self._console, self._imitation_steps, seed)

    def stage(self, title: str) -> None:
        """Name the stage that begins, and how long the seed has taken so far."""
        minutes = (time.monotonic() - self._started) / 60
        name = f"seed {self._seed}, {minutes:.1f} min: {title}"
        self._console.print(Rule(name, align="left", style="bold"))

    def imitated(self, step: int, nats: float) -> None:
        """Say how well the teachers are imitated, now and then."""
        if step % _EVERY == 0 or step == self._imitation_steps:
            line = f"step {step}/{self._imitation_steps} | {nats:.3f} nats a token"
            self._console.print(line, highlight=False)

    def trains(self, config: RunConfig) -> Watch:
        """Print a line for each step of the run."""
        return Progress(self._console, config).watch

    def measured(self, tasks: Tasks, when: When, figures: Figures) -> None:
        """Print a measurement."""
        k = figures.k
        self._console.print(
            f"{when} training, {figures.tasks} {tasks} tasks: pass@1 {percent(figures.pass_1)}, "
            f"pass@{k} {percent(figures.pass_k)}, all {k} passed {percent(figures.observed_k)}",
            highlight=False,
        )


def show_results(console: Console, results: Sequence[SeedResult], folder: Path) -> None:
    """Print the table, and write table and plot into the study's folder."""
    console.print()
    console.print(study_table(results))
    (folder / "learning.md").write_text(study_markdown(results), encoding="utf-8")
    draw_study(results, folder / "learning.png")
    console.print(f"Plot: {folder / 'learning.png'}", highlight=False, soft_wrap=True)
