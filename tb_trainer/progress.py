"""What a run shows while it runs: one line a step, and on a terminal what the step is doing."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from tb_trainer.config import RunConfig
from tb_trainer.step import StepReport, metrics_of
from tb_trainer.validation import Scores

SAMPLER_GAP_ALARM = 0.05
"""Mean nats a token between engine and learner, a factor of 1.05 in probability."""


class Progress:
    """Prints to a console; a context manager so that the time counts from the start of the run.

    Args:
        console: Gets the lines.
        config: The run's.
        live: Gets what the step is doing, if it is a terminal; by default nobody does.
    """

    def __init__(self, console: Console, config: RunConfig, live: Console | None = None) -> None:
        self._console = console
        self._config = config
        self._live = None if live is None or not live.is_terminal else _Live(live)
        self._started = time.monotonic()
        self._steps = 0

    def tell(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage of the running step is."""
        if self._live is not None:
            self._live.show(stage, done, total)

    def watch(self, report: StepReport, scores: Scores | None) -> None:
        """Print one step."""
        self._hide()
        self._steps += 1
        metrics = metrics_of(report)
        reward = metrics["reward"]
        seconds = " ".join(f"{name} {value:.1f}s" for name, value in report.seconds.items())
        left = (time.monotonic() - self._started) / self._steps * (self._config.steps - report.step)
        parts = [
            f"step {report.step}/{self._config.steps}",
            "reward -" if reward is None else f"reward {reward:.3f}",
            f"groups {metrics['groups_trained']} trained, "
            f"{metrics['groups_without_signal']} without signal, "
            f"{metrics['groups_failed']} failed, {self._replaced(report)} replaced",
            seconds,
            f"{left / 60:.1f} min left",
        ]
        if not report.updates:
            parts.insert(2, "no signal: weights unchanged")
        if report.updates and report.updates[-1].sampler_gap > SAMPLER_GAP_ALARM:
            gap = report.updates[-1].sampler_gap
            parts.append(f"WARNING: engine and learner differ by {gap:.3f} nats a token")
        if scores is not None:
            parts.append(_held_out(scores))
        self._console.print(" | ".join(parts), highlight=False)

    def _replaced(self, report: StepReport) -> int:
        """Groups drawn in the place of others."""
        return max(0, len(report.collection.entries) - self._config.rollout.groups)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hide()

    def _hide(self) -> None:
        if self._live is not None:
            self._live.hide()


class _Live:
    """One line that is drawn anew: the stage, what is done of it, and its seconds so far."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars: Bars | None = None
        self._stage = ""
        self._task = TaskID(0)

    def show(self, stage: str, done: int, total: int) -> None:
        if self._bars is None:
            self._bars = Bars(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
                redirect_stdout=False,
            )
            self._bars.start()
            self._stage = ""
        if stage != self._stage:
            for old in self._bars.task_ids:
                self._bars.remove_task(old)
            self._stage = stage
            self._task = self._bars.add_task(stage)
        self._bars.update(self._task, completed=done, total=total)

    def hide(self) -> None:
        bars, self._bars = self._bars, None
        if bars is not None:
            bars.stop()


def _held_out(scores: Scores) -> str:
    if scores.pass_at_1 is None:
        return f"held out: no score, {scores.system_errors} attempts are system errors"
    return f"held out pass@1 {scores.pass_at_1:.3f} all {scores.observed_all:.3f}"
