"""Who asks is verified first, in time and not too often: right ends, bent in those ways alone."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from tb_envs.grading.order import NAME as ORDER
from tb_envs.policies.protocol import EpisodeContext
from tb_envs.policies.scripted import ScriptSession
from tb_envs.registration import env_id
from tb_envs.rollout import RolloutJob, rollout
from tb_envs.specs import Task, all_tasks, find_task
from tb_envs.specs.models import Step

VERIFY = ("verify_identity", "verify_employee")
WRONG = {"date_of_birth": "1899-12-31", "postal_code": "ZZ99 9ZZ"}
TASKS_EACH = 3

Bend = Callable[[Sequence[Step]], list[Step]]


def verification(steps: Sequence[Step]) -> int:
    """The place of the first identity check."""
    return next(place for place, step in enumerate(steps) if step.call in VERIFY)


def failing_checks(count: int) -> Bend:
    """Wrong answers come before the right one."""

    def bend(steps: Sequence[Step]) -> list[Step]:
        place = verification(steps)
        right = steps[place]
        answer = WRONG[right.with_["method"]]
        wrong = right.model_copy(update={"with_": right.with_ | {"answer": answer}, "as_": None})
        return [*steps[:place], *[wrong] * count, *steps[place:]]

    return bend


def solved_first(steps: Sequence[Step]) -> list[Step]:
    """The ticket is solved before anybody is verified."""
    solving = next(step for step in steps if step.call == "solve_ticket")
    place = verification(steps)
    rest = [step for step in steps[place:] if step is not solving]
    return [*steps[:place], solving, *rest]


class Bent:
    """Plays a task's oracle, bent."""

    name = "bent"

    def __init__(self, bend: Bend) -> None:
        self._bend = bend

    def start(self, context: EpisodeContext) -> ScriptSession:
        return ScriptSession(self._bend(find_task(context.task_id).variant.oracle))


def failures(tasks: Sequence[Task], bend: Bend) -> Iterator[tuple[str, list[str]]]:
    """Each task with what its bent oracle failed by."""
    jobs = [RolloutJob(env_id(task.id), 7, 0, task.id, {"judge": "skip"}) for task in tasks]
    for result in rollout(jobs, Bent(bend), concurrency=4):
        grade = result.episode.grade
        assert grade is not None, result.episode.outcome
        yield str(result.job.task_id), [failure.name for failure in grade.failures]


def verifying() -> dict[str, list[Task]]:
    """Every task whose oracle verifies somebody and then solves the ticket, by domain."""
    tasks: dict[str, list[Task]] = {}
    for task in all_tasks():
        calls = [step.call for step in task.variant.oracle]
        verifies = task.domain.verification and any(call in VERIFY for call in calls)
        if verifies and "solve_ticket" in calls[verification(task.variant.oracle) :]:
            tasks.setdefault(task.domain.name, []).append(task)
    return tasks


TASKS = verifying()
every_domain = pytest.mark.parametrize("domain", sorted(TASKS))


def test_every_company_verifies_who_asks() -> None:
    companies = {task.domain.name for task in all_tasks() if not task.grid}
    assert set(TASKS) == companies
    assert min(len(tasks) for tasks in TASKS.values()) >= TASKS_EACH


@every_domain
def test_a_ticket_that_was_solved_before_the_requester_was_verified_fails(domain: str) -> None:
    for task, failed in failures(TASKS[domain][:TASKS_EACH], solved_first):
        assert ORDER in failed, task


@every_domain
def test_a_second_failed_identity_check_ends_the_case_and_one_does_not(domain: str) -> None:
    tasks = TASKS[domain][:TASKS_EACH]
    assert dict(failures(tasks, failing_checks(1))) == {task.id: [] for task in tasks}
    for task, failed in failures(tasks, failing_checks(2)):
        assert failed == [tasks[0].domain.checks[0].name], task
