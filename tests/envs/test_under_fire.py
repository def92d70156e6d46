"""What happens when the server dies in the middle, and when many work at once."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.env import ThinkingBoxEnv
from tb_envs.errors import DatabaseFailure
from tb_envs.specs import all_tasks

TASK = "hotel-downgrade"


def comment(text: str, ticket: str = "TCK-3101") -> dict[str, Any]:
    arguments = {"ticket_id": ticket, "body": text, "visibility": "internal"}
    call = {"name": "add_ticket_comment", "arguments": json.dumps(arguments)}
    return {"content": "", "tool_calls": (call,)}


def kill_server(env: ThinkingBoxEnv) -> None:
    """End the episode's own server as a power cut would: the postmaster, with SIGKILL."""
    assert env._case is not None
    row = env._case._database.owner.execute("SELECT pg_backend_pid() AS pid").fetchone()
    assert row is not None
    stat = Path(f"/proc/{row['pid']}/stat").read_text()
    postmaster = int(stat.rpartition(")")[2].split()[1])
    assert "postgres" in Path(f"/proc/{postmaster}/comm").read_text()
    os.kill(postmaster, signal.SIGKILL)
    os.kill(row["pid"], signal.SIGKILL)
    env._case._database.agent.pgconn.finish()  # as the network would tell it, without the wait


def private_env() -> ThinkingBoxEnv:
    """An environment whose server belongs to its episode alone, so that killing it hurts no one."""
    return ThinkingBoxEnv(TASK, database="embedded", isolation="container")


@pytest.mark.slow
def test_a_server_killed_before_a_call_is_a_system_error_and_the_next_reset_works() -> None:
    env = private_env()
    try:
        env.reset(seed=7)
        kill_server(env)
        _, reward, terminated, truncated, info = env.step(comment("anyone?"))
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert info["outcome"]["kind"] == "system_error"
        assert info["outcome"]["source"] == "database"
        env.reset(seed=7)
        assert env.step(comment("still here"))[4]["calls"][0]["is_error"] is False
    finally:
        env.close()


@pytest.mark.slow
def test_a_server_killed_before_grading_gives_no_verdict() -> None:
    env = private_env()
    try:
        env.reset(seed=7)
        kill_server(env)
        _, reward, _, truncated, info = env.finish("tokens")
        assert (reward, truncated, info["grade"]) == (0.0, True, None)
        assert info["system_error"].startswith("database: ")
    finally:
        env.close()


def test_a_server_that_is_not_there_fails_the_reset_and_nothing_else() -> None:
    env = ThinkingBoxEnv(TASK, database="postgresql://nobody@127.0.0.1:1/none")
    try:
        with pytest.raises(DatabaseFailure):
            env.reset(seed=7)
        with pytest.raises(DatabaseFailure):
            env.reset(seed=7)
    finally:
        env.close()


def test_sixty_four_episodes_at_once_never_see_each_other(database_choice: str) -> None:
    tasks = [task.id for task in all_tasks("demo")]
    envs = [ThinkingBoxEnv(tasks[i % len(tasks)], database=database_choice) for i in range(64)]

    def work(index: int) -> list[str]:
        env = envs[index]
        env.reset(seed=index)
        for number in range(3):
            *_, info = env.step(comment(f"mine {index}.{number}", "TCK-2001"))
            assert info["calls"][0]["is_error"] is False, info["calls"]
        *_, info = env.finish("tokens")
        return [change["after"]["body"] for change in info["changes"]]

    try:
        with ThreadPoolExecutor(64) as threads:
            bodies = list(threads.map(work, range(64)))
    finally:
        for env in envs:
            env.close()
    assert bodies == [[f"mine {index}.{number}" for number in range(3)] for index in range(64)]


def test_an_env_that_is_forgotten_gives_its_database_back(database_choice: str) -> None:
    env: Any = gymnasium.make("ThinkingBox/hotel-downgrade-v0", database=database_choice)
    env.reset(seed=7)
    database = env.unwrapped._case._database
    del env
    assert database._closed
