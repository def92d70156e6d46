"""Which candidates teach: rules in a fixed order, each rejection with its reason.

Excluded, doubled, too little seen, in the wrong band, unsure, not solvable; then families are held
out, and then the size is met. Everything is deterministic: the same candidates and settings give
the same pool.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from tb_envs.outcome import Record
from tb_trainer.selection.bands import TEACHING, Band, Posterior
from tb_trainer.selection.candidates import Candidate
from tb_trainer.selection.pool import PoolTask, Reason, Rejection
from tb_trainer.selection.suite import Suite


class SelectionSettings(Record):
    """What is kept. The defaults suit 8 attempts a task."""

    bands: tuple[Band, ...] = TEACHING
    min_mass: float = Field(default=0.4, ge=0, le=1)
    """Least posterior mass of a task's band; below it the band is uncertain."""
    min_attempts: int = Field(default=4, ge=1)
    """Least clean attempts."""
    solvable_above: float = Field(default=0.08, ge=0, lt=1)
    """The reference policy must succeed with more than this probability ..."""
    solvable_mass: float = Field(default=0.8, ge=0, le=1)
    """... with at least this posterior mass."""
    size: int | None = Field(default=None, ge=1)
    """Most tasks to train on; None keeps all."""
    held_out: float = Field(default=0.0, ge=0, lt=1)
    """Share of the kept tasks that is held out, in whole families."""
    exclude_domains: bool = False
    """Also reject tasks of the domains of the excluded suites."""
    seed: int = 0
    """Of the order in which families are held out."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Tasks that must never be trained on, by content, name and domain."""

    hashes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()

    @classmethod
    def of(cls, suites: Iterable[Suite]) -> "Exclusion":
        """Everything that these suites hold."""
        tasks = [task for suite in suites for task in suite.tasks]
        return cls(
            frozenset(task.task_hash for task in tasks),
            frozenset(task.task_id for task in tasks),
            frozenset(task.domain for task in tasks),
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """The outcome: what to train on, what to hold out, what was rejected and why."""

    train: tuple[PoolTask, ...]
    held_out: tuple[PoolTask, ...]
    rejected: tuple[Rejection, ...]


def choose(
    candidates: Sequence[Candidate],
    settings: SelectionSettings,
    *,
    exclusion: Exclusion | None = None,
    reference: Mapping[str, Posterior] | None = None,
) -> Selection:
    """Apply the rules to candidates.

    Args:
        candidates: Tasks with the base policy's clean attempts.
        settings: Thresholds, size and split.
        exclusion: Tasks that must not be trained on.
        reference: The stronger policy's posterior by task id; None leaves the gate out.
    """
    shut = exclusion or Exclusion()
    seen: set[str] = set()
    kept: list[Candidate] = []
    rejected: list[Rejection] = []
    for candidate in sorted(candidates, key=lambda item: item.task.task_id):
        reason = (
            _excluded(candidate, shut, settings)
            or ("same content as another candidate" if candidate.task.task_hash in seen else None)
            or _not_teaching(candidate, settings)
            or _not_solvable(candidate, settings, reference)
        )
        if reason is None:
            seen.add(candidate.task.task_hash)
            kept.append(candidate)
        else:
            rejected.append(_rejection(candidate, reason))
    train, held_out = _split_families(kept, settings)
    sized = balanced(train, settings.size)
    chosen = {candidate.task.task_id for candidate in sized}
    rejected += [
        _rejection(candidate, "beyond the size asked for")
        for candidate in train
        if candidate.task.task_id not in chosen
    ]
    return Selection(_pool_tasks(sized), _pool_tasks(held_out), tuple(rejected))


def _excluded(candidate: Candidate, shut: Exclusion, settings: SelectionSettings) -> Reason | None:
    if candidate.task.task_hash in shut.hashes:
        return "same content as an excluded task"
    if candidate.task.task_id in shut.names:
        return "same name as an excluded task"
    if settings.exclude_domains and candidate.task.domain in shut.domains:
        return "same domain as an excluded task"
    return None


def _not_teaching(candidate: Candidate, settings: SelectionSettings) -> Reason | None:
    if candidate.attempts < settings.min_attempts:
        return "too few clean attempts"
    band, mass = candidate.posterior.band()
    if band not in settings.bands:
        if band == "too_hard":
            return "too hard"
        return "too easy" if band == "too_easy" else "band not wanted"
    return "band uncertain" if mass < settings.min_mass else None


def _not_solvable(
    candidate: Candidate,
    settings: SelectionSettings,
    reference: Mapping[str, Posterior] | None,
) -> Reason | None:
    if reference is None:
        return None
    posterior = reference.get(candidate.task.task_id)
    if posterior is None:
        return "no reference attempts"
    solvable = posterior.above(settings.solvable_above) >= settings.solvable_mass
    return None if solvable else "not shown to be solvable"


def _split_families(
    kept: Sequence[Candidate], settings: SelectionSettings
) -> tuple[list[Candidate], list[Candidate]]:
    """Hold out whole families, in the order of a seeded hash, up to the share asked for.

    A family that would overshoot is passed over, so the share is never exceeded.
    """
    sizes = Counter(_family(candidate) for candidate in kept)
    room = int(settings.held_out * len(kept))
    held: set[tuple[str, str]] = set()
    for family in sorted(sizes, key=lambda name: _shuffle_key(settings.seed, name)):
        if sizes[family] <= room:
            held.add(family)
            room -= sizes[family]
    train = [candidate for candidate in kept if _family(candidate) not in held]
    return train, [candidate for candidate in kept if _family(candidate) in held]


def balanced(candidates: Sequence[Candidate], size: int | None) -> list[Candidate]:
    """Take ``size`` candidates, balanced over domains and families.

    One at a time: from the domain that has least so far, in it from the family that has least, the
    task with the highest expected p(1 - p). Ties go to the higher value, then to the task id.
    """
    if size is None or size >= len(candidates):
        return list(candidates)
    left = sorted(
        candidates, key=lambda item: (-item.posterior.expected_variance, item.task.task_id)
    )
    domains: Counter[str] = Counter()
    families: Counter[tuple[str, str]] = Counter()
    taken: list[Candidate] = []
    while len(taken) < size:
        # min() keeps the first of equals, and `left` is in order of preference.
        best = min(left, key=lambda item: (domains[item.task.domain], families[_family(item)]))
        left.remove(best)
        domains[best.task.domain] += 1
        families[_family(best)] += 1
        taken.append(best)
    return sorted(taken, key=lambda item: item.task.task_id)


def _family(candidate: Candidate) -> tuple[str, str]:
    return candidate.task.domain, candidate.task.family


def _shuffle_key(seed: int, family: tuple[str, str]) -> str:
    return hashlib.sha256(f"{seed}:{family[0]}/{family[1]}".encode()).hexdigest()


def _pool_tasks(candidates: Iterable[Candidate]) -> tuple[PoolTask, ...]:
    return tuple(_pool_task(candidate) for candidate in candidates)


def _pool_task(candidate: Candidate) -> PoolTask:
    posterior = candidate.posterior
    band, mass = posterior.band()
    return PoolTask(
        id=candidate.task.task_id,
        hash=candidate.task.task_hash,
        env_id=candidate.task.env_id,
        domain=candidate.task.domain,
        family=candidate.task.family,
        passes=candidate.passes,
        attempts=candidate.attempts,
        mean=posterior.mean,
        band=band,
        mass=mass,
        expected_variance=posterior.expected_variance,
    )


def _rejection(candidate: Candidate, reason: Reason) -> Rejection:
    return Rejection(
        id=candidate.task.task_id,
        hash=candidate.task.task_hash,
        domain=candidate.task.domain,
        family=candidate.task.family,
        reason=reason,
        passes=candidate.passes,
        attempts=candidate.attempts,
        mean=candidate.posterior.mean if candidate.attempts else None,
    )
