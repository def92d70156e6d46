"""Does a policy learn? Make one, measure it, train it, measure it again, and keep it all.

A study has a folder for each seed, and each stage leaves its file there: ``model`` (warm-started),
``before-*.jsonl``, the run's own files, ``trained`` (the exported model), ``after-*.jsonl``. A
stage whose file is there is not done again, so a study that was stopped goes on where it was.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from tb_bench.metrics import observed_all, pass_at_k, pass_hat_k, pass_rate
from tb_envs.episode import Episode, read_episodes, write_episodes
from tb_envs.errors import UsageError
from tb_envs.outcome import outcome_passed
from tb_trainer.build import build_engine, build_policy, collect_settings
from tb_trainer.checkpoint import latest_checkpoint, read_state
from tb_trainer.config import RunConfig
from tb_trainer.export import export_checkpoint
from tb_trainer.metrics import read_lines
from tb_trainer.models import load_tokenizer
from tb_trainer.run import Watch, train
from tb_trainer.tasks import resolve
from tb_trainer.validation import play
from tb_trainer.warm_start import WarmStart, warm_start

Tasks = Literal["trained", "unseen"]
When = Literal["before", "after"]
TASKS: tuple[Tasks, ...] = ("trained", "unseen")
WHEN: tuple[When, ...] = ("before", "after")


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares of one measurement: means over its tasks, k attempts at each.

    ``all_of_half`` is the chance that all of k // 2 attempts pass. Where hardly a task is passed
    on all k, it still tells policies apart.
    """

    tasks: int
    k: int
    pass_1: float
    pass_k: float
    all_of_half: float
    observed_k: float


@dataclass(frozen=True, slots=True)
class SeedResult:
    """What one seed gave; ``rewards`` are the means of the run's steps."""

    seed: int
    figures: Mapping[tuple[Tasks, When], Figures]
    rewards: tuple[float, ...]


class Reporter(Protocol):
    """Is told what happens."""

    def stage(self, title: str) -> None:
        """A stage begins."""
        ...

    def imitated(self, step: int, nats: float) -> None:
        """A step of the warm start is done."""
        ...

    def trains(self, config: RunConfig) -> Watch:
        """The run begins; what is returned is told of its steps."""
        ...

    def measured(self, tasks: Tasks, when: When, figures: Figures) -> None:
        """A measurement is there."""
        ...


@dataclass(frozen=True, slots=True)
class Study:
    """What is made, measured and trained.

    ``config`` is the run of every seed; each has a folder in ``config.output`` and a model there,
    so ``config.model.path`` and ``config.seed`` are not read.
    """

    config: RunConfig
    architecture: Mapping[str, Any]
    imitation: WarmStart
    attempts: int

    def folder(self, seed: int) -> Path:
        """Where a seed's files lie."""
        return Path(self.config.output) / f"seed-{seed}"

    def run_of(self, seed: int, model: Path) -> RunConfig:
        """One seed's run, from the model at ``model``."""
        return self.config.model_copy(
            update={
                "seed": seed,
                "output": str(self.folder(seed)),
                "model": self.config.model.model_copy(update={"path": str(model)}),
            }
        )


def run_seed(study: Study, seed: int, reporter: Reporter) -> SeedResult:
    """Do what is left to do of one seed, and read what came out."""
    folder = study.folder(seed)
    folder.mkdir(parents=True, exist_ok=True)
    model, trained = folder / "model", folder / "trained"
    run = study.run_of(seed, model)

    def make_model(draft: Path) -> None:
        reporter.stage("warm start by imitation")
        config = study.run_of(seed, draft)
        warm_start(config, study.architecture, study.imitation, reporter.imitated)

    _once(model, make_model)
    _measure(study, seed, model, "before", reporter)
    _train(run, reporter)
    _once(trained, lambda draft: export_checkpoint(folder, draft))
    _measure(study, seed, trained, "after", reporter)
    return read_seed(folder, seed)


def read_seed(folder: Path, seed: int) -> SeedResult:
    """Read a finished seed's figures and rewards."""
    return SeedResult(
        seed=seed,
        figures={
            (tasks, when): figures_of(read_episodes(_measurement(folder, tasks, when)))
            for tasks in TASKS
            for when in WHEN
        },
        rewards=tuple(float(line["reward"]) for line in read_lines(folder / "metrics.jsonl")),
    )


def figures_of(episodes: Iterable[Episode]) -> Figures:
    """Give the figures of a measurement.

    Raises:
        UsageError: an attempt ended in a system error, so there is no figure to give.
    """
    attempts: Counter[str] = Counter()
    passes: Counter[str] = Counter()
    for episode in episodes:
        passed = outcome_passed(episode.outcome)
        if passed is None:
            raise UsageError(
                f"{episode.task_id}, attempt {episode.attempt}, ended in a system error; delete "
                "the measurement and run the same command again"
            )
        attempts[episode.task_id] += 1
        passes[episode.task_id] += passed
    n = np.array([attempts[task] for task in attempts])
    c = np.array([passes[task] for task in attempts])
    k = int(n.min())
    return Figures(
        tasks=len(n),
        k=k,
        pass_1=float(pass_rate(n, c).mean()),
        pass_k=float(pass_at_k(n, c, k).mean()),
        all_of_half=float(pass_hat_k(n, c, k // 2).mean()),
        observed_k=float(observed_all(n, c).mean()),
    )


def _measure(study: Study, seed: int, model: Path, when: When, reporter: Reporter) -> None:
    """Play every trained and every unseen task, unless that was done."""
    names: Mapping[Tasks, Sequence[str]] = {
        "trained": study.config.tasks.train,
        "unseen": study.config.tasks.held_out,
    }
    for tasks in TASKS:
        path = _measurement(study.folder(seed), tasks, when)

        def play_all(draft: Path, tasks: Tasks = tasks) -> None:
            reporter.stage(f"measure {when} training, on {tasks} tasks")
            write_episodes(draft, _play(study, seed, model, names[tasks]))

        _once(path, play_all)
        reporter.measured(tasks, when, figures_of(read_episodes(path)))


def _play(study: Study, seed: int, model: Path, tasks: Sequence[str]) -> list[Episode]:
    config = study.run_of(seed, model)
    engine = build_engine(config)
    try:
        return play(
            resolve(tasks),
            build_policy(config, engine, load_tokenizer(config.model.path)),
            attempts=study.attempts,
            seed=seed,
            settings=collect_settings(config),
        )
    finally:
        engine.close()


def _train(run: RunConfig, reporter: Reporter) -> None:
    """Begin the run, or go on with it, unless it is done."""
    checkpoint = latest_checkpoint(Path(run.output) / "checkpoints")
    if checkpoint is not None and read_state(checkpoint).step >= run.steps:
        return
    reporter.stage(f"train with GRPO, {run.steps} steps")
    train(run, resume=checkpoint is not None, watch=reporter.trains(run))


def _measurement(folder: Path, tasks: Tasks, when: When) -> Path:
    return folder / f"{when}-{tasks}.jsonl"


def _once(path: Path, make: Callable[[Path], object]) -> None:
    """Make a file or folder unless it is there; made aside, so that a kill leaves no half."""
    if path.exists():
        return
    draft = path.with_name(f".{path.name}.tmp")
    if draft.is_dir():
        shutil.rmtree(draft)
    draft.unlink(missing_ok=True)
    make(draft)
    draft.rename(path)
