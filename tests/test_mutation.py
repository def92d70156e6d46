"""Spoilt right ends: they fail, and an expectation that lets one pass is found out."""

from dataclasses import replace

import pytest

from tb_envs.database import DatabasePool, EpisodeDatabase
from tb_envs.mutation import mutate_task
from tb_envs.specs import Task, find_task
from tb_envs.specs.models import InsertRule

TASK = "hotel-downgrade.approval-missing"


def loosened(task: Task) -> Task:
    """The task, but for an author who takes any amount in the request for approval."""
    expect = task.variant.expect
    changes = [
        rule.model_copy(update={"row": {**rule.row, "amount": {"matches": "."}}})
        if isinstance(rule, InsertRule) and rule.insert == "approval_requests"
        else rule
        for rule in expect.changes
    ]
    loose = expect.model_copy(update={"changes": changes})
    return replace(task, variant=task.variant.model_copy(update={"expect": loose}))


def test_every_mutant_of_a_proven_task_fails(database_choice: str) -> None:
    report = mutate_task(find_task(TASK), database=database_choice)
    assert report.survivors == ()
    # At the least: a value, a copy and a removal in each of the five tables that it touches.
    assert report.killed > 3 * 5


def test_a_wrong_end_that_passes_is_named(database_choice: str) -> None:
    report = mutate_task(loosened(find_task(TASK)), database=database_choice)
    assert len(report.survivors) > 0
    for survivor in report.survivors:
        assert survivor.startswith("approval_requests.amount 480.0 became ")


def test_one_database_serves_every_mutant(
    database_choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right end is mended after a mutant, not made anew; the oracle has the other one."""
    taken: list[EpisodeDatabase] = []
    acquire = DatabasePool.acquire

    def counted(pool: DatabasePool, *, timeout_s: float) -> EpisodeDatabase:
        taken.append(acquire(pool, timeout_s=timeout_s))
        return taken[-1]

    monkeypatch.setattr(DatabasePool, "acquire", counted)
    mutate_task(find_task(TASK), database=database_choice)
    assert len(taken) == 2
