"""The program as its users meet it; `run` and what follows on a real PostgreSQL."""

import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from tb_bench.cli import app, main
from tb_bench.synthetic import synthetic_ledger, synthetic_suite
from tb_envs.episode import read_episodes
from tb_envs.specs import all_tasks, find_task
from tb_trainer.selection.ledger import Ledger
from tests.fake_openai import Fault, Say, fake_openai

runner = CliRunner()

# vLLM's own imports warn of what torch deprecates.
VLLM = pytest.param("vllm", marks=[pytest.mark.vllm, pytest.mark.filterwarnings("ignore")])


def invoke(*arguments, code=0):
    done = runner.invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def run_demo(out, policy="oracle", *more):
    options = ("--suite", "demo", "--limit", 2, "--attempts", 2, "--concurrency", 2)
    return invoke("run", "--policy", policy, "--out", out, *options, *more)


def test_the_oracle_passes_every_attempt_and_the_report_says_so(tmp_path):
    assert "4 of 4 attempts are clean" in run_demo(tmp_path)
    assert "complete: 4 attempts" in invoke("validate", tmp_path)
    assert "100.0%" in invoke("report", tmp_path)
    assert "passed on all 2 attempts" in (tmp_path / "report.html").read_text()
    assert "| overall | 2 | 100.0%" in (tmp_path / "report.md").read_text()


def test_an_idle_policy_passes_nothing_and_a_second_run_samples_nothing(tmp_path):
    run_demo(tmp_path, "idle")
    size = (tmp_path / "episodes.jsonl").stat().st_size
    assert "0 to make (resume)" in run_demo(tmp_path, "idle")
    assert (tmp_path / "episodes.jsonl").stat().st_size == size
    assert "0.0%" in invoke("report", tmp_path)


@pytest.mark.parametrize("kind", ["hf", VLLM])
def test_weights_in_a_directory_play_whole_tasks(kind, tmp_path):
    """A random model talks nonsense; that is an answer, and its verdict is no system error."""
    pytest.importorskip("torch", reason="the extra `train` brings it")
    from tests.tiny_model import save_tiny_model

    task = find_task("locker-request")
    model = save_tiny_model(
        tmp_path / "model", [task.domain.system_prompt, task.variant.instruction], positions=16384
    )
    out = tmp_path / "out"
    options = ("--tasks", "locker-request", "--limit", 2, "--attempts", 2, "--turn-tokens", 8)
    invoke("run", "--suite", "train", "--policy", f"{kind}:{model}", "--out", out, *options)
    assert "complete: 4 attempts" in invoke("validate", out)
    episodes = read_episodes(out / "episodes.jsonl")
    assert [episode.reward for episode in episodes] == [0.0] * 4
    assert all(1 <= episode.usage.completion_tokens <= 8 * 40 for episode in episodes)


@pytest.mark.parametrize("policy", ["random", "trap", "openai:fake"])
def test_every_kind_of_policy_plays_whole_tasks(policy, tmp_path, monkeypatch):
    with fake_openai() as server:
        monkeypatch.setenv("TB_POLICY_BASE_URL", server.will("I have done it.").url)
        assert "4 of 4 attempts are clean" in run_demo(tmp_path, policy)
        assert bool(server.requests) == policy.startswith("openai:")
    assert [episode.reward for episode in read_episodes(tmp_path / "episodes.jsonl")] == [0.0] * 4
    assert "complete: 4 attempts" in invoke("validate", tmp_path)


def test_half_a_surrogate_pair_is_what_a_model_said_and_is_filed(tmp_path, monkeypatch):
    """JSON can escape it and UTF-8 cannot hold it, as a reply or in a call's arguments."""
    with fake_openai() as server:
        call = Say(calls=(("get_ticket\ud800", '{"ticket_id": "\ud83d"}'),))
        monkeypatch.setenv("TB_POLICY_BASE_URL", server.will(call, "I have done it \ud83d.").url)
        run_demo(tmp_path, "openai:fake")
    episodes = list(read_episodes(tmp_path / "episodes.jsonl"))
    said = {item.content for one in episodes for item in one.messages if item.role == "assistant"}
    assert said == {"", "I have done it ?."}
    [called] = [call for one in episodes for call in one.tool_calls]
    assert (called.name, called.arguments) == ("get_ticket?", '{"ticket_id": "?"}')
    invoke("report", tmp_path)


def test_what_a_server_says_is_shown_as_it_is(tmp_path, monkeypatch):
    """In the terminal library's markup a closing bracket without its opening raises."""
    with fake_openai() as server:
        monkeypatch.setenv("TB_POLICY_BASE_URL", server.will(Fault(400, "see [/models]")).url)
        options = ("--suite", "demo", "--limit", 1, "--attempts", 1, "--retries", 0)
        output = invoke("run", "--policy", "openai:f", "--out", tmp_path, *options, code=1)
    assert "see [/models]" in " ".join(output.split())
    assert "0 of 1 attempts are clean" in output


def test_rubrics_may_be_left_out_and_the_report_says_so(tmp_path):
    """One task with a rubric: the oracle passes without a judge, and nothing hides that."""
    task = next(task for task in all_tasks("bench", "travel") if task.variant.rubrics)
    options = ("--suite", "bench", "--tasks", task.id, "--attempts", 2, "--judge", "skip")
    invoke("run", "--policy", "oracle", "--out", tmp_path, *options)
    assert "without rubrics" in invoke("report", tmp_path)
    assert "Rubrics were left out of the verdicts" in (tmp_path / "report.md").read_text()
    assert "Rubrics were left out of the verdicts" in (tmp_path / "report.html").read_text()


def test_an_episode_is_shown_with_its_verdict(tmp_path):
    run_demo(tmp_path)
    task = Ledger.open(tmp_path).campaign.suite.tasks[0].task_id
    assert "PASSED" in invoke("show", tmp_path, task, 1)


def test_missing_attempts_are_made_up_for_and_clean_ones_kept(tmp_path):
    run_demo(tmp_path)
    path = tmp_path / "episodes.jsonl"
    kept = path.read_text().splitlines(keepends=True)[:-1]
    path.write_text("".join(kept))
    assert "1 never made" in invoke("validate", tmp_path, code=1)
    assert "incomplete" in invoke("report", tmp_path, code=1)
    assert "1 to make (rerun-missing)" in invoke("rerun", tmp_path, "--missing")
    assert path.read_text().startswith("".join(kept))
    invoke("validate", tmp_path)


@pytest.mark.slow
def test_a_killed_run_is_taken_up_where_it_was(tmp_path):
    command = [sys.executable, "-c", "from tb_bench.cli import main; main()", "run"]
    options = ["--policy", "oracle", "--suite", "demo", "--limit", "2", "--attempts", "15"]
    options += ["--concurrency", "2", "--out"]
    episodes = tmp_path / "episodes.jsonl"
    child = subprocess.Popen([*command, *options, tmp_path], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (episodes.exists() and episodes.read_bytes().count(b"\n") >= 5):
        assert child.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "no attempt ended within two minutes"
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    before = Ledger.open(tmp_path).clean_slots()
    assert 5 <= len(before) < 30
    subprocess.run([*command, *options, tmp_path], check=True, stdout=subprocess.DEVNULL)
    ledger = Ledger.open(tmp_path)
    assert ledger.standing().complete
    assert [entry.slots for entry in ledger.lineage()] == [30, 30 - len(before)]


def test_two_policies_are_compared(folders, tmp_path):
    output = invoke("compare", folders / "base", folders / "trained", "--out", tmp_path)
    assert "base (base) -> trained (trained)" in output
    assert (tmp_path / "compare.html").exists()
    assert (tmp_path / "compare.md").exists()


def test_prices_show_what_dependability_costs(folders, tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text("[policies.base]\nprompt = 2.5\ncompletion = 10.0\n")
    output = invoke("report", folders / "base", "--prices", prices, "--out", tmp_path)
    assert "$" in output
    assert "Cost against success" in (tmp_path / "report.html").read_text()


def test_an_error_of_ours_is_a_message_with_the_remedy(tmp_path, monkeypatch, capsys):
    synthetic_ledger(tmp_path, suite=synthetic_suite({"retail": 1}), skill=0.5, attempts=1)
    monkeypatch.setattr(sys, "argv", ["tb-bench", "rerun", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--missing" in capsys.readouterr().err


def test_a_price_file_that_is_none_is_refused_with_all_that_is_wrong(folders, monkeypatch, capsys):
    prices = folders / "none.toml"
    prices.write_text("currency = 7\n")
    command = ["tb-bench", "report", str(folders / "base"), "--prices", str(prices)]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "[type=string_type, input_value=7, input_type=int]" in message
    assert "[type=missing, input_value={'currency': 7}, input_type=dict]" in message


@pytest.mark.parametrize("command", ["run", "report", "compare", "show", "validate", "rerun"])
def test_every_command_explains_itself(command):
    assert "--help" in invoke(command, "--help")
