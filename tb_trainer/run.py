"""A run: steps, validation, checkpoints, files; begun or resumed."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tb_envs.episode import write_episodes
from tb_envs.errors import SystemFailure, UsageError
from tb_envs.outcome import SystemErrored
from tb_trainer.build import build_parts
from tb_trainer.checkpoint import RunState, latest_checkpoint, read_state, write_checkpoint
from tb_trainer.config import RunConfig, render_config
from tb_trainer.groups import Tell, tell_nobody
from tb_trainer.ledger import write_totals
from tb_trainer.metrics import MetricsWriter
from tb_trainer.step import Parts, StepReport, hand_over, metrics_of, train_step
from tb_trainer.tasks import resolve
from tb_trainer.validation import Scores, validate

Watch = Callable[[StepReport, Scores | None], None]


def train(
    config: RunConfig,
    *,
    resume: bool = False,
    watch: Watch | None = None,
    tell: Tell = tell_nobody,
) -> RunState:
    """Run to the configured number of steps.

    Args:
        config: The run.
        resume: Go on from the newest checkpoint in the output folder.
        watch: Called after each step, on the main process.
        tell: Called within a step, on the main process, when an episode ends or a stage begins.

    Raises:
        UsageError: the output folder holds a run and ``resume`` is off, there is nothing to do, or
            a task's first prompt is longer than ``rollout.max_prompt_tokens``.
        SystemFailure: the engine cannot take the weights, or not one episode of a step could be
            graded. The last checkpoint is good.
    """
    output = Path(config.output)
    checkpoint = latest_checkpoint(output / "checkpoints")
    if checkpoint is not None and not resume:
        raise UsageError(f"{output} holds a run already; resume it, or choose another output")
    state = RunState() if checkpoint is None else read_state(checkpoint)
    if state.step >= config.steps:
        raise UsageError(
            f"{output} has done {state.step} of {config.steps} steps; nothing is left to do, raise "
            "steps to go on"
        )
    parts, _ = build_parts(config, drawn=state.drawn)
    if parts.learner.is_main:
        parts = replace(parts, tell=tell)
    try:
        if checkpoint is not None:
            parts.learner.load(checkpoint)
        # A new engine holds the first weights, and servers those of whatever run they served last.
        hand_over(parts)
        return _Run(config, output, parts).go(state, watch or _ignore)
    finally:
        if parts.engine is not None:
            parts.engine.close()


class _Run:
    def __init__(self, config: RunConfig, output: Path, parts: Parts) -> None:
        self._config = config
        self._output = output
        self._parts = parts

    def go(self, state: RunState, watch: Watch) -> RunState:
        if not self._parts.learner.is_main:
            while state.step < self._config.steps:
                state = self._advance(state, None, watch)
            return state
        self._output.mkdir(parents=True, exist_ok=True)
        (self._output / "config.yaml").write_text(render_config(self._config), encoding="utf-8")
        with MetricsWriter(self._output, resume_step=state.step) as writer:
            while state.step < self._config.steps:
                state = self._advance(state, writer, watch)
        return state

    def _advance(self, state: RunState, writer: MetricsWriter | None, watch: Watch) -> RunState:
        """Make one step; its files are written before the checkpoint that counts it."""
        step = state.step + 1
        report = train_step(step, self._parts)
        _refuse_poison(report)
        _refuse_outage(report)
        state = replace(state, step=step, drawn=self._parts.stream.drawn)
        if writer is not None:
            state = self._record(state, report, writer, watch)
        write_checkpoint(
            self._output / "checkpoints",
            state,
            self._parts.learner.save,
            keep=self._config.keep_checkpoints,
            is_main=self._parts.learner.is_main,
        )
        return state

    def _record(
        self, state: RunState, report: StepReport, writer: MetricsWriter, watch: Watch
    ) -> RunState:
        metrics = metrics_of(report)
        scores = self._validate(state.step)
        if scores is not None:
            metrics |= {f"held_out/{name}": value for name, value in scores.as_metrics().items()}
            state = _with_best(state, scores)
        writer.write(state.step, metrics)
        writer.write_timings(state.step, report.seconds)
        for entry in report.collection.entries:
            writer.write_ledger(entry.as_json())
        write_totals(self._output / "ledger.jsonl", self._output / "tasks.json")
        folder = self._output / "episodes"
        folder.mkdir(exist_ok=True)
        path = folder / f"step-{state.step:06d}.jsonl"
        path.unlink(missing_ok=True)
        write_episodes(path, report.collection.episodes)
        watch(report, scores)
        return state

    def _validate(self, step: int) -> Scores | None:
        tasks, policy = self._config.tasks, self._parts.policy
        if not tasks.validate_every or step % tasks.validate_every or policy is None:
            return None
        return validate(
            resolve(tasks.held_out),
            policy,
            attempts=self._config.rollout.group_size,
            seed=self._config.seed,
            settings=self._parts.collect,
            tell=self._parts.tell,
        )


def _refuse_poison(report: StepReport) -> None:
    """Stop before weights that are not numbers are saved over good ones."""
    for update in report.updates:
        if not (math.isfinite(update.loss) and math.isfinite(update.grad_norm)):
            raise UsageError(
                f"step {report.step}: loss {update.loss}, gradient norm {update.grad_norm}; the "
                "last checkpoint is good. Lower learner.learning_rate, or train in float32"
            )


def _refuse_outage(report: StepReport) -> None:
    """Stop when nothing works: going on would count steps down without teaching anything."""
    entries, episodes = report.collection.entries, report.collection.episodes
    if not entries or any(entry.rewards for entry in entries):
        return
    sources = Counter(source for entry in entries for source in entry.failures)
    outcomes = [episode.outcome for episode in episodes]
    first = next(outcome.message for outcome in outcomes if isinstance(outcome, SystemErrored))
    raise SystemFailure(
        f"step {report.step}: not one of {len(episodes)} episodes could be graded ("
        + ", ".join(f"{source}: {count}" for source, count in sources.most_common())
        + f"); the first says: {first}. Mend that, then run again with --resume"
    )


def _with_best(state: RunState, scores: Scores) -> RunState:
    """Note the step if its score is the best so far; one without a score is not compared."""
    if scores.pass_at_1 is None:
        return state
    if state.best_score is not None and scores.pass_at_1 <= state.best_score:
        return state
    return replace(state, best_step=state.step, best_score=scores.pass_at_1)


def _ignore(report: StepReport, scores: Scores | None) -> None:
    del report, scores
