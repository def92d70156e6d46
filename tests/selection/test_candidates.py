import pytest

from tb_bench.synthetic import synthetic_episodes, synthetic_rates, synthetic_suite
from tb_envs.errors import UsageError
from tb_envs.outcome import CutByLimit, Graded, SystemErrored
from tb_trainer.selection.campaign import Campaign
from tb_trainer.selection.candidates import candidates_of, count_attempts

SUITE = synthetic_suite({"retail": 2})
FIRST, SECOND = (task.task_id for task in SUITE.tasks)
CAMPAIGN = Campaign(suite=SUITE, policy="made-up", attempts=3)
EPISODES = list(synthetic_episodes(CAMPAIGN, synthetic_rates(SUITE, skill=0.5)))


def ended(task, attempt, outcome):
    episode = next(item for item in EPISODES if (item.task_id, item.attempt) == (task, attempt))
    return episode.model_copy(update={"outcome": outcome})


def test_attempts_are_counted_once_and_system_errors_not_at_all():
    broken = SystemErrored(source="user", message="timeout")
    counts = count_attempts(
        [
            ended(FIRST, 0, Graded(passed=True)),
            ended(FIRST, 0, Graded(passed=True)),
            ended(FIRST, 1, broken),
            ended(FIRST, 2, CutByLimit(limit="turns", passed=False)),
            ended(SECOND, 0, broken),
        ],
        SUITE,
    )
    found = [(item.passes, item.attempts) for item in candidates_of(SUITE, counts)]
    assert found == [(1, 2), (0, 0)]
    assert counts.system_errors == 2


def test_attempts_at_other_tasks_do_not_count():
    part = synthetic_suite({"retail": 1})
    assert count_attempts(EPISODES, part).attempts == {FIRST: 3}


def test_attempts_on_other_content_are_refused():
    edited = EPISODES[0].model_copy(update={"task_hash": "edited"})
    with pytest.raises(UsageError, match="other content"):
        count_attempts([edited], SUITE)
