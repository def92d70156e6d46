"""A served model as a policy, over real HTTP."""

import json
from collections.abc import Iterator

import pytest

from tb_envs.errors import PolicyFailure, UsageError
from tb_envs.messages import AssistantTurn, ObservedMessage, ToolCall
from tb_envs.policies import ContextExhausted, EpisodeContext, OpenAIPolicy, make_policy
from tb_envs.policies.openai import OpenAISession
from tests.fake_openai import FakeOpenAI, Fault, Garbage, Hang, Say

TOOL = {
    "type": "function",
    "function": {"name": "get", "parameters": {"properties": {"n": {"type": "integer"}}}},
}


@pytest.fixture
def policy(server: FakeOpenAI) -> Iterator[OpenAIPolicy]:
    policy = OpenAIPolicy(server.endpoint(), temperature=0.6)
    yield policy
    policy.close()


def start(policy: OpenAIPolicy, attempt: int = 0) -> OpenAISession:
    return policy.start(EpisodeContext("env", "task", 7, attempt, "Be kind.", (TOOL,)))


def said(content: str, role: str = "user", name: str = "") -> ObservedMessage:
    return ObservedMessage(role=role, name=name, content=content)


def history(server: FakeOpenAI) -> list[dict[str, object]]:
    return server.requests[-1]["messages"]


def test_the_first_request_holds_prompt_tools_and_opening(
    policy: OpenAIPolicy, server: FakeOpenAI
) -> None:
    turn = start(policy).act((said("Hello?"),), timeout_s=5)
    assert turn == AssistantTurn("Hello.")
    (request,) = server.requests
    assert request["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hello?"},
    ]
    assert request["tools"] == [TOOL]
    assert request["temperature"] == 0.6


def test_parallel_calls_are_answered_by_their_ids(policy: OpenAIPolicy, server: FakeOpenAI) -> None:
    server.will(Say("I look.", calls=(("get", '{"n": 1}'), ("get", '{"n": 2}'))), "Done.")
    session = start(policy)
    turn = session.act((said("Hello?"),), timeout_s=5)
    calls = (ToolCall("get", '{"n": 1}'), ToolCall("get", '{"n": 2}'))
    assert turn == AssistantTurn("I look.", calls)
    session.act((said("one", "tool", "get"), said("two", "tool", "get")), timeout_s=5)
    assistant, first, second = history(server)[2:]
    assert [call["id"] for call in assistant["tool_calls"]] == ["call_1_0", "call_1_1"]  # type: ignore[attr-defined]
    assert first == {"role": "tool", "tool_call_id": "call_1_0", "content": "one"}
    assert second == {"role": "tool", "tool_call_id": "call_1_1", "content": "two"}


def test_a_call_without_a_result_is_closed(policy: OpenAIPolicy, server: FakeOpenAI) -> None:
    server.will(Say(calls=(("get", "{}"), ("get", "{}"))), "Done.")
    session = start(policy)
    session.act((said("Hello?"),), timeout_s=5)
    session.act((said("one", "tool", "get"), said("And?")), timeout_s=5)
    assert [message["role"] for message in history(server)[3:]] == ["tool", "tool", "user"]
    assert history(server)[4]["content"] == "(no result)"


def test_a_complaint_that_answers_no_call_is_heard(
    policy: OpenAIPolicy, server: FakeOpenAI
) -> None:
    session = start(policy)
    session.act((said("Hello?"),), timeout_s=5)
    session.act((said("malformed action", "tool"),), timeout_s=5)
    assert history(server)[-1] == {"role": "user", "content": "malformed action"}


@pytest.mark.parametrize(
    ("name", "arguments"), [("get", "{not json"), ("get", "[1]"), ("get", "5"), ("no such!", "{}")]
)
def test_a_wrong_call_goes_out_as_written_and_stays_parseable_in_the_history(
    policy: OpenAIPolicy, server: FakeOpenAI, name: str, arguments: str
) -> None:
    server.will(Say(calls=((name, arguments),)), "Done.")
    session = start(policy)
    turn = session.act((said("Hello?"),), timeout_s=5)
    assert turn.tool_calls == (ToolCall(name, arguments),)
    session.act((said("error: …", "tool", name),), timeout_s=5)
    function = history(server)[2]["tool_calls"][0]["function"]  # type: ignore[index]
    assert function["name"].isidentifier()
    assert isinstance(json.loads(function["arguments"]), dict)


def test_reasoning_is_kept_apart_and_not_sent_back(
    policy: OpenAIPolicy, server: FakeOpenAI
) -> None:
    server.will(
        Say("Yes.", extra={"reasoning_content": "Hm."}), Say("<think>Ah.</think>No."), "Done."
    )
    session = start(policy)
    assert session.act((said("a"),), timeout_s=5) == AssistantTurn("Yes.", (), "Hm.")
    assert session.act((said("b"),), timeout_s=5) == AssistantTurn("No.", (), "Ah.")
    session.act((said("c"),), timeout_s=5)
    assert "Hm." not in json.dumps(history(server))
    assert "Ah." not in json.dumps(history(server))


def test_calls_written_as_text_are_read_by_the_shared_reader(server: FakeOpenAI) -> None:
    text = "<tool_call><function=get><parameter=n>3</parameter></function></tool_call>"
    server.will(text, "Done.")
    policy = OpenAIPolicy(server.endpoint(), tool_format="qwen3_xml")
    session = start(policy)
    turn = session.act((said("Hello?"),), timeout_s=5)
    assert turn == AssistantTurn("", (ToolCall("get", '{"n": 3}'),))
    session.act((said("three", "tool", "get"),), timeout_s=5)
    policy.close()
    assistant, tool = history(server)[2:]
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"]  # type: ignore[index]


def test_tokens_are_counted(policy: OpenAIPolicy, server: FakeOpenAI) -> None:
    server.will(Say("a", prompt_tokens=10, completion_tokens=5), Say("b", prompt_tokens=17))
    session = start(policy)
    session.act((said("x"),), timeout_s=5)
    session.act((said("y"),), timeout_s=5)
    usage = session.usage()
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (27, 10, 8)


@pytest.mark.parametrize(
    "usage", [None, {}, "none", {"prompt_tokens": None, "prompt_tokens_details": 5}], ids=str
)
def test_a_server_that_does_not_count_costs_no_turn(
    policy: OpenAIPolicy, server: FakeOpenAI, usage: object
) -> None:
    body = json.loads(Say("Hi.").body(1)) | {"usage": usage}
    server.will(Garbage(json.dumps(body).encode()))
    session = start(policy)
    assert session.act((said("x"),), timeout_s=5) == AssistantTurn("Hi.")
    assert session.usage().prompt_tokens == 0


def test_arguments_that_a_server_has_decoded_are_still_the_models(
    policy: OpenAIPolicy, server: FakeOpenAI
) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "get", "arguments": {"n": 1}}}
    server.will(Say(extra={"tool_calls": [call]}), "Done.")
    session = start(policy)
    turn = session.act((said("x"),), timeout_s=5)
    assert turn.tool_calls == (ToolCall("get", '{"n": 1}'),)
    session.act((said("one", "tool", "get"),), timeout_s=5)
    assert history(server)[2]["tool_calls"][0]["function"]["arguments"] == '{"n": 1}'  # type: ignore[index]


def test_attempts_have_seeds_of_their_own(policy: OpenAIPolicy, server: FakeOpenAI) -> None:
    for attempt in (0, 1, 0):
        start(policy, attempt).act((said("x"),), timeout_s=5)
    first, second, third = (request["seed"] for request in server.requests)
    assert first != second
    assert first == third


def test_a_full_context_is_a_signal_and_no_failure(
    policy: OpenAIPolicy, server: FakeOpenAI
) -> None:
    server.will(Fault(400, "This model's maximum context length is 4096 tokens."))
    with pytest.raises(ContextExhausted):
        start(policy).act((said("x"),), timeout_s=5)


@pytest.mark.parametrize("fault", [Fault(500), Fault(429), Fault(401), Garbage(b"{}"), Hang()])
def test_a_broken_endpoint_is_a_failure_of_the_policy(
    server: FakeOpenAI, fault: Fault | Garbage | Hang
) -> None:
    server.will(fault)
    policy = OpenAIPolicy(server.endpoint(max_retries=1))
    with pytest.raises(PolicyFailure, match="openai:fake"):
        start(policy).act((said("x"),), timeout_s=0.5)
    policy.close()


def test_faults_that_pass_cost_nothing(policy: OpenAIPolicy, server: FakeOpenAI) -> None:
    server.will(Fault(429), Fault(503), "Hi.")
    assert start(policy).act((said("x"),), timeout_s=5) == AssistantTurn("Hi.")
    assert len(history(server)) == 2


def test_the_environment_configures_the_endpoint(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_POLICY_BASE_URL", server.url)
    policy = make_policy("openai:my/model", temperature=0.2)
    assert policy.name == "openai:my/model"
    assert isinstance(policy, OpenAIPolicy)
    start(policy).act((said("x"),), timeout_s=5)
    policy.close()
    assert server.requests[0]["model"] == "my/model"
    assert server.requests[0]["temperature"] == 0.2


def test_the_official_api_needs_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("TB_POLICY_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        make_policy("openai:some-model")
