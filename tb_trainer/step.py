"""One training step, top to bottom: gather, weigh, learn, hand the weights over.

What is left out of the GRPO family on purpose: no value function, no reward shaping, no replay of
old episodes, and no KL penalty unless asked for.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tb_envs.outcome import CutByLimit
from tb_trainer.engines import Engine
from tb_trainer.groups import Collection, CollectSettings, Group, Tell, collect, tell_nobody
from tb_trainer.grpo import Aggregation, Estimator, group_advantages, token_weights
from tb_trainer.learners import Learner, Reference, TrainSequence, UpdateStats
from tb_trainer.policy import EnginePolicy
from tb_trainer.ranks import from_main
from tb_trainer.tasks import TaskStream


@dataclass(frozen=True, slots=True)
class Objective:
    """How groups become weighted sequences."""

    advantage: Estimator
    aggregation: Aggregation
    max_response_tokens: int
    updates: int


@dataclass(frozen=True, slots=True)
class Parts:
    """What a step works with. Only the main process has a policy; the others learn along."""

    learner: Learner
    policy: EnginePolicy | None
    reference: Reference | None
    stream: TaskStream
    collect: CollectSettings
    objective: Objective
    tell: Tell = tell_nobody

    @property
    def engine(self) -> Engine | None:
        """The engine, where this process has one."""
        return None if self.policy is None else self.policy.engine


@dataclass(frozen=True, slots=True)
class StepReport:
    """What a step did. ``updates`` is empty if nothing carried a signal."""

    step: int
    collection: Collection
    updates: tuple[UpdateStats, ...]
    seconds: dict[str, float] = field(default_factory=dict[str, float])


def train_step(step: int, parts: Parts) -> StepReport:
    """Gather groups, make the optimizer steps, give the engine the new weights.

    Without a single group that carries a signal the optimizer is left alone: even a zero gradient
    would move Adam's moments.
    """
    clock = _Clock()
    collection = Collection((), (), ())
    if parts.policy is not None:
        collection = collect(step, parts.stream, parts.policy, parts.collect, parts.tell)
    clock.lap("rollout")
    batches = from_main(_batches(collection.groups, parts.objective))
    if not batches:
        return StepReport(step, collection, (), clock.seconds)
    if parts.engine is not None:
        parts.engine.sleep()
    batches = _with_old_logprobs(batches, parts)
    updates: list[UpdateStats] = []
    for batch in batches:
        parts.tell("learn", len(updates), len(batches))
        updates.append(parts.learner.update(batch))
    clock.lap("learn")
    parts.tell("sync", 0, 1)
    hand_over(parts)
    clock.lap("sync")
    return StepReport(step, collection, tuple(updates), clock.seconds)


def hand_over(parts: Parts) -> None:
    """Give the engine the learner's weights; sharded learners gather them on every rank."""
    if parts.engine is not None:
        parts.engine.wake()
        parts.engine.update_weights(parts.learner.weights)
    else:
        for _ in parts.learner.weights():
            pass


def metrics_of(report: StepReport) -> dict[str, float | None]:
    """Flatten a report into named numbers; a step without signal has no learning numbers."""
    episodes = report.collection.episodes
    graded = [episode for episode in episodes if episode.outcome.kind != "system_error"]
    entries = report.collection.entries
    metrics: dict[str, float | None] = {
        "reward": _mean([episode.reward for episode in graded]),
        "episodes": len(episodes),
        "system_errors": len(episodes) - len(graded),
        "cut": sum(isinstance(episode.outcome, CutByLimit) for episode in graded),
        "groups_trained": sum(entry.fate == "trained" for entry in entries),
        "groups_without_signal": sum(entry.fate == "zero_variance" for entry in entries),
        "groups_failed": sum(entry.fate in ("system_error", "deadline") for entry in entries),
        "sampled_tokens": sum(episode.usage.completion_tokens or 0 for episode in episodes),
        "skipped": float(not report.updates),
    }
    if report.updates:
        last = report.updates[-1]
        for name in UpdateStats.__dataclass_fields__:
            metrics[name] = getattr(last, name)
    return metrics


def _batches(groups: Sequence[Group], objective: Objective) -> list[list[TrainSequence]]:
    """Weigh the groups' trajectories; one batch an optimizer step, each of whole groups."""
    cut = [groups[n :: objective.updates] for n in range(objective.updates)]
    return [batch for part in cut if (batch := _weighted(part, objective))]


def _weighted(groups: Sequence[Group], objective: Objective) -> list[TrainSequence]:
    chosen = [
        (trajectory, advantage)
        for group in groups
        for trajectory, advantage, trained in zip(
            group.trajectories,
            group_advantages(group.rewards, objective.advantage),
            group.trained,
            strict=True,
        )
        if trained and trajectory.sampled_tokens
    ]
    weights = token_weights(
        [trajectory.sampled_tokens for trajectory, _ in chosen],
        objective.aggregation,
        max_response_tokens=objective.max_response_tokens,
    )
    return [
        TrainSequence(trajectory, advantage, weight)
        for (trajectory, advantage), weight in zip(chosen, weights, strict=True)
    ]


def _with_old_logprobs(
    batches: list[list[TrainSequence]], parts: Parts
) -> list[list[TrainSequence]]:
    """Note log-probabilities before the first update, where a later one needs them."""
    done: list[list[TrainSequence]] = []
    for batch in batches:
        if len(batches) > 1:
            old = parts.learner.logprobs(batch)
            batch = [replace(s, old_logprobs=o) for s, o in zip(batch, old, strict=True)]
        if parts.reference is not None:
            ref = parts.reference.logprobs(batch)
            batch = [replace(s, ref_logprobs=r) for s, r in zip(batch, ref, strict=True)]
        done.append(batch)
    return done


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now
