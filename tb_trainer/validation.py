"""Measure a policy on held-out tasks: the same attempts each time, so that steps compare."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tb_envs.episode import Episode
from tb_envs.outcome import SystemErrored, outcome_passed
from tb_envs.rollout import RolloutResult, rollout
from tb_trainer.groups import CollectSettings, Tell, tell_nobody
from tb_trainer.policy import EnginePolicy
from tb_trainer.seeds import derive_seed
from tb_trainer.selection.estimators import observed_all, pass_at_k, pass_rate
from tb_trainer.tasks import TaskRef


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over tasks, of ``attempts`` (k) at each.

    They are None while any attempt is a system error: a score of what happened to survive would
    be of other tasks, or of luckier attempts, than the one that it is compared with.
    """

    tasks: int
    attempts: int
    pass_at_1: float | None
    pass_at_k: float | None
    observed_all: float | None
    system_errors: int

    def as_metrics(self) -> dict[str, float | None]:
        """The scores by name."""
        return {
            "pass_at_1": self.pass_at_1,
            "pass_at_k": self.pass_at_k,
            "observed_all": self.observed_all,
            "system_errors": float(self.system_errors),
        }


def validate(
    tasks: Sequence[TaskRef],
    policy: EnginePolicy,
    *,
    attempts: int,
    seed: int,
    settings: CollectSettings,
    tell: Tell = tell_nobody,
) -> Scores:
    """Play each task ``attempts`` times and score what came out."""
    return score(play(tasks, policy, attempts=attempts, seed=seed, settings=settings, tell=tell))


def play(
    tasks: Sequence[TaskRef],
    policy: EnginePolicy,
    *,
    attempts: int,
    seed: int,
    settings: CollectSettings,
    tell: Tell = tell_nobody,
) -> list[Episode]:
    """Play each task ``attempts`` times.

    What the infrastructure broke is played again, ``settings.retries`` times; what is broken then,
    or not done after ``settings.step_deadline_s``, is among the episodes as a system error.
    """
    ends = time.monotonic() + settings.step_deadline_s
    jobs = [
        task.job(seed=derive_seed(seed, "validation", task.name), attempt=attempt)
        for task in tasks
        for attempt in range(attempts)
    ]
    total = len(jobs)
    done: list[Episode] = []
    broken: list[RolloutResult] = []
    for _ in range(1 + settings.retries):
        concurrency = min(settings.concurrency, len(jobs))
        policy.engine.expect(len(jobs), concurrency)
        broken = []
        for result in rollout(
            jobs,
            policy,
            concurrency=concurrency,
            deadline_s=settings.episode_deadline_s,
            total_deadline_s=max(0.0, ends - time.monotonic()),
        ):
            if isinstance(result.episode.outcome, SystemErrored):
                broken.append(result)
            else:
                done.append(result.episode)
                tell("validate", len(done), total)
        jobs = [result.job for result in broken]
        if not jobs:
            break
    return done + [result.episode for result in broken]


def score(episodes: Sequence[Episode]) -> Scores:
    """Score attempts, task by task; a system error leaves nothing to score."""
    attempts: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    errors = 0
    for episode in episodes:
        verdict = outcome_passed(episode.outcome)
        attempts[episode.task_id] += 1
        passed[episode.task_id] += bool(verdict)
        errors += verdict is None
    names = sorted(attempts)
    n = np.array([attempts[name] for name in names])
    c = np.array([passed[name] for name in names])
    k = int(n.min())
    if errors:
        return Scores(len(names), k, None, None, None, errors)
    return Scores(
        tasks=len(names),
        attempts=k,
        pass_at_1=float(pass_rate(n, c).mean()),
        pass_at_k=float(pass_at_k(n, c, k).mean()),
        observed_all=float(observed_all(n, c).mean()),
        system_errors=0,
    )
