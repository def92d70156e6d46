"""Sampling the attempts of a campaign into its ledger, through the one rollout loop."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tb_envs.episode import Episode
from tb_envs.errors import SystemFailure
from tb_envs.outcome import SystemErrored
from tb_envs.policies.protocol import Policy
from tb_envs.registration import SUITE_ID
from tb_envs.rollout import DEFAULT_DEADLINE_S, RolloutJob, rollout
from tb_trainer.selection.campaign import Campaign, Kind, Slot
from tb_trainer.selection.ledger import Ledger
from tb_trainer.selection.policies import engine_of


@dataclass(frozen=True, slots=True)
class CollectSettings:
    """How to sample.

    ``retries`` are further tries of an attempt that ended in a system error; ``give_up_after`` so
    many system errors in a row, sampling stops: something is down.
    """

    concurrency: int = 16
    retries: int = 2
    deadline_s: float = DEFAULT_DEADLINE_S
    give_up_after: int = 100


def plan(ledger: Ledger) -> tuple[Kind, list[Slot]]:
    """What a run has to do: everything that is not there clean."""
    clean = ledger.clean_slots()
    kind: Kind = "resume" if ledger.lineage() else "run"
    return kind, [slot for slot in ledger.campaign.slots() if slot not in clean]


def plan_rerun(ledger: Ledger, *, missing: bool, errors: bool) -> list[Slot]:
    """The attempts that were never made, those that ended in system errors, or both."""
    clean, tries = ledger.clean_slots(), ledger.tries()
    return [
        slot
        for slot in ledger.campaign.slots()
        if slot not in clean and ((errors and slot in tries) or (missing and slot not in tries))
    ]


def collect(
    ledger: Ledger, policy: Policy, kind: Kind, slots: Sequence[Slot], settings: CollectSettings
) -> Iterator[Episode]:
    """Sample attempts, file each as it ends, and yield it.

    An attempt that ends in a system error is tried again after all others, when what was down may
    have come back.

    Raises:
        SystemFailure: too many system errors in a row; what was filed stays.
        UsageError: another process is sampling into the folder.
    """
    left = list(slots)
    streak = 0
    with ledger.writer(kind, len(left)) as writer:
        for _ in range(settings.retries + 1):
            broken: list[Slot] = []
            for slot, episode in _play(ledger.campaign, policy, left, settings):
                writer.add(episode)
                yield episode
                if not isinstance(episode.outcome, SystemErrored):
                    streak = 0
                    continue
                broken.append(slot)
                streak += 1
                if streak >= settings.give_up_after:
                    raise SystemFailure(
                        f"{streak} attempts in a row ended in a system error, the last: "
                        f"{episode.outcome.message}; mend it and run the command again"
                    )
            left = broken


def _play(
    campaign: Campaign, policy: Policy, slots: Sequence[Slot], settings: CollectSettings
) -> Iterator[tuple[Slot, Episode]]:
    tasks = {task.task_id: task for task in campaign.suite.tasks}
    # One suite environment a worker, not one environment a task: an environment that has played
    # keeps its database until it is closed or begins anew.
    options = {"tasks": list(tasks), "judge": campaign.judge}
    jobs = (
        RolloutJob(
            env_id=SUITE_ID,
            seed=campaign.seed_of(slot.attempt),
            attempt=slot.attempt,
            task_id=slot.task_id,
            options=options,
        )
        for slot in slots
    )
    engine = engine_of(policy)
    if engine is not None:
        engine.expect(len(slots), settings.concurrency)
    results = rollout(
        jobs, policy, concurrency=settings.concurrency, deadline_s=settings.deadline_s
    )
    for result in results:
        task = tasks[str(result.job.task_id)]
        update = {"env_id": task.env_id}
        if isinstance(result.episode.outcome, SystemErrored):
            # An environment that never came up could not say which task it was.
            update |= {"task_id": task.task_id, "task_hash": task.task_hash}
        episode = result.episode.model_copy(update=update)
        yield Slot(task.task_id, result.job.attempt), episode
