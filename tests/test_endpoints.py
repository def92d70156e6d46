"""Endpoints: configuration without secrets, retries only where they help."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tb_envs.chat_client import ChatClient, EndpointError, PromptTooLong, shared_client
from tb_envs.endpoints import Endpoint
from tb_envs.errors import UsageError
from tests.fake_openai import Drop, FakeOpenAI, Fault, Garbage, Hang, Say, Trickle, fake_openai

ASK = [{"role": "user", "content": "Hello?"}]
KEY = "sk-very-secret-key"


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with fake_openai() as running:
        yield running


def answer(server: FakeOpenAI, **settings: object) -> str | None:
    with ChatClient(server.endpoint(**settings)) as client:
        return client.complete(ASK).choices[0].message.content


def test_the_answer_comes_back(server: FakeOpenAI) -> None:
    server.will("Hi.")
    assert answer(server, temperature=0.3, max_tokens=9, extra_body={"top_k": 5}) == "Hi."
    assert server.requests == [
        {"model": "fake", "messages": ASK, "temperature": 0.3, "max_tokens": 9, "top_k": 5}
    ]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(408),
        Fault(429),
        Fault(500),
        Fault(503),
        Fault(524),
        Fault(429, headers={"retry-after": "0"}),
        Drop(),
        Garbage(b"<html>busy</html>", "text/html"),
        Garbage(b"{}"),
        Garbage(b'{"choices": []}'),
        Garbage(b'{"choices": {"0": "Hi."}}'),
        Garbage(b'{"choices": ["Hi."]}'),
        Garbage(b'{"choices": [{"index": 0, "message": null}]}'),
        Garbage(b'{"choices": [{"index": 0, "message": "Hi."}]}'),
        Garbage(b'{"choices": [{"index": 0, "message": {"content": [{"text": "Hi."}]}}]}'),
        Garbage(b'{"choices": [{"index": 0, "message": {"tool_calls": ["get"]}}]}'),
        Garbage(b'{"choices": [{"index": 0, "message": {"tool_calls": [{"function": "get"}]}}]}'),
        Garbage(b"{not json"),
    ],
    ids=repr,
)
def test_faults_that_pass_are_retried(server: FakeOpenAI, fault: Fault) -> None:
    server.will(fault, fault, "Hi.")
    assert answer(server) == "Hi."
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_retried(server: FakeOpenAI, status: int) -> None:
    server.will(Fault(status, "wrong"))
    with pytest.raises(EndpointError, match="wrong"):
        answer(server)
    assert len(server.requests) == 1


def test_retries_end(server: FakeOpenAI) -> None:
    server.will(Fault(503, "busy"))
    with pytest.raises(EndpointError, match=r"busy.*after 3 attempts"):
        answer(server, max_retries=2)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "prompt is too long: 5000 tokens > 4096 maximum",
        "Your input exceeds the context window of this model.",
    ],
)
def test_a_prompt_that_does_not_fit_is_told_apart(server: FakeOpenAI, message: str) -> None:
    server.will(Fault(400, message))
    with pytest.raises(PromptTooLong):
        answer(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("silence", [Hang(), Trickle()], ids=repr)
def test_a_server_that_does_not_answer_is_given_up_at_the_deadline(
    server: FakeOpenAI, silence: Hang | Trickle
) -> None:
    server.will(silence)
    started = time.monotonic()
    with ChatClient(server.endpoint()) as client, pytest.raises(EndpointError):
        client.complete(ASK, timeout_s=0.3)
    assert time.monotonic() - started < 5


def test_a_wait_that_would_pass_the_deadline_is_not_begun(server: FakeOpenAI) -> None:
    server.will(Fault(429, "slow down", {"retry-after": "3600"}))
    started = time.monotonic()
    with pytest.raises(EndpointError, match="slow down"):
        answer(server)
    assert time.monotonic() - started < 5


def test_no_server_is_an_endpoint_error() -> None:
    endpoint = Endpoint(model="m", base_url="http://127.0.0.1:9/v1", max_retries=1, backoff_s=0)
    with ChatClient(endpoint) as client, pytest.raises(EndpointError, match="refused"):
        client.complete(ASK)


def test_the_key_is_sent_and_shown_nowhere(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    monkeypatch.setenv("MY_KEY", KEY)
    server.will(Fault(401, f"Incorrect API key provided: {KEY}"))
    endpoint = server.endpoint(api_key_env="MY_KEY")
    with ChatClient(endpoint) as client, pytest.raises(EndpointError) as failure:
        client.complete(ASK)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    seen = [str(failure.value), repr(failure.value), repr(client), endpoint.model_dump_json()]
    assert KEY not in " ".join([*seen, caplog.text])
    assert failure.value.__cause__ is None
    assert failure.value.__suppress_context__


@pytest.mark.parametrize(
    "answer",
    [Fault(401, "x" * 1955 + KEY), Garbage(f"{'x' * 190}{KEY}".encode(), "text/html")],
    ids=["error", "garbage"],
)
def test_a_key_is_cleaned_before_a_long_answer_is_cut(
    server: FakeOpenAI, answer: Fault | Garbage
) -> None:
    server.will(answer)
    endpoint = server.endpoint(max_retries=0)
    with ChatClient(endpoint, key=KEY) as client, pytest.raises(EndpointError) as failure:
        client.complete(ASK)
    assert "xxxx" in str(failure.value)
    assert KEY[:5] not in str(failure.value)


def test_a_missing_key_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="NO_SUCH_KEY is not set"):
        ChatClient(Endpoint(model="m", api_key_env="NO_SUCH_KEY"))


def test_an_endpoint_is_read_from_the_environment() -> None:
    environ = {
        "TB_USER_MODEL": "m",
        "TB_USER_BASE_URL": "http://localhost:8000/v1/",
        "TB_USER_TEMPERATURE": "0.5",
        "TB_USER_TIMEOUT_S": "7",
    }
    assert Endpoint.from_environment("user", environ=environ) == Endpoint(
        model="m", base_url="http://localhost:8000/v1", temperature=0.5, timeout_s=7.0
    )


def test_each_role_has_its_own_endpoint_and_key() -> None:
    environ = {"TB_JUDGE_MODEL": "j", "TB_JUDGE_API_KEY": KEY, "TB_POLICY_API_KEY_ENV": "OTHER"}
    assert Endpoint.from_environment("judge", environ=environ).api_key_env == "TB_JUDGE_API_KEY"
    policy = Endpoint.from_environment("policy", model="p", environ=environ)
    assert (policy.model, policy.api_key_env) == ("p", "OTHER")
    with pytest.raises(UsageError, match="set TB_USER_MODEL"):
        Endpoint.from_environment("user", environ=environ)


def test_the_official_api_takes_its_usual_key() -> None:
    assert Endpoint.from_environment("user", model="m", environ={}).api_key_env == "OPENAI_API_KEY"


def test_an_empty_variable_names_no_file_and_a_slash_makes_no_other_server() -> None:
    environ = {"TB_ENDPOINTS_FILE": "", "TB_USER_BASE_URL": "https://api.openai.com/v1/"}
    endpoint = Endpoint.from_environment("user", model="m", environ=environ)
    assert endpoint == Endpoint(model="m", api_key_env="OPENAI_API_KEY")


def test_a_file_that_is_no_text_is_a_usage_error(tmp_path: Path) -> None:
    file = tmp_path / "endpoints.yaml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"TB_ENDPOINTS_FILE=.*endpoints.yaml"):
        Endpoint.from_environment("user", environ={"TB_ENDPOINTS_FILE": str(file)})


def test_a_file_holds_the_endpoints_and_the_environment_overrides_it(tmp_path: Path) -> None:
    file = tmp_path / "endpoints.yaml"
    file.write_text(
        "user: {model: a, base_url: 'http://localhost:1/v1', extra_body: {top_k: 20}}\n"
        "judge: {model: b, api_key_env: JUDGE_KEY}\n"
    )
    environ = {"TB_ENDPOINTS_FILE": str(file), "TB_USER_MODEL": "c"}
    user = Endpoint.from_environment("user", environ=environ)
    assert (user.model, user.base_url, user.extra_body) == (
        "c",
        "http://localhost:1/v1",
        {"top_k": 20},
    )
    assert Endpoint.from_environment("judge", environ=environ).api_key_env == "JUDGE_KEY"


def test_a_key_in_the_file_is_refused_without_being_shown(tmp_path: Path) -> None:
    file = tmp_path / "endpoints.yaml"
    file.write_text(f"user: {{model: a, api_key: {KEY}}}\n")
    with pytest.raises(UsageError, match="api_key: Extra inputs") as failure:
        Endpoint.from_environment("user", environ={"TB_ENDPOINTS_FILE": str(file)})
    assert KEY not in str(failure.value)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"model": "m", "base_url": f"https://me:{KEY}@host/v1"}, "api_key_env"),
        ({"model": "m", "base_url": "host/v1"}, "http://localhost:8000/v1"),
        ({"model": ""}, "model"),
        ({"model": "m", "timeout_s": 0}, "timeout_s"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as failure:
        Endpoint.checked(settings, source="test")
    assert KEY not in str(failure.value)


def test_a_file_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="TB_ENDPOINTS_FILE=/nowhere"):
        Endpoint.from_environment("user", environ={"TB_ENDPOINTS_FILE": "/nowhere"})


def test_a_lone_surrogate_is_replaced_and_no_failure(server: FakeOpenAI) -> None:
    server.will("Hi.")
    with ChatClient(server.endpoint()) as client:
        client.complete([{"role": "user", "content": "a\ud800b"}])
    assert server.requests[0]["messages"] == [{"role": "user", "content": "a?b"}]


def test_episodes_share_the_client_of_an_endpoint(server: FakeOpenAI) -> None:
    first, second = shared_client(server.endpoint()), shared_client(server.endpoint())
    assert first is second
    assert shared_client(server.endpoint(model="other")) is not first


def test_many_threads_share_one_client(server: FakeOpenAI) -> None:
    server.will(Say("Hi."))
    with ChatClient(server.endpoint()) as client, ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: client.complete(ASK), range(64)))
    assert [item.choices[0].message.content for item in answers] == ["Hi."] * 64
