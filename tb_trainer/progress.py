"""What a run shows while it runs: one line a step, and how long is left."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console

from tb_trainer.config import RunConfig
from tb_trainer.step import StepReport, metrics_of
from tb_trainer.validation import Scores

SAMPLER_GAP_ALARM = 0.05
"""Mean nats a token between engine and learner, a factor of 1.05 in probability."""


class Progress:
    """Prints to a console; a context manager so that the time counts from the start of the run."""

    def __init__(self, console: Console, config: RunConfig) -> None:
        self._console = console
        self._config = config
        self._started = time.monotonic()
        self._steps = 0

    def watch(self, report: StepReport, scores: Scores | None) -> None:
        """Print one step."""
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
        return None


def _held_out(scores: Scores) -> str:
    if scores.pass_at_1 is None:
        return f"held out: no score, {scores.system_errors} attempts are system errors"
    return f"held out pass@1 {scores.pass_at_1:.3f} all {scores.observed_all:.3f}"
