"""What happens when the server dies in the middle, and when many work at once."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import gymnasium
import pytest

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.database import EpisodeDatabase, open_pool
from tb_envs.database.clone import Clone
from tb_envs.database.server import DictConnection
from tb_envs.env import ThinkingBoxEnv
from tb_envs.errors import DatabaseFailure
from tb_envs.specs import all_tasks
from tests.faults import kill_server

TASK = "hotel-downgrade"


def comment(text: str, ticket: str = "TCK-3101") -> dict[str, Any]:
    arguments = {"ticket_id": ticket, "body": text, "visibility": "internal"}
    call = {"name": "add_ticket_comment", "arguments": json.dumps(arguments)}
    return {"content": "", "tool_calls": (call,)}


def database_of(env: ThinkingBoxEnv) -> EpisodeDatabase:
    assert env._case is not None
    return env._case._database


@contextmanager
def locked(clone: Clone, table: str) -> Iterator[DictConnection]:
    """Hold a table, so that whoever wants it waits."""
    holder = clone.tenant.server.connect(clone.name)
    try:
        holder.execute("BEGIN")
        holder.execute(f"LOCK TABLE {table}".encode())
        yield holder
    finally:
        holder.close()


def kill_once_waiting(holder: DictConnection, kill: Callable[[], None]) -> None:
    """Kill the server as soon as somebody waits for the holder's lock."""
    while holder.execute("SELECT FROM pg_locks WHERE NOT granted").rowcount == 0:
        time.sleep(0)
    kill()


def is_system_error(result: Any) -> bool:
    _, reward, terminated, truncated, info = result
    return (
        (reward, terminated, truncated) == (0.0, False, True)
        and (info["outcome"]["kind"], info["outcome"]["source"]) == ("system_error", "database")
        and "grade" not in info
    )


WAITING: dict[str, tuple[str, Callable[[ThinkingBoxEnv], Any]]] = {
    "a tool call": ("ticket_comments", lambda env: env.step(comment("anyone?"))),
    "grading": ("bookings", lambda env: env.finish("tokens")),
}


@pytest.mark.slow
@pytest.mark.parametrize("step", WAITING)
def test_a_server_killed_during(own_server: str, step: str) -> None:
    """A system error with its cause, never a reward; and the next reset works."""
    table, act = WAITING[step]
    env = ThinkingBoxEnv(TASK, database=own_server)
    try:
        env.reset(seed=7)
        database = database_of(env)
        with locked(database._clone, table) as holder, ThreadPoolExecutor(1) as thread:
            acting = thread.submit(act, env)
            kill_once_waiting(holder, lambda: kill_server(database, own_server))
            assert is_system_error(acting.result(timeout=60))
        env.reset(seed=7)
        assert env.step(comment("still here"))[4]["calls"][0]["is_error"] is False
    finally:
        env.close()


@pytest.mark.slow
def test_a_server_killed_during_a_reset_fails_it_and_the_next_reset_works(own_server: str) -> None:
    env, other = (ThinkingBoxEnv(TASK, database=own_server) for _ in range(2))
    try:
        env.reset(seed=7)
        pool = open_pool(env.task.domain, database=own_server)
        while not pool._ready:
            time.sleep(0.01)
        with locked(pool._ready[0], "tickets") as holder, ThreadPoolExecutor(1) as thread:
            resetting = thread.submit(other.reset, seed=7)
            kill_once_waiting(holder, lambda: kill_server(database_of(env), own_server))
            with pytest.raises(DatabaseFailure):
                resetting.result(timeout=60)
        other.reset(seed=7)
        assert other.step(comment("still here"))[4]["calls"][0]["is_error"] is False
    finally:
        env.close()
        other.close()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["a statement that takes too long", "a connection cut"])
def test_the_session_ended_by(own_server: str, ending: str) -> None:
    env = ThinkingBoxEnv(TASK, database=own_server)
    try:
        env.reset(seed=7)
        database = database_of(env)
        if ending == "a connection cut":
            database.owner.execute(
                "SELECT pg_terminate_backend(%s)", (database.agent.info.backend_pid,)
            )
            assert is_system_error(env.step(comment("anyone?")))
        else:
            database.agent.execute("SET statement_timeout = 50")
            with locked(database._clone, "ticket_comments"):
                assert is_system_error(env.step(comment("anyone?")))
        env.reset(seed=7)
        assert env.step(comment("still here"))[4]["calls"][0]["is_error"] is False
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
