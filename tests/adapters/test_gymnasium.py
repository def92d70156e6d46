"""Gymnasium's own tools on our ids: wrappers, the checker, and every way to vectorise."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.env import ThinkingBoxEnv
from tb_envs.messages import ActionTurn, AssistantTurn, action_of
from tb_envs.policies import OraclePolicy, Policy, TrapPolicy
from tb_envs.registration import env_id
from tb_envs.wrappers import TextAction
from tests.adapters.players import DATABASE, SEED, TASK, act, lent_databases, plain_reward, start

ID = env_id(TASK)
SAME_STEP = {"autoreset_mode": AutoresetMode.SAME_STEP}
MAX_STEPS = 40

make: Callable[[], Any] = partial(gymnasium.make, ID, database=DATABASE)
# A spawned worker imports nothing of ours by itself; the id says where it is registered.
make_anywhere: Callable[[], Any] = partial(gymnasium.make, f"tb_envs:{ID}", database=DATABASE)
make_vec: Callable[..., Any] = partial(gymnasium.make_vec, ID, num_envs=2, database=DATABASE)

VECTOR_ENVS: dict[str, Callable[[], VectorEnv[Any, Any, Any]]] = {
    "make_vec": make_vec,
    "make_vec vector_entry_point": partial(make_vec, vectorization_mode="vector_entry_point"),
    "make_vec sync": partial(make_vec, vectorization_mode="sync", vector_kwargs=SAME_STEP),
    "make_vec async": partial(
        make_vec, vectorization_mode="async", vector_kwargs=SAME_STEP | {"shared_memory": False}
    ),
    "SyncVectorEnv": lambda: SyncVectorEnv([make, make], **SAME_STEP),
    "AsyncVectorEnv": lambda: AsyncVectorEnv([make, make], shared_memory=False, **SAME_STEP),
    "AsyncVectorEnv spawned": lambda: AsyncVectorEnv(
        [make_anywhere, make_anywhere], shared_memory=False, context="spawn", **SAME_STEP
    ),
}


def batch(turns: Sequence[AssistantTurn]) -> ActionTurn:
    """Put turns together as Gymnasium batches a ``Dict`` space: key by key."""
    actions = [action_of(turn) for turn in turns]
    return {  # type: ignore[return-value] # a batch of turns, not one
        "content": tuple(action["content"] for action in actions),
        "tool_calls": tuple(action["tool_calls"] for action in actions),
    }


def play_side_by_side(envs: VectorEnv[Any, Any, Any], policies: Sequence[Policy]) -> list[float]:
    """Play one policy in each environment; returns what each has earned when it first ends."""
    sessions = [start(policy) for policy in policies]
    observations, _ = envs.reset(seed=[SEED] * len(policies))
    earned = np.zeros(len(policies))
    ended = np.zeros(len(policies), bool)
    for _ in range(MAX_STEPS):
        turns = [act(session, seen) for session, seen in zip(sessions, observations, strict=True)]
        observations, rewards, terminated, truncated, _ = envs.step(batch(turns))
        earned += np.where(ended, 0.0, rewards)
        ended |= terminated | truncated
        if ended.all():
            return earned.tolist()
        if envs.metadata["autoreset_mode"] == AutoresetMode.DISABLED and ended.any():
            raise AssertionError("one ended before the other; take two that are equally long")
    raise AssertionError(f"no end within {MAX_STEPS} steps")


@pytest.mark.parametrize("name", [name for name in VECTOR_ENVS if name.startswith("make_vec")])
def test_every_vector_mode_gives_the_oracle_its_reward(name: str) -> None:
    envs = VECTOR_ENVS[name]()
    try:
        assert play_side_by_side(envs, [OraclePolicy(), OraclePolicy()]) == [1.0, 1.0]
    finally:
        envs.close()
    assert plain_reward(OraclePolicy()) == 1.0


@pytest.mark.parametrize("name", [name for name in VECTOR_ENVS if "VectorEnv" in name])
def test_the_librarys_own_vector_envs_tell_right_from_wrong(name: str) -> None:
    envs = VECTOR_ENVS[name]()
    policies: list[Policy] = [OraclePolicy(), TrapPolicy()]
    try:
        rewards = play_side_by_side(envs, policies)
    finally:
        envs.close()
    assert rewards == [plain_reward(policy) for policy in policies] == [1.0, 0.0]
    assert lent_databases() == 0


def test_same_step_autoreset_keeps_the_verdict_of_the_episode_that_ended() -> None:
    envs = VECTOR_ENVS["make_vec sync"]()
    session = start(OraclePolicy())
    try:
        observations, infos = envs.reset(seed=SEED)
        while "final_info" not in infos:
            turn = act(session, observations[0])
            observations, _, _, _, infos = envs.step(batch([turn, turn]))
    finally:
        envs.close()
    assert infos["final_info"]["is_success"].tolist() == [True, True]
    assert infos["final_info"]["grade"]["passed"].tolist() == [True, True]
    assert [message["role"] for message in observations[0]] == ["user"]


def test_statistics_of_a_vector_env_hold_the_verdicts() -> None:
    envs = RecordVectorStatistics(VECTOR_ENVS["make_vec"]())
    try:
        play_side_by_side(envs, [OraclePolicy(), OraclePolicy()])
        returns, lengths = list(envs.return_queue), list(envs.length_queue)
    finally:
        envs.close()
    assert returns == [1.0, 1.0]
    assert lengths[0] == lengths[1] > 5


def test_statistics_of_a_single_env_hold_the_verdict() -> None:
    env = RecordEpisodeStatistics(TimeLimit(make(), max_episode_steps=MAX_STEPS))
    session = start(OraclePolicy())
    try:
        observation, info = env.reset(seed=SEED)
        ended = False
        while not ended:
            observation, _, terminated, truncated, info = env.step(
                action_of(act(session, observation))
            )
            ended = terminated or truncated
    finally:
        env.close()
    assert info["episode"]["r"] == 1.0
    assert info["is_success"] is True


def test_a_time_limit_around_the_env_is_graded_when_asked() -> None:
    env = gymnasium.make(ID, database=DATABASE, max_episode_steps=1)
    base = env.unwrapped
    assert isinstance(base, ThinkingBoxEnv)
    try:
        env.reset(seed=SEED)
        _, reward, terminated, truncated, info = env.step("Hello?")
        assert (reward, terminated, truncated, "grade" in info) == (0.0, False, True, False)
        _, reward, terminated, truncated, info = base.finish("steps")
    finally:
        env.close()
    assert (reward, terminated, truncated, info["is_success"]) == (0.0, False, True, False)
    assert info["outcome"]["limit"] == "steps"


def test_the_checker_finds_no_fault_in_it() -> None:
    env = make()
    try:
        check_env(env.unwrapped)
    finally:
        env.close()


def test_text_actions_batch_as_a_plain_tuple() -> None:
    envs = SyncVectorEnv([lambda: TextAction(make())] * 2)
    try:
        envs.reset(seed=SEED)
        observations, *_ = envs.step(("Which booking is it?", "Hello?"))
    finally:
        envs.close()
    assert [len(observation) for observation in observations] == [1, 1]


def test_shared_memory_is_refused_instead_of_garbling_text() -> None:
    with pytest.raises(TypeError, match="disable `shared_memory`"):
        make_vec(vectorization_mode="async")


def test_a_forgotten_env_gives_its_database_back() -> None:
    before = lent_databases()
    env = make()
    env.reset(seed=SEED)
    assert lent_databases() == before + 1
    del env
    assert lent_databases() == before
