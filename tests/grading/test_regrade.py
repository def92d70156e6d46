"""A saved episode is graded again without a model, to the same verdict."""

from pathlib import Path

import gymnasium
import pytest

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.database import DatabasePool
from tb_envs.episode import read_episodes, write_episodes
from tb_envs.grading.regrade import apply_changes, regrade
from tb_envs.policies import IdlePolicy, OraclePolicy, Policy, TrapPolicy
from tb_envs.registration import env_id
from tb_envs.rollout import run_episode
from tb_envs.specs import all_tasks

TASKS = [task.id for task in all_tasks("demo")]


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize(
    "policy", [OraclePolicy(), TrapPolicy(), IdlePolicy()], ids=lambda policy: policy.name
)
def test_the_verdict_is_the_same(
    task_id: str, policy: Policy, database_choice: str, tmp_path: Path
) -> None:
    env = gymnasium.make(env_id(task_id), database=database_choice)
    try:
        episode = run_episode(env, policy, seed=7)
    finally:
        env.close()
    write_episodes(tmp_path / "episodes.jsonl", [episode])
    (saved,) = read_episodes(tmp_path / "episodes.jsonl")
    assert saved == episode
    assert saved.grade is not None
    assert saved.grade.passed == isinstance(policy, OraclePolicy)
    assert regrade(saved, database=database_choice) == saved.grade


def test_changes_of_rows_with_generated_columns_are_played_again(tiny_pool: DatabasePool) -> None:
    played, again = (tiny_pool.acquire(timeout_s=60) for _ in range(2))
    try:
        played.agent.execute("UPDATE bookings SET nights = 9 WHERE id = 1")
        played.agent.execute(
            "INSERT INTO bookings (guest_id, room, nights) VALUES ('G3', 'suite', 4)"
        )
        played.agent.execute("UPDATE guests SET since = '2020-01-01' WHERE id = 'G3'")
        apply_changes(again.owner, played.net_changes())
        rows = again.owner.execute("SELECT id, nights, price FROM bookings ORDER BY id").fetchall()
        assert [(row["id"], row["nights"], row["price"]) for row in rows] == [
            (1, 9, 900),
            (2, 3, 300),
            (3, 1, 100),
            (4, 4, 400),
        ]
    finally:
        played.close()
        again.close()


def test_the_order_of_writes_is_graded_again(database_choice: str) -> None:
    env = gymnasium.make(env_id("hotel-downgrade.leisure-needs-none"), database=database_choice)
    try:
        episode = run_episode(env, OraclePolicy(), seed=7)
    finally:
        env.close()
    late = tuple(
        change.model_copy(update={"at": 99}) if change.table == "identity_checks" else change
        for change in episode.changes
    )
    grade = regrade(episode.model_copy(update={"changes": late}), database=database_choice)
    failed = [result.name for result in grade.results if not result.passed]
    assert failed == ["nothing was changed before the requester was verified"]
