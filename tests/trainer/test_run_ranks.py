"""Whole runs on two real processes, plain or under DeepSpeed, against the run of one process."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from tb_trainer.config import load_config, render_config
from tb_trainer.export import export_checkpoint
from tb_trainer.metrics import read_lines
from tb_trainer.run import train
from tests.launch import REPOSITORY, launch

WORKER = Path(__file__).parent / "workers" / "run.py"
STEPS = 3
pytestmark = pytest.mark.slow


def deepspeed(changes: str) -> Any:
    """Stage 3 with the changes, where DeepSpeed is installed."""
    stage = "learner.kind=deepspeed learner.zero_stage=3"
    return pytest.param(f"{stage} {changes}", marks=pytest.mark.deepspeed)


def fields(model: Path, output: Path) -> list[str]:
    return [
        f"output={output}", f"model.path={model}", "model.chat_template=qwen3", f"steps={STEPS}",
        "tasks.train=[Toy/Letter-v0]", "rollout.groups=3", "rollout.group_size=4",
        "rollout.replacements=6", "rollout.max_prompt_tokens=64",
        "rollout.max_response_tokens=32", "rollout.max_turn_tokens=6", "rollout.concurrency=8",
        "learner.learning_rate=1e-3", "learner.micro_batch_tokens=128", "grpo.kl_coef=0.1",
        "grpo.updates=2",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def plain(model_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run on one process under plain torch, and its model."""
    folder = tmp_path_factory.mktemp("plain")
    train(load_config(None, fields(model_directory, folder / "run")))
    export_checkpoint(folder / "run", folder / "model")
    return folder


def run_on_two(model: Path, folder: Path, *changes: str) -> Path:
    """Make the run on two processes, which begin again after the first step."""
    config = load_config(None, [*fields(model, folder / "run"), *changes])
    (folder / "config.yaml").write_text(render_config(config))
    launch(2, WORKER, folder / "config.yaml", 1, STEPS)
    return folder


def assert_same_run(folder: Path, plain: Path) -> None:
    """Compare metrics to 1e-4, and the logits of the exported models to 1e-3."""
    mine, theirs = (read_lines(one / "run" / "metrics.jsonl") for one in (folder, plain))
    assert [line["reward"] for line in mine] == [line["reward"] for line in theirs]
    for name in ("loss", "ref_kl", "approx_kl", "entropy", "grad_norm"):
        expected = [line[name] for line in theirs]
        assert [line[name] for line in mine] == pytest.approx(expected, abs=1e-4, rel=1e-3), name
    assert theirs[-1]["ref_kl"] > 0, "the reference is the first policy, and the policy has moved"
    done = subprocess.run(
        [sys.executable, "-m", "tb_trainer.cli", "export", folder / "run", folder / "model"],
        cwd=REPOSITORY, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    torch.testing.assert_close(
        logits(folder / "model"), logits(plain / "model"), atol=1e-3, rtol=0.0
    )


@pytest.mark.parametrize(
    "changes",
    [
        "learner.sequence_parallel=2",
        deepspeed("learner.offload=all learner.gradient_checkpointing=true"),
        deepspeed("learner.sequence_parallel=2"),
    ],
)
def test_a_run_with_a_reference_resumed_and_exported_equals_that_of_one_process(
    changes: str, plain: Path, model_directory: Path, tmp_path: Path
) -> None:
    moved = (logits(model_directory) - logits(plain / "model")).abs().max()
    assert moved > 0.05, "something was learned"
    assert_same_run(run_on_two(model_directory, tmp_path, *changes.split()), plain)


@pytest.mark.deepspeed
def test_shards_are_for_as_many_processes_as_wrote_them_and_export_with_any(
    plain: Path, model_directory: Path, tmp_path: Path
) -> None:
    changes = ("learner.kind=deepspeed", "learner.offload=optimizer")
    folder = run_on_two(model_directory, tmp_path, *changes)
    assert_same_run(folder, plain)
    with pytest.raises(AssertionError, match="the shards of 2 processes, and 1 are running"):
        launch(1, WORKER, folder / "config.yaml", STEPS + 1)


def logits(model: Path) -> torch.Tensor:
    loaded: Any = AutoModelForCausalLM.from_pretrained(model)
    ids = torch.randint(300, (2, 24), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        return loaded(input_ids=ids % loaded.config.vocab_size).logits
