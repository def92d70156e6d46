"""Policies, users and judge in whole episodes: a real database, real HTTP, the one loop."""

import json
from collections.abc import Iterator

import gymnasium
import pytest

import tb_envs
from tb_envs.episode import Episode
from tb_envs.outcome import CutByLimit, Graded, SystemErrored
from tb_envs.policies import OpenAIPolicy, make_policy
from tb_envs.rollout import run_episode
from tb_envs.specs import find_task
from tests.fake_openai import Answer, FakeOpenAI, Fault, Say, fake_openai

ENV_ID = "ThinkingBox/hotel-downgrade-v0"
gymnasium.register_envs(tb_envs)


@pytest.fixture
def user_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    with fake_openai() as running:
        monkeypatch.setenv("TB_USER_BASE_URL", running.url)
        monkeypatch.setenv("TB_USER_MODEL", "fake")
        yield running


def play(policy_name: str | OpenAIPolicy, **options: str) -> Episode:
    policy = make_policy(policy_name) if isinstance(policy_name, str) else policy_name
    env = gymnasium.make(ENV_ID, database="embedded", **options)
    try:
        return run_episode(env, policy, seed=7)
    finally:
        env.close()


def replayed_oracle() -> list[Answer]:
    """The oracle's own turns, as it played them, as a served model's answers."""
    first = play("oracle")
    answers: list[Answer] = []
    for message in first.messages:
        if message.role == "assistant":
            calls = tuple((call.name, call.arguments) for call in message.calls)
            answers.append(Say(message.content, calls=calls))
    return answers


def test_a_served_model_that_acts_like_the_oracle_is_rewarded_like_it(server: FakeOpenAI) -> None:
    server.will(*replayed_oracle())
    policy = OpenAIPolicy(server.endpoint())
    episode = play(policy)
    policy.close()
    assert episode.policy == "openai:fake"
    assert episode.outcome == Graded(passed=True)
    assert episode.usage.prompt_tokens == 10 * len(server.requests)
    last = server.requests[-1]["messages"]
    results = [message for message in last if message["role"] == "tool"]
    assert len(results) == len(episode.tool_calls)


def test_a_model_that_writes_nonsense_is_answered_and_graded(server: FakeOpenAI) -> None:
    server.will(
        Say(calls=(("find_customers", "{oops"), ("no_such_tool", "{}"), ("", "[1]"))),
        Say("<tool_call>{</tool_call>"),
        Say("I cannot help you with that."),
    )
    policy = OpenAIPolicy(server.endpoint(), tool_format="hermes")
    episode = play(policy)
    policy.close()
    assert episode.outcome == Graded(passed=False)
    assert [call.is_error for call in episode.tool_calls] == [True] * 4
    assert all(call.content for call in episode.tool_calls)
    assert episode.changes == ()


def test_a_full_context_cuts_the_episode_and_it_is_graded(server: FakeOpenAI) -> None:
    server.will("One moment.", Fault(400, "maximum context length is 10 tokens"))
    policy = OpenAIPolicy(server.endpoint())
    episode = play(policy)
    policy.close()
    assert episode.outcome == CutByLimit(limit="tokens", passed=False)


def test_a_broken_endpoint_is_a_system_error_and_no_reward(server: FakeOpenAI) -> None:
    server.will(Fault(500, "broken"))
    policy = OpenAIPolicy(server.endpoint(max_retries=1))
    episode = play(policy)
    policy.close()
    assert isinstance(episode.outcome, SystemErrored)
    assert episode.outcome.source == "policy"
    assert episode.grade is None


def test_a_model_can_play_the_user(user_server: FakeOpenAI) -> None:
    user_server.will("Thanks.\n###DONE###")
    episode = play("idle", user="llm")
    assert episode.outcome == Graded(passed=False)
    assert episode.messages[-1].content == "Thanks."
    talk = user_server.requests[0]["messages"]
    user = find_task("hotel-downgrade").variant.user
    assert user is not None
    assert talk[2] == {"role": "assistant", "content": user.opening}


def test_a_user_s_broken_endpoint_is_a_system_error(user_server: FakeOpenAI) -> None:
    user_server.will(Fault(403, "no"))
    episode = play("idle", user="llm")
    assert isinstance(episode.outcome, SystemErrored)
    assert episode.outcome.source == "user"


@pytest.mark.parametrize("name", ["idle", "talkative", "trap"])
def test_wrong_policies_are_not_rewarded(name: str) -> None:
    assert play(name).outcome == Graded(passed=False)


def test_random_calls_are_answered_and_graded() -> None:
    episode = play("random")
    assert isinstance(episode.outcome, Graded)
    assert all(json.loads(call.arguments) is not None for call in episode.tool_calls)
