"""What holds for every registered environment, without anyone asking."""

import warnings
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.registration import NAMESPACE, SUITE_ID, env_id
from tb_envs.specs import all_tasks, task_ids
from tests.conftest import require_docker

TASK_ENV_IDS = sorted(
    spec.id
    for spec in gymnasium.registry.values()
    if spec.namespace == NAMESPACE and spec.id != SUITE_ID
)
ON_DOCKER_TOO = [SUITE_ID, *(env_id(task.id) for task in all_tasks("demo"))]
"""A task is the same on either server, so one family and the suite stand for all on Docker."""

PLACES = [
    *(pytest.param(one, "embedded") for one in (*TASK_ENV_IDS, SUITE_ID)),
    *(pytest.param(one, "docker", marks=pytest.mark.docker) for one in ON_DOCKER_TOO),
]
SECRETS = ("oracle", "traps", "checks", "expect", "private_context", "rubrics")


def plain(value: Any) -> Any:
    """Every key that stands anywhere in a nested value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from plain(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from plain(item)


def test_every_task_has_an_id() -> None:
    assert {env_id(task_id) for task_id in task_ids()} <= set(TASK_ENV_IDS)
    assert env_id("hotel-downgrade") in TASK_ENV_IDS


@pytest.mark.parametrize(("registered_id", "database"), PLACES)
def test_gymnasium_finds_no_fault_in_it(registered_id: str, database: str) -> None:
    if database == "docker":
        require_docker()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(registered_id, database=database, judge="skip")
        try:
            check_env(env.unwrapped)
        finally:
            env.close()
            env.close()


@pytest.mark.parametrize("registered_id", TASK_ENV_IDS)
def test_the_same_seed_gives_the_same_start_and_no_secret(registered_id: str) -> None:
    env = gymnasium.make(registered_id, database="embedded", judge="skip")
    try:
        first = env.reset(seed=3)
        second = env.reset(seed=3)
    finally:
        env.close()
    assert first == second
    assert set(SECRETS).isdisjoint(plain(first[1]))
    assert first[0][0]["role"] == "user"
    assert first[0][0]["content"]
