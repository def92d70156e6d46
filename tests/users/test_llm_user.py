"""A user played by a model behind a real HTTP endpoint."""

from collections.abc import Iterator

import pytest

from tb_envs.chat_client import ChatClient
from tb_envs.errors import UsageError, UserFailure
from tb_envs.specs.models import Fact, UserSpec
from tb_envs.users import LLMUser, ScriptedUser, UserTurn, make_user
from tests.fake_openai import FakeOpenAI, Fault, Garbage, Say

SPEC = UserSpec(
    opening="I need another room.",
    private_context="You are Dana Fox and in a hurry.",
    facts={"booking_reference": "BKG-1", "reason": Fact(say="The meeting was moved.")},
    closing="Thanks, bye.",
)


@pytest.fixture
def user(server: FakeOpenAI) -> Iterator[LLMUser]:
    with ChatClient(server.endpoint(temperature=0.7)) as client:
        yield LLMUser(SPEC, seed=5, client=client)


def test_the_opening_is_the_task_s_own(user: LLMUser, server: FakeOpenAI) -> None:
    assert user.opening() == "I need another room."
    assert server.requests == []


def test_the_model_plays_the_user_with_its_private_context(
    user: LLMUser, server: FakeOpenAI
) -> None:
    server.will("It is BKG-1.", "Thanks!")
    assert user.reply("What is your booking reference?") == UserTurn("It is BKG-1.")
    user.reply("Found it.")
    system, *talk = server.requests[1]["messages"]
    for known in ("Dana Fox", "booking reference: BKG-1", "reason: The meeting was moved."):
        assert known in system["content"]
    assert [(message["role"], message["content"]) for message in talk[1:]] == [
        ("assistant", "I need another room."),
        ("user", "What is your booking reference?"),
        ("assistant", "It is BKG-1."),
        ("user", "Found it."),
    ]


def test_seed_and_temperature_are_passed_on(user: LLMUser, server: FakeOpenAI) -> None:
    user.reply("Hello?")
    user.reply("Hello?")
    first, second = server.requests
    assert first["temperature"] == 0.7
    assert first["seed"] != second["seed"]


def test_the_same_seed_sends_the_same_requests(server: FakeOpenAI) -> None:
    with ChatClient(server.endpoint()) as client:
        for _ in range(2):
            LLMUser(SPEC, seed=5, client=client).reply("Hello?")
    assert server.requests[0] == server.requests[1]


def test_the_signal_ends_the_talk_and_is_not_said(user: LLMUser, server: FakeOpenAI) -> None:
    server.will("Great, thank you!\n###DONE###")
    assert user.reply("It is done.") == UserTurn("Great, thank you!", done=True)
    assert user.reply("Still there?") == UserTurn("Thanks, bye.", done=True)
    assert len(server.requests) == 1


def test_a_bare_signal_says_the_closing(user: LLMUser, server: FakeOpenAI) -> None:
    server.will("###DONE###")
    assert user.reply("It is done.") == UserTurn("Thanks, bye.", done=True)


def test_the_model_s_thoughts_are_not_said(user: LLMUser, server: FakeOpenAI) -> None:
    server.will("<think>Is it ###DONE###? No.</think>What now?")
    assert user.reply("I looked.") == UserTurn("What now?")


def test_an_empty_turn_is_asked_for_again(user: LLMUser, server: FakeOpenAI) -> None:
    server.will("", Say(None), "Yes?")
    assert user.reply("Hello?") == UserTurn("Yes?")
    assert len({request["seed"] for request in server.requests}) == 3


def test_only_empty_turns_are_a_failure_of_the_user(user: LLMUser, server: FakeOpenAI) -> None:
    server.will("  ")
    with pytest.raises(UserFailure, match="no whole message in 3 tries"):
        user.reply("Hello?")


def test_a_broken_endpoint_is_a_failure_of_the_user(user: LLMUser, server: FakeOpenAI) -> None:
    server.will(Fault(500), Garbage(b"?"), Fault(401, "who are you"))
    with pytest.raises(UserFailure, match="who are you"):
        user.reply("Hello?")


def test_users_are_made_by_kind(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TB_USER_BASE_URL", server.url)
    monkeypatch.setenv("TB_USER_MODEL", "fake")
    assert isinstance(make_user("scripted", SPEC, seed=1), ScriptedUser)
    assert make_user("llm", SPEC, seed=1).reply("Hello?") == UserTurn("Hello.")
    with pytest.raises(UsageError, match="expected 'scripted' or 'llm'"):
        make_user("human", SPEC, seed=1)  # type: ignore[arg-type]


def test_a_user_without_an_endpoint_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TB_USER_MODEL", raising=False)
    with pytest.raises(UsageError, match="set TB_USER_MODEL"):
        make_user("llm", SPEC, seed=1)
