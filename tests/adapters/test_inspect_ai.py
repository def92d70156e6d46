"""Inspect's own evaluation of our tasks, against a local OpenAI-compatible server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="inspect has an environment of its own; see .ci/adapters")

import anyio
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from tb_envs.adapters.inspect_ai import STORE, thinkingbox
from tb_envs.policies import Policy
from tests.adapters.players import (
    DATABASE,
    SEED,
    TASK,
    break_tools,
    lent_databases,
    plain_reward,
    policies,
    run_example,
)
from tests.adapters.scripted_model import scripted_model

# Inspect leaves sockets and streams to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with scripted_model() as url:
        yield url


def scripted(url: str, name: str) -> Model:
    return get_model(f"openai-api/scripts/{name}", base_url=url, api_key="none", memoize=False)


def evaluate(model: Model, folder: Path, **settings: Any) -> tuple[EvalLog, EvalSample]:
    """Run inspect on one task and return its log and its only sample."""
    task = thinkingbox([TASK], seed=SEED, database=DATABASE, judge="skip")
    (log,) = inspect_eval(
        task, model=model, log_dir=str(folder), display="none", log_level="error", **settings
    )
    assert log.samples is not None
    (sample,) = log.samples
    return log, sample


def score(sample: EvalSample) -> Any:
    assert sample.scores is not None
    return sample.scores["verdict"].value


@pytest.mark.parametrize("policy", policies(), ids=lambda policy: policy.name)
def test_the_score_is_the_reward_of_the_plain_environment(
    policy: Policy, url: str, tmp_path: Path
) -> None:
    log, sample = evaluate(scripted(url, policy.name), tmp_path)
    assert log.status == "success"
    assert score(sample) == plain_reward(policy)
    assert sample.store[STORE]["outcome"] == {"kind": "graded", "passed": score(sample) == 1.0}
    assert lent_databases() == 0


def test_the_log_holds_the_whole_talk_and_says_what_failed(url: str, tmp_path: Path) -> None:
    log, _ = evaluate(scripted(url, "trap:acted-before-approval"), tmp_path)
    (sample,) = read_eval_log(log.location).samples or []
    roles = [message.role for message in sample.messages]
    assert roles[:3] == ["system", "user", "assistant"]
    assert roles[-1] == "user"  # the user's goodbye
    assert roles.count("tool") == sum(
        len(m.tool_calls or ()) for m in sample.messages if m.role == "assistant"
    )
    assert sample.scores is not None
    assert "nothing changed before the approval" in str(sample.scores["verdict"].explanation)


def test_epochs_are_attempts_of_their_own(url: str, tmp_path: Path) -> None:
    task = thinkingbox([TASK], database=DATABASE, judge="skip")
    (log,) = inspect_eval(
        task, model=scripted(url, "oracle"), epochs=3, log_dir=str(tmp_path), display="none"
    )
    assert [score(sample) for sample in log.samples or []] == [1.0, 1.0, 1.0]


def test_a_system_error_is_an_error_of_the_sample_and_no_score(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_tools(monkeypatch)
    log, sample = evaluate(scripted(url, "oracle"), tmp_path, fail_on_error=False)
    assert log.status == "success"
    assert sample.error is not None
    assert "system error (database): the server is gone" in sample.error.message
    assert not sample.scores
    assert lent_databases() == 0


def test_a_model_that_fails_is_an_error_of_the_sample(tmp_path: Path) -> None:
    def broken(*_: Any) -> ModelOutput:
        raise RuntimeError("no such model")

    model = get_model("mockllm/model", custom_outputs=broken, memoize=False)
    log, sample = evaluate(model, tmp_path)
    assert log.status == "error"
    assert sample.error is not None
    assert "no such model" in sample.error.message


def test_a_limit_of_inspects_ends_in_a_verdict(url: str, tmp_path: Path) -> None:
    log, sample = evaluate(scripted(url, "oracle"), tmp_path, message_limit=6)
    assert log.status == "success"
    assert sample.limit is not None
    assert sample.limit.type == "message"
    assert score(sample) == 0.0
    assert sample.store[STORE]["outcome"]["limit"] == "tokens"
    assert lent_databases() == 0


def test_a_time_limit_of_inspects_ends_in_a_verdict(tmp_path: Path) -> None:
    async def slow(*_: Any) -> ModelOutput:
        await anyio.sleep(60)
        raise AssertionError("not cancelled")

    model = get_model("mockllm/model", custom_outputs=slow, memoize=False)
    _, sample = evaluate(model, tmp_path, time_limit=3)
    assert sample.limit is not None
    assert sample.limit.type == "time"
    assert score(sample) == 0.0
    assert lent_databases() == 0


def test_arguments_that_are_no_json_are_answered_by_the_environment(tmp_path: Path) -> None:
    malformed = ModelOutput.for_tool_call("mock", "find_tickets", {})
    assert malformed.message.tool_calls is not None
    malformed.message.tool_calls[0].parse_error = "Error parsing the arguments: {limit"
    outputs = [
        malformed,
        *[ModelOutput.from_content("mock", "Done.")] * 6,
    ]
    for output in outputs:
        output.usage = ModelUsage()  # the mock would fetch a tokenizer to count
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    _, sample = evaluate(model, tmp_path)
    answers = [message.text for message in sample.messages if message.role == "tool"]
    assert len(answers) == 1
    assert "JSON" in answers[0]


@pytest.mark.skipif(
    not any(str(file).startswith("tb_envs/") for file in distribution("thinkingbox").files or ()),
    reason="inspect finds tasks by name in packages that are installed, not in a checkout",
)
def test_inspect_finds_the_task_by_its_name(url: str, tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("inspect"), "eval", "tb_envs/thinkingbox"]
    options = ["-T", f"tasks={TASK}", "-T", "judge=skip", "-T", f"database={DATABASE}"]
    model = ["--model", "openai-api/scripts/oracle", "--model-base-url", url]
    rest = ["--log-dir", str(tmp_path), "--display", "plain"]
    environment = os.environ | {"SCRIPTS_API_KEY": "none", "PYTHONPATH": ""}
    done = subprocess.run(
        [*command, *options, *model, *rest],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (path,) = tmp_path.glob("*.eval")
    log = read_eval_log(str(path))
    assert (log.status, log.eval.task) == ("success", "tb_envs/thinkingbox")


def test_the_example_evaluates(url: str, tmp_path: Path) -> None:
    output = run_example(
        "inspect_ai_eval.py",
        *("--model", "openai-api/scripts/oracle", "--base-url", url),
        *("--tasks", TASK, "--logs", tmp_path),
    )
    assert output.splitlines()[-1] == f"{TASK} 1.0"
