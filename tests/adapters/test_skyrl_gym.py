"""SkyRL-gym's registry and text interface around our tasks."""

import json

import pytest

pytest.importorskip("skyrl_gym", reason="SkyRL-gym has an environment of its own; see .ci/adapters")

import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv

from tb_envs.adapters.skyrl_gym import ENV_ID, dataset_rows, register_with_skyrl
from tb_envs.errors import DatabaseFailure, UsageError
from tb_envs.messages import AssistantTurn
from tb_envs.policies import OraclePolicy, Policy
from tb_envs.specs import all_tasks
from tests.adapters.players import (
    DATABASE,
    SEED,
    TASK,
    act,
    break_tools,
    lent_databases,
    plain_reward,
    policies,
    run_example,
    start,
)

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(autouse=True)
def _registered() -> None:
    register_with_skyrl()
    register_with_skyrl()


def make(**extras: object) -> BaseTextEnv:
    return skyrl_gym.make(
        ENV_ID,
        env_config={"database": DATABASE, "judge": "skip"},
        extras={"task_id": TASK, "seed": SEED} | extras,
    )


def text_of(turn: AssistantTurn) -> str:
    """What a model would have written."""
    calls = [
        f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'
        for call in turn.tool_calls
    ]
    blocks = [f"<tool_call>\n{call}\n</tool_call>" for call in calls]
    return "\n".join(["<think>Let me see.</think>", turn.content, *blocks]) + "<|im_end|>"


def play(env: BaseTextEnv, policy: Policy) -> list[float]:
    """Play as SkyRL's generator does: init, then step until done; returns the rewards."""
    session = start(policy)
    seen, _ = env.init([])
    rewards: list[float] = []
    done = False
    while not done:
        messages = [message for message in seen if message["role"] != "system"]
        output = env.step(text_of(act(session, messages)))
        seen, done = output["observations"], output["done"]
        rewards.append(output["reward"])
    return rewards


@pytest.mark.parametrize("policy", policies(), ids=lambda policy: policy.name)
def test_the_reward_is_that_of_the_plain_environment(policy: Policy) -> None:
    env = make()
    rewards = play(env, policy)
    assert rewards[-1] == plain_reward(policy)
    assert sum(rewards) == rewards[-1]
    assert env.get_metrics()["success"] == rewards[-1]
    assert lent_databases() == 0  # before anyone has closed it


def test_metrics_are_averaged_by_the_library() -> None:
    env = make()
    play(env, OraclePolicy())
    metrics = env.get_metrics()
    assert metrics["refused_calls"] == 0
    assert metrics["tool_calls"] > 5
    assert type(env).aggregate_metrics([metrics, metrics])["success"] == 1.0


def test_a_limit_of_the_rows_ends_in_a_verdict() -> None:
    env = make(max_turns=2)
    env.init([])
    assert env.step("Hello?")["done"] is False
    output = env.step("Your e-mail address, please?")
    assert (output["done"], output["reward"]) == (True, 0.0)
    assert output["metadata"]["outcome"]["limit"] == "steps"


def test_a_system_error_is_raised_and_its_database_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = make()
    env.init([])
    break_tools(monkeypatch)
    with pytest.raises(DatabaseFailure, match="the server is gone"):
        env.step('<tool_call>{"name": "find_tickets", "arguments": {}}</tool_call>')
    assert lent_databases() == 0


def test_an_env_that_nobody_closes_gives_its_database_back() -> None:
    env = make()
    env.init([])
    assert lent_databases() == 1
    del env
    assert lent_databases() == 0


def test_rows_hold_the_prompt_that_init_returns() -> None:
    (row,) = dataset_rows([TASK], seeds=[SEED])
    env = make(**{key: row[key] for key in ("task_id", "seed")})
    prompt, _ = env.init(row["prompt"])
    env.close()
    assert prompt == row["prompt"]
    assert json.loads(json.dumps(row)) == row
    assert len(dataset_rows("demo", seeds=range(3))) == 3 * len(all_tasks("demo"))


def test_a_row_without_a_task_is_refused() -> None:
    with pytest.raises(UsageError, match="expected task_id"):
        skyrl_gym.make(ENV_ID, extras={"seed": 1})


def test_the_example_writes_rows_and_plays(tmp_path: object) -> None:
    output = run_example("skyrl_gym_rows.py", "--tasks", TASK, "--out", f"{tmp_path}/rows.jsonl")
    assert output.splitlines()[-1] == "reward 0.0"
