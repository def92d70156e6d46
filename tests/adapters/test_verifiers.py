"""verifiers' own evaluation of our tasks, against a local OpenAI-compatible server."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="verifiers has an environment of its own; see .ci/adapters")

import verifiers.v1 as vf
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig
from verifiers.v1.utils.loaders import harness_class, load_environment, taskset_class

from tb_envs.adapters.verifiers import INFO, ThinkingBoxHarness, ThinkingBoxTaskset
from tb_envs.policies import Policy
from tb_envs.specs import all_tasks
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

pytestmark = pytest.mark.filterwarnings("default")

ID = "thinkingbox-verifiers"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with scripted_model() as url:
        yield url


def evaluate(url: str, model: str, out: Path, **agent: Any) -> vf.Trace:
    """Run the library's evaluation of one task, once, and return its trace."""
    options = {"tasks": TASK, "seed": SEED, "database": DATABASE, "judge": "skip"}
    config = EvalConfig.model_validate(
        {
            "env": {"taskset": {"id": ID} | options, "agent": agent},
            "model": model,
            "client": {"base_url": url, "api_key_var": "TB_NO_KEY"},
            "output_dir": out,
            "push": False,
            "rich": None,
        }
    )
    (episode,) = asyncio.run(run_eval(config))
    (trace,) = episode.traces
    return trace


def test_the_librarys_loader_finds_us() -> None:
    assert taskset_class(ID) is ThinkingBoxTaskset
    assert harness_class(ID) is ThinkingBoxHarness


@pytest.mark.parametrize("policy", policies(), ids=lambda policy: policy.name)
def test_the_reward_is_that_of_the_plain_environment(
    policy: Policy, url: str, tmp_path: Path
) -> None:
    trace = evaluate(url, policy.name, tmp_path)
    assert trace.ok
    assert trace.reward == plain_reward(policy)
    assert trace.info[INFO]["outcome"] == {"kind": "graded", "passed": trace.reward == 1.0}
    assert trace.metrics["share_of_checks"] == 1.0 or trace.reward == 0.0
    assert lent_databases() == 0


def test_the_trace_holds_the_whole_talk(url: str, tmp_path: Path) -> None:
    trace = evaluate(url, "oracle", tmp_path)
    (branch,) = trace.branches
    roles = [message.role for message in branch.messages]
    assert roles[:3] == ["system", "user", "assistant"]
    assert "tool" in roles
    assert trace.num_turns == roles.count("assistant")


def test_a_system_error_is_an_error_of_the_trace_and_no_reward(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_tools(monkeypatch)
    trace = evaluate(url, "oracle", tmp_path)
    assert not trace.ok
    assert [(error.type, error.message) for error in trace.errors] == [
        ("TaskError", "system error (database): the server is gone")
    ]
    assert trace.rewards.get("verdict") is None
    assert lent_databases() == 0


def test_an_endpoint_that_is_gone_is_an_error_of_the_provider(tmp_path: Path) -> None:
    trace = evaluate("http://127.0.0.1:1/v1", "oracle", tmp_path)
    assert not trace.ok
    assert trace.errors[-1].type == "ProviderError"
    assert trace.rewards.get("verdict") is None


def test_a_limit_of_the_librarys_ends_in_a_verdict(url: str, tmp_path: Path) -> None:
    trace = evaluate(url, "oracle", tmp_path, max_turns=3)
    assert (trace.ok, trace.num_turns, trace.reward) == (True, 3, 0.0)
    assert trace.info[INFO]["outcome"] == {"kind": "limit", "limit": "tokens", "passed": False}


def test_every_demo_task_is_a_task_of_the_taskset() -> None:
    config = EvalConfig.model_validate({"env": {"taskset": {"id": ID}}}).env
    tasks = list(load_environment(config).taskset)
    assert [task.key for task in tasks] == [task.id for task in all_tasks("demo")]
    assert all(task.data.prompt and task.data.system_prompt for task in tasks)


def test_the_librarys_validation_plays_the_oracle_and_nobody(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("vf-validate")
    options = ["--taskset.tasks", TASK, "--taskset.database", DATABASE, "--taskset.judge", "skip"]
    rest = ["--runtime.type", "subprocess", "--no-rich", "-o", str(tmp_path)]
    done = subprocess.run(
        [program, ID, *options, *rest], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr[-2000:]
    summary = json.loads(done.stdout[done.stdout.index("{") :])
    assert summary["checks"]["gold"]["valid"] == 1
    assert summary["checks"]["noop"]["valid"] == 1


def test_the_example_evaluates(url: str, tmp_path: Path) -> None:
    output = run_example(
        "verifiers_eval.py",
        "--model",
        "oracle",
        "--base-url",
        url,
        "--tasks",
        TASK,
        "--out",
        tmp_path,
    )
    assert output.splitlines()[-1] == f"{TASK} 1.0"
