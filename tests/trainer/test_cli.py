import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tb_trainer.cli import app

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


def test_a_run_and_an_export_from_the_command_line(model_directory: Path, tmp_path: Path) -> None:
    fields = [
        f"output={tmp_path / 'run'}", f"model.path={model_directory}", "steps=1",
        "rollout.groups=1", "rollout.group_size=2", "rollout.replacements=0",
        "rollout.max_prompt_tokens=64", "rollout.max_response_tokens=16",
        "rollout.max_turn_tokens=8",
    ]  # fmt: skip
    ran = RUNNER.invoke(app, ["run", "--env", "Toy/Letter-v0", *fields])
    assert ran.exit_code == 0, ran.output
    assert "step 1/1" in ran.output
    out = RUNNER.invoke(app, ["export", str(tmp_path / "run"), str(tmp_path / "model")])
    assert out.exit_code == 0, out.output
    assert (tmp_path / "model" / "tokenizer.json").exists()
