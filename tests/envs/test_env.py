"""The environment, step by step, on the hotel task."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.errors import DatabaseFailure, UsageError
from tb_envs.users import UserTurn

HOTEL = "ThinkingBox/hotel-downgrade-v0"


@pytest.fixture
def env(database_choice: str) -> Iterator[gymnasium.Env[Any, Any]]:
    made = gymnasium.make(HOTEL, database=database_choice)
    yield made
    made.close()


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"content": "", "tool_calls": ({"name": name, "arguments": json.dumps(arguments)},)}


def test_reset_gives_the_opening_the_tools_and_the_policy(env: gymnasium.Env[Any, Any]) -> None:
    observation, info = env.reset(seed=7)
    assert [message["role"] for message in observation] == ["user"]
    names = [tool["function"]["name"] for tool in info["tools"]]
    assert len(names) >= 25
    assert len(set(names)) == len(names)
    assert info["task_id"].startswith("hotel-downgrade.")
    assert info["system_prompt"]


def test_a_tool_call_returns_its_result_as_the_next_observation(
    env: gymnasium.Env[Any, Any],
) -> None:
    env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(
        {
            "content": "",
            "tool_calls": [
                {"name": "search_knowledge", "arguments": '{"query": "approval"}'},
                {"name": "no_such_tool", "arguments": "{}"},
            ],
        }
    )
    assert [(message["role"], message["name"]) for message in observation] == [
        ("tool", "search_knowledge"),
        ("tool", "no_such_tool"),
    ]
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert [record["is_error"] for record in info["calls"]] == [False, True]
    assert info["calls"][0]["changes"] == ()


def test_a_plain_string_is_a_message_to_the_user(env: gymnasium.Env[Any, Any]) -> None:
    env.reset(seed=7)
    observation, *_ = env.step("Hello! May I have your booking reference?")
    assert [message["role"] for message in observation] == ["user"]
    assert "BKG-" in observation[0]["content"]


@pytest.mark.parametrize(
    "action",
    [
        None,
        7,
        {"content": 3},
        {"tool_calls": "get_booking"},
        {"tool_calls": [3]},
        {"tool_calls": [{"name": 3, "arguments": "{}"}]},
        {"content": "", "tool_calls": [], "extra": 1},
    ],
)
def test_a_malformed_action_is_answered(env: gymnasium.Env[Any, Any], action: Any) -> None:
    env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(action)
    assert observation[0]["role"] == "tool"
    assert "malformed" in observation[0]["content"]
    assert (reward, terminated, truncated, info["calls"]) == (0.0, False, False, ())


def batch(actions: list[dict[str, Any]]) -> dict[str, Any]:
    """Actions as the batched action space has them."""
    return {key: tuple(action[key] for action in actions) for key in actions[0]}


ANY_TEXT = st.text(max_size=40)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
CALL = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["get_booking", "add_ticket_comment", "", "drop table"]) | ANY_TEXT,
        "arguments": ANY_TEXT | ANY_JSON.map(lambda value: json.dumps(value)) | ANY_JSON,
    }
)
ACTIONS = ANY_JSON | st.fixed_dictionaries(
    {"content": ANY_TEXT, "tool_calls": st.lists(CALL | ANY_JSON, max_size=2)}
)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(action=ACTIONS)
def test_no_action_raises_or_changes_the_database_unless_it_is_a_valid_call(
    env: gymnasium.Env[Any, Any], action: Any
) -> None:
    env.reset(seed=7)
    observation, reward, *_, info = env.step(action)
    assert reward == 0.0
    assert all(isinstance(message["content"], str) for message in observation)
    assert all(record["changes"] == () for record in info["calls"])
    assert info.get("system_error") is None


def test_stepping_without_an_episode_is_refused(env: gymnasium.Env[Any, Any]) -> None:
    with pytest.raises(ResetNeeded):
        env.unwrapped.step("hello")


def test_an_ended_episode_takes_no_more_steps(env: gymnasium.Env[Any, Any]) -> None:
    env.reset(seed=7)
    env.unwrapped.finish("tokens")  # type: ignore[attr-defined]
    with pytest.raises(ResetNeeded):
        env.unwrapped.step("hello")


def test_a_limit_truncates_and_the_database_is_graded_all_the_same(
    env: gymnasium.Env[Any, Any],
) -> None:
    env.reset(seed=7)
    limit = env.unwrapped.task.variant.limits.turns  # type: ignore[attr-defined]
    results = [env.step(call("search_knowledge", query="refund")) for _ in range(limit)]
    assert [result[3] for result in results] == [False] * (limit - 1) + [True]
    info = results[-1][4]
    assert info["outcome"] == {"kind": "limit", "limit": "turns", "passed": False}
    assert info["grade"]["passed"] is False
    assert info["system_error"] is None


def test_a_group_starts_from_one_database(database_choice: str) -> None:
    envs = [gymnasium.make(HOTEL, database=database_choice) for _ in range(4)]
    try:
        digests = {env.reset(seed=11)[1]["database_digest"] for env in envs}
    finally:
        for env in envs:
            env.close()
    assert len(digests) == 1


def test_the_vector_env_resets_by_mask(database_choice: str) -> None:
    envs = gymnasium.make_vec(HOTEL, num_envs=3, database=database_choice)
    try:
        observations, infos = envs.reset(seed=5)
        assert [len(observation) for observation in observations] == [1, 1, 1]
        assert len(set(infos["database_digest"])) == 1
        for _ in range(8):
            *_, terminated, truncated, infos = envs.step(["Done.", call("find_tickets"), "Done."])
            if terminated.any():
                break
        ended = terminated | truncated
        assert ended.tolist() == [True, False, True]
        assert infos["is_success"][ended].tolist() == [False, False]
        with pytest.raises(UsageError, match="have ended"):
            envs.step(["a", "b", "c"])
        observations, _ = envs.reset(options={"reset_mask": ended})
        assert [len(observation) for observation in observations] == [1, 1, 1]
        _, rewards, *_ = envs.step(["Hello"] * 3)
        assert rewards.tolist() == [0.0, 0.0, 0.0]
    finally:
        envs.close()


def test_the_vector_env_takes_a_batch_sampled_from_its_action_space(database_choice: str) -> None:
    envs = gymnasium.make_vec(HOTEL, num_envs=2, database=database_choice)
    try:
        envs.reset(seed=5)
        envs.action_space.seed(5)
        observations, *_ = envs.step(envs.action_space.sample())
        assert envs.observation_space.contains(observations)
    finally:
        envs.close()


def test_the_vector_env_can_begin_anew_by_itself(database_choice: str) -> None:
    envs = gymnasium.make_vec(HOTEL, num_envs=1, database=database_choice, autoreset="next_step")
    try:
        opening, _ = envs.reset(seed=5)
        ended = np.zeros(1, bool)
        while not ended.any():
            *_, terminated, truncated, _ = envs.step(["Done."])
            ended = terminated | truncated
        observations, rewards, terminated, *_ = envs.step(["ignored"])
        assert observations == opening
        assert (rewards.tolist(), terminated.tolist()) == ([0.0], [False])
    finally:
        envs.close()


def test_a_step_limit_from_outside_is_graded(database_choice: str) -> None:
    envs = gymnasium.make_vec(HOTEL, num_envs=1, database=database_choice, max_episode_steps=2)
    try:
        envs.reset(seed=5)
        envs.step([call("find_tickets")])
        *_, truncated, infos = envs.step([call("find_tickets")])
        assert truncated.tolist() == [True]
        assert infos["outcome"]["limit"].tolist() == ["steps"]
    finally:
        envs.close()


@pytest.mark.parametrize("broken", [0, 1])
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_a_system_error_beside_a_verdict_is_batched(
    database_choice: str, mode: str, broken: int
) -> None:
    made: dict[str, Any] = {"num_envs": 2, "database": database_choice, "vectorization_mode": mode}
    envs = gymnasium.make_vec(HOTEL, **made)
    try:
        envs.reset(seed=5)
        workers = [env.unwrapped for env in envs.envs]  # type: ignore[attr-defined]
        graded = 1 - broken
        workers[graded]._turns = workers[graded].task.variant.limits.turns - 1
        workers[broken]._case._database.agent.close()
        *_, infos = envs.step(batch([call("find_tickets")] * 2))
        assert infos["_grade"].tolist() == [broken == 1, broken == 0]
        assert infos["grade"]["passed"][graded] == np.False_
        assert infos["outcome"]["kind"][broken] == "system_error"
    finally:
        envs.close()


class SlowUser:
    """A user who answers when told to."""

    def __init__(self) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def reply(self, content: str) -> UserTurn:
        self.asked.set()
        assert self.may_answer.wait(60)
        return UserTurn("Yes.", done=False)

    def close(self) -> None:
        """Hold nothing."""


def test_an_error_in_one_environment_is_raised_when_no_other_is_at_work(
    database_choice: str,
) -> None:
    envs = gymnasium.make_vec(
        HOTEL, num_envs=2, database=database_choice, on_system_error="raise"
    ).unwrapped
    user = SlowUser()
    try:
        envs.reset(seed=5)
        broken, slow = envs.envs  # type: ignore[attr-defined]
        broken._case._database.agent.close()
        slow._case._user = user
        with ThreadPoolExecutor(1) as thread:
            step = thread.submit(envs.step, [call("find_tickets"), "Is it you?"])
            assert user.asked.wait(60)
            assert not wait([step], timeout=0.5).done
            user.may_answer.set()
            with pytest.raises(DatabaseFailure):
                step.result()
        assert len(envs.reset(seed=5)[0]) == 2
    finally:
        user.may_answer.set()
        envs.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasiums_own_vector_envs_work_without_shared_memory(
    database_choice: str, mode: str
) -> None:
    options = {"shared_memory": False} if mode == "async" else {}
    envs = gymnasium.make_vec(
        HOTEL, num_envs=2, vectorization_mode=mode, vector_kwargs=options, database=database_choice
    )
    try:
        observations, _ = envs.reset(seed=5)
        assert [observation[0]["role"] for observation in observations] == ["user", "user"]
        actions = {"content": ("Hello?", "Hello?"), "tool_calls": ((), ())}
        observations, rewards, *_ = envs.step(actions)
        assert all(observation[0]["content"] for observation in observations)
        assert rewards.tolist() == [0.0, 0.0]
    finally:
        envs.close()


def test_shared_memory_is_refused_instead_of_garbling_text(database_choice: str) -> None:
    with pytest.raises(TypeError, match="disable `shared_memory`"):
        gymnasium.make_vec(HOTEL, num_envs=2, vectorization_mode="async", database=database_choice)


def test_the_suite_serves_the_chosen_task_or_draws_one(database_choice: str) -> None:
    env = gymnasium.make(
        "ThinkingBox/Suite-v0", tasks=["hotel-downgrade"], database=database_choice
    )
    try:
        ids = env.unwrapped.task_ids  # type: ignore[attr-defined]
        _, info = env.reset(seed=1, options={"task_id": ids[-1]})
        assert info["task_id"] == ids[-1]
        drawn = [env.reset(seed=seed)[1]["task_id"] for seed in (1, 1, 2, 3, 4)]
        assert drawn[0] == drawn[1]
        assert len(set(drawn)) > 1
        with pytest.raises(UsageError, match="not among this suite"):
            env.reset(options={"task_id": "nope"})
    finally:
        env.close()


def test_a_lost_connection_is_a_system_error_and_the_next_reset_works(database_choice: str) -> None:
    env = gymnasium.make(HOTEL, database=database_choice)
    try:
        env.reset(seed=7)
        env.unwrapped._case._database.agent.close()  # type: ignore[attr-defined]
        observation, reward, terminated, truncated, info = env.step(call("find_tickets"))
        assert (observation, reward, terminated, truncated) == ((), 0.0, False, True)
        assert info["system_error"].startswith("database: ")
        assert info["outcome"]["kind"] == "system_error"
        assert "grade" not in info
        env.reset(seed=7)
        assert env.step(call("find_tickets"))[4]["calls"][0]["is_error"] is False
    finally:
        env.close()


def test_a_system_error_can_be_raised(database_choice: str) -> None:
    env = gymnasium.make(HOTEL, database=database_choice, on_system_error="raise")
    try:
        env.reset(seed=7)
        env.unwrapped._case._database.agent.close()  # type: ignore[attr-defined]
        with pytest.raises(DatabaseFailure):
            env.step(call("find_tickets"))
    finally:
        env.close()


def test_unknown_options_are_refused_when_the_env_is_made() -> None:
    with pytest.raises(UsageError, match="isolation: got 'vm'"):
        gymnasium.make(HOTEL, isolation="vm")
    with pytest.raises(UsageError, match="no task"):
        gymnasium.make("ThinkingBox/hotel-downgrade-v0", task="nothing-like-it")


def test_render_shows_the_talk(database_choice: str) -> None:
    env = gymnasium.make(HOTEL, database=database_choice, render_mode="ansi")
    try:
        observation, _ = env.reset(seed=7)
        env.step(call("find_tickets"))
        text = env.render()
    finally:
        env.close()
    assert isinstance(text, str)
    assert text.startswith(f"user: {observation[0]['content']}")
    assert "agent calls find_tickets({})" in text
