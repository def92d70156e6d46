"""Gather groups of episodes: replace those that teach nothing, retry what broke, keep no halves.

A group is G episodes of one task from one seed. It is trained on only if all G were graded and
their rewards differ. An episode that a system error broke is played again; a group that still
lacks one is dropped whole. A dropped group is replaced by another task's, within a budget.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from tb_envs.episode import Episode
from tb_envs.errors import UsageError
from tb_envs.outcome import CutByLimit, SystemErrored
from tb_envs.policies.protocol import PolicySession
from tb_envs.rollout import RolloutJob, RolloutResult, rollout
from tb_trainer.grpo.advantages import has_signal
from tb_trainer.grpo.overlong import Overlong, apply_overlong
from tb_trainer.ledger import Fate, LedgerEntry
from tb_trainer.policy import EnginePolicy
from tb_trainer.tasks import TaskRef, TaskStream
from tb_trainer.trajectory import Trajectory

Tell = Callable[[str, int, int], None]
"""Is told what a step is doing: the stage, how much of it is done, and of how much."""


def tell_nobody(stage: str, done: int, total: int) -> None:
    """Keep it to oneself."""
    del stage, done, total


@dataclass(frozen=True, slots=True)
class CollectSettings:
    """How many groups of how many episodes, and how patiently.

    ``replacements`` bounds the groups drawn beyond ``groups`` in one step; ``retries`` the times
    that a broken episode is played again.
    """

    groups: int
    group_size: int
    replacements: int
    retries: int
    concurrency: int
    episode_deadline_s: float
    step_deadline_s: float
    overlong: Overlong


@dataclass(frozen=True, slots=True)
class Group:
    """A complete group.

    All are [G]. ``rewards`` are after the overlong policy; ``trained`` is false for an episode
    that the policy masks.
    """

    task: TaskRef
    episodes: tuple[Episode, ...]
    trajectories: tuple[Trajectory, ...]
    rewards: tuple[float, ...]
    trained: tuple[bool, ...]

    @property
    def has_signal(self) -> bool:
        """Whether the rewards differ, and an episode is left to learn that from."""
        return has_signal(self.rewards) and any(self.trained)


@dataclass(frozen=True, slots=True)
class Collection:
    """What a step gathered: groups to train on, every episode, and the ledger's entries."""

    groups: tuple[Group, ...]
    episodes: tuple[Episode, ...]
    entries: tuple[LedgerEntry, ...]


@runtime_checkable
class _HasTrajectory(PolicySession, Protocol):
    def trajectory(self) -> Trajectory: ...


@dataclass(slots=True)
class _Draft:
    """A group being gathered; ``done`` maps a sample's number to what it became.

    ``number`` says as which it was drawn.
    """

    number: int
    task: TaskRef
    seed: int
    size: int
    done: dict[int, tuple[Episode, Trajectory]] = field(
        default_factory=dict[int, tuple[Episode, Trajectory]]
    )
    digests: set[str] = field(default_factory=set[str])
    failures: list[str] = field(default_factory=list[str])
    rounds: int = 0

    def missing(self) -> Iterator[RolloutJob]:
        for sample in range(self.size):
            if sample not in self.done:
                yield self.task.job(seed=self.seed, attempt=sample)

    def take(self, result: RolloutResult) -> None:
        outcome = result.episode.outcome
        if isinstance(outcome, SystemErrored) or result.session is None:
            source = outcome.source if isinstance(outcome, SystemErrored) else "policy"
            self.failures.append(source)
            return
        assert isinstance(result.session, _HasTrajectory)
        self.digests.add(result.start_digest)
        self.done[result.job.attempt] = (result.episode, result.session.trajectory())

    @property
    def complete(self) -> bool:
        return len(self.done) == self.size


def collect(
    step: int,
    stream: TaskStream,
    policy: EnginePolicy,
    settings: CollectSettings,
    tell: Tell = tell_nobody,
) -> Collection:
    """Gather a step's groups: waves of episodes until enough groups have signal.

    Fewer come back when the budget of replacements or the step's time is used up.
    """
    collector = _Collector(step, stream, policy, settings, tell)
    drafts = [collector.draw() for _ in range(settings.groups)]
    while drafts:
        collector.play(drafts)
        drafts = collector.settle(drafts)
    return collector.collection()


class _Collector:
    def __init__(
        self,
        step: int,
        stream: TaskStream,
        policy: EnginePolicy,
        settings: CollectSettings,
        tell: Tell,
    ) -> None:
        self._step = step
        self._stream = stream
        self._policy = policy
        self._settings = settings
        self._tell = tell
        self._budget = settings.replacements
        self._ends = time.monotonic() + settings.step_deadline_s
        self._groups: dict[int, Group] = {}
        self._episodes: list[Episode] = []
        self._entries: dict[int, LedgerEntry] = {}

    def draw(self) -> _Draft:
        number = self._stream.drawn
        task, seed = self._stream.draw()
        return _Draft(number, task, seed, self._settings.group_size)

    def play(self, drafts: list[_Draft]) -> None:
        """Play what the drafts lack, all at once."""
        settings = self._settings
        by_seed = {draft.seed: draft for draft in drafts}
        jobs = [job for draft in drafts for job in draft.missing()]
        concurrency = min(settings.concurrency, len(jobs))
        self._policy.engine.expect(len(jobs), concurrency)
        total = len(self._episodes) + len(jobs)
        self._tell("rollout", len(self._episodes), total)
        for result in rollout(
            jobs,
            self._policy,
            concurrency=concurrency,
            deadline_s=settings.episode_deadline_s,
            total_deadline_s=max(0.0, self._ends - time.monotonic()),
        ):
            by_seed[result.job.seed].take(result)
            self._episodes.append(result.episode)
            self._tell("rollout", len(self._episodes), total)

    def settle(self, drafts: list[_Draft]) -> list[_Draft]:
        """Decide each draft's fate; return what must be played next."""
        again: list[_Draft] = []
        late = time.monotonic() >= self._ends
        for draft in drafts:
            draft.rounds += 1
            group = _group_of(draft, self._settings.overlong) if draft.complete else None
            if group is not None and group.has_signal:
                self._groups[draft.number] = group
                self._enter(draft, "trained")
            elif not draft.complete and not late and draft.rounds <= self._settings.retries:
                again.append(draft)
            else:
                fate: Fate = "zero_variance"
                if not draft.complete:
                    fate = "deadline" if late else "system_error"
                self._enter(draft, fate)
                if self._budget > 0 and not late:
                    self._budget -= 1
                    again.append(self.draw())
        return again

    def collection(self) -> Collection:
        # Episodes end, and groups are settled, in any order; what a step learns and writes down
        # must not depend on it, nor on what had to be played twice.
        episodes = sorted(self._episodes, key=lambda e: (e.task_id, e.seed, e.attempt))
        groups = [self._groups[number] for number in sorted(self._groups)]
        entries = [self._entries[number] for number in sorted(self._entries)]
        return Collection(tuple(groups), tuple(episodes), tuple(entries))

    def _enter(self, draft: _Draft, fate: Fate) -> None:
        episodes = [draft.done[sample][0] for sample in sorted(draft.done)]
        self._entries[draft.number] = LedgerEntry(
            step=self._step,
            task=draft.task.name,
            seed=draft.seed,
            fate=fate,
            rewards=tuple(episode.reward for episode in episodes),
            failures=tuple(sorted(draft.failures)),
            cut=sum(isinstance(episode.outcome, CutByLimit) for episode in episodes),
        )


def _group_of(draft: _Draft, overlong: Overlong) -> Group:
    pairs = [draft.done[sample] for sample in range(draft.size)]
    episodes = tuple(episode for episode, _ in pairs)
    trajectories = tuple(trajectory for _, trajectory in pairs)
    openings = {t.ids[: t.turns[0][0]] for t in trajectories if t.turns}
    for what, found in (("prompts", openings), ("databases", draft.digests)):
        if len(found) > 1:
            raise UsageError(
                f"{draft.task.name}: the episodes of one group began with different {what}, so the "
                "environment does not honour reset(seed=...); a group must share its start"
            )
    cut = [isinstance(episode.outcome, CutByLimit) for episode in episodes]
    rewards, trained = apply_overlong([episode.reward for episode in episodes], cut, overlong)
    return Group(draft.task, episodes, trajectories, tuple(rewards), tuple(trained))
