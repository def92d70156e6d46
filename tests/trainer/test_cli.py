import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tb_envs.errors import UsageError
from tb_envs.specs import find_task
from tb_trainer.cli import app, main
from tb_trainer.metrics import read_lines
from tests.trainer.locker_run import CASE

RUNNER = CliRunner()


@pytest.mark.parametrize("command", ["run", "plan", "export", "probe", "select", "warm-start"])
def test_every_command_has_help(command: str) -> None:
    result = RUNNER.invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_launchers_start_it_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tb_trainer.cli", "run", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "Usage" in done.stdout


def test_plan_says_go_or_no_go_by_its_exit_code(model_directory: Path, tmp_path: Path) -> None:
    fields = [
        f"output={tmp_path}", f"model.path={model_directory}", "rollout.max_prompt_tokens=64",
        "rollout.max_response_tokens=64", "rollout.max_turn_tokens=8",
    ]  # fmt: skip
    go = RUNNER.invoke(app, ["plan", "--env", "Toy/Letter-v0", *fields])
    assert go.exit_code == 0, go.output
    assert "go" in go.output
    no_go = RUNNER.invoke(app, ["plan", "--env", "No/Such-v0", *fields, "grpo.updates=99"])
    assert no_go.exit_code == 1
    assert "2 faults" in no_go.output


def fields(model: Path, output: Path) -> list[str]:
    return [
        f"output={output}", f"model.path={model}", "rollout.groups=1", "rollout.group_size=2",
        "rollout.replacements=0", "rollout.max_prompt_tokens=512", "model.tools=[]",
        "model.system_prompt=Desk.", "rollout.max_response_tokens=16", "rollout.max_turn_tokens=8",
    ]  # fmt: skip


def test_a_run_is_begun_resumed_and_exported_from_the_command_line(
    model_directory: Path, tmp_path: Path
) -> None:
    run = ["run", "--env", "Toy/Letter-v0", *fields(model_directory, tmp_path / "run")]
    begun = RUNNER.invoke(app, [*run, "steps=1"])
    assert begun.exit_code == 0, begun.output
    assert "step 1/1" in begun.output
    again = RUNNER.invoke(app, [*run, "steps=2"])
    assert isinstance(again.exception, UsageError)
    assert "resume it" in str(again.exception)
    resumed = RUNNER.invoke(app, [*run, "--resume", "steps=2"])
    assert resumed.exit_code == 0, resumed.output
    assert "step 2/2" in resumed.output
    assert "step 1/2" not in resumed.output
    out = RUNNER.invoke(app, ["export", str(tmp_path / "run"), str(tmp_path / "model")])
    assert out.exit_code == 0, out.output
    assert (tmp_path / "model" / "tokenizer.json").exists()


def test_a_run_refuses_a_prompt_that_is_too_long_before_anything_starts(
    model_directory: Path, tmp_path: Path
) -> None:
    chosen = ["--env", "Toy/Letter-v0", f"tasks.held_out=[{CASE}]"]
    changes = [*fields(model_directory, tmp_path / "run"), "rollout.max_prompt_tokens=16"]
    ran = RUNNER.invoke(app, ["run", *chosen, *changes, "steps=1"])
    assert isinstance(ran.exception, UsageError)
    assert f"the first prompt of {CASE} has" in str(ran.exception)
    assert "more than rollout.max_prompt_tokens = 16" in str(ran.exception)
    assert "set rollout.max_prompt_tokens=" in str(ran.exception)
    assert not (tmp_path / "run").exists()


@pytest.fixture
def pool(tmp_path: Path) -> str:
    task = find_task("hotel-downgrade.approval-missing")
    path = tmp_path / "pool.json"
    path.write_text(json.dumps({"tasks": [{"id": task.id, "hash": task.hash}]}))
    return str(path)


@pytest.mark.parametrize(
    ("env", "trained"),
    [
        ("ThinkingBox/hotel-downgrade-v0", "ThinkingBox/hotel-downgrade-v0"),
        ("demo", "hotel-downgrade."),
        ("locker-request", "locker-request."),
        ("POOL", "hotel-downgrade.approval-missing"),
        ("Toy/Letter-v0", "Toy/Letter-v0"),
        ("tests.trainer.other_suite:Other/Greeting-v0", "Other/Greeting-v0"),
    ],
)
def test_run_trains_on(
    env: str, trained: str, pool: str, model_directory: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """One of our ids, a split, a family, a pool file, and environments that are not ours."""
    monkeypatch.setenv("TB_DATABASE", "embedded")
    chosen = pool if env == "POOL" else env
    changes = fields(model_directory, tmp_path / "run")
    ran = RUNNER.invoke(app, ["run", "--env", chosen, *changes, "steps=1"])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    (entry,) = read_lines(tmp_path / "run" / "ledger.jsonl")
    assert entry["task"].startswith(trained)
    assert len(entry["rewards"]) == 2
    assert entry["failures"] == []


def test_a_known_error_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["tb-train", "run", "--env", "x", "output=o", "model.path=m",
                                      "learner.lerning_rate=1"])  # fmt: skip
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "learner.lerning_rate: unknown key; the nearest is learner.learning_rate" in (
        " ".join(capsys.readouterr().err.split())
    )


def test_an_error_with_brackets_is_shown_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["tb-train", "run", "output=o", "model.path=[gpu][/gpu]"])
    with pytest.raises(SystemExit):
        main()
    assert "override 'model.path=[gpu][/gpu]'" in " ".join(capsys.readouterr().err.split())
