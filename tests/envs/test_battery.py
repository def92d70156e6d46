"""Bending each demo task's own solution: what must still pass, and what must fail.

No benchmark that grades by database state had such a battery when it was published, and each of
them needed a public repair.
"""

import pytest

from tb_envs.specs import Task, all_tasks, find_task
from tb_envs.specs.models import Step
from tb_envs.tools import load_toolset
from tests.envs.script import play

DEMO = all_tasks("demo")
IDS = [task.id for task in DEMO]
HOTEL = "hotel-downgrade"


def writes(task: Task, step: Step) -> bool:
    """Whether a step calls a tool that writes."""
    tools = {tool.name: tool for tool in load_toolset(task.domain.toolsets)}
    return step.call is not None and tools[step.call].writes


def oracle_without(task: Task, dropped: int) -> list[Step]:
    return [step for index, step in enumerate(task.variant.oracle) if index != dropped]


WRITE_STEPS = [
    (task.id, index, str(step.call))
    for task in DEMO
    for index, step in enumerate(task.variant.oracle)
    if writes(task, step)
]


@pytest.mark.parametrize("task_id", IDS)
def test_extra_reads_cost_nothing(task_id: str, database_choice: str) -> None:
    task = find_task(task_id)
    reads = [Step.model_validate(read) for read in READS]
    steps = [read for step in task.variant.oracle for read in (step, *reads[:1])]
    info = play(task_id, [*reads, *steps], database_choice)
    assert info["is_success"], info["grade"]


READS = (
    {"call": "search_knowledge", "with": {"query": "refund"}},
    {"call": "get_article", "with": {"article_id": "KB-101"}},
    {"call": "get_booking", "with": {"booking_reference": "BKG-0000"}},
)


@pytest.mark.parametrize("task_id", IDS)
def test_a_stray_write_beside_the_right_end_fails(task_id: str, database_choice: str) -> None:
    task = find_task(task_id)
    stray = Step.model_validate(STRAY_WRITE)
    info = play(task_id, [stray, *task.variant.oracle], database_choice)
    failed = [result for result in info["grade"]["results"] if not result["passed"]]
    assert info["is_success"] is False
    assert any(result["name"].startswith("no other") for result in failed), failed


STRAY_WRITE = {
    "call": "set_ticket_priority",
    "with": {"ticket_id": "TCK-2001", "priority": "urgent"},
}


@pytest.mark.parametrize(("task_id", "dropped", "name"), WRITE_STEPS)
def test_the_right_end_without_one_of_its_writes_fails(
    task_id: str, dropped: int, name: str, database_choice: str
) -> None:
    task = find_task(task_id)
    info = play(task_id, oracle_without(task, dropped), database_choice)
    assert info["is_success"] is False, name


VERIFIED_BEFORE_A_CHANGE = [
    task.id
    for task in DEMO
    if {"verify_identity", "change_booking_room"} <= {step.call for step in task.variant.oracle}
]


@pytest.mark.parametrize("task_id", VERIFIED_BEFORE_A_CHANGE)
def test_verifying_the_requester_after_the_change_fails(task_id: str, database_choice: str) -> None:
    oracle = find_task(task_id).variant.oracle
    (verify,) = (step for step in oracle if step.call == "verify_identity")
    rest = [step for step in oracle if step is not verify]
    last_call = max(index for index, step in enumerate(rest) if step.call)
    late = [*rest[: last_call + 1], verify, *rest[last_call + 1 :]]
    info = play(task_id, late, database_choice)
    failed = [result for result in info["grade"]["results"] if not result["passed"]]
    assert [result["name"] for result in failed] == [
        "nothing was changed before the requester was verified"
    ]
    assert "bookings" in failed[0]["reason"]


@pytest.mark.parametrize("task_id", IDS)
def test_a_talkative_agent_that_does_nothing_fails(task_id: str, database_choice: str) -> None:
    task = find_task(task_id)
    talk = [step for step in task.variant.oracle if step.say is not None]
    info = play(task_id, talk, database_choice)
    assert info["is_success"] is False


@pytest.mark.parametrize("task_id", IDS)
def test_reading_everything_and_writing_nothing_fails(task_id: str, database_choice: str) -> None:
    task = find_task(task_id)
    steps = [step for step in task.variant.oracle if not writes(task, step)]
    info = play(task_id, steps, database_choice)
    assert info["is_success"] is False
    assert info["changes"] == ()
