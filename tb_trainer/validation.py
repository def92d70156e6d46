"""Measure a policy on held-out tasks: the same attempts each time, so that steps compare."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tb_envs.episode import Episode
from tb_envs.outcome import outcome_passed
from tb_envs.rollout import rollout
from tb_trainer.groups import CollectSettings
from tb_trainer.policy import EnginePolicy
from tb_trainer.seeds import derive_seed
from tb_trainer.selection.estimators import observed_all, pass_at_k, pass_rate
from tb_trainer.tasks import TaskRef


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over tasks. ``attempts`` (k) is that of the task with the fewest clean ones."""

    tasks: int
    attempts: int
    pass_at_1: float
    pass_at_k: float
    observed_all: float
    system_errors: int

    def as_metrics(self) -> dict[str, float]:
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
) -> Scores:
    """Play each task ``attempts`` times and score what came out."""
    return score(play(tasks, policy, attempts=attempts, seed=seed, settings=settings))


def play(
    tasks: Sequence[TaskRef],
    policy: EnginePolicy,
    *,
    attempts: int,
    seed: int,
    settings: CollectSettings,
) -> list[Episode]:
    """Play each task ``attempts`` times; what the infrastructure broke is among the episodes."""
    jobs = [
        task.job(seed=derive_seed(seed, "validation", task.name), attempt=attempt)
        for task in tasks
        for attempt in range(attempts)
    ]
    concurrency = min(settings.concurrency, len(jobs))
    policy.engine.expect(len(jobs), concurrency)
    results = rollout(jobs, policy, concurrency=concurrency, deadline_s=settings.episode_deadline_s)
    return [result.episode for result in results]


def score(episodes: Sequence[Episode]) -> Scores:
    """Score attempts, task by task; system errors are not attempts."""
    clean: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for episode in episodes:
        verdict = outcome_passed(episode.outcome)
        if verdict is not None:
            clean[episode.task_id] += 1
            passed[episode.task_id] += verdict
    if not clean:
        return Scores(0, 0, 0.0, 0.0, 0.0, len(episodes))
    names = sorted(clean)
    n = np.array([clean[name] for name in names])
    c = np.array([passed[name] for name in names])
    k = int(n.min())
    return Scores(
        tasks=len(names),
        attempts=k,
        pass_at_1=float(pass_rate(n, c).mean()),
        pass_at_k=float(pass_at_k(n, c, k).mean()),
        observed_all=float(observed_all(n, c).mean()),
        system_errors=len(episodes) - int(n.sum()),
    )
