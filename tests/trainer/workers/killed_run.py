"""A run that ends by SIGKILL at a chosen stage of its fourth step, for a process of its own."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import tb_trainer.checkpoint
import tb_trainer.run
from tb_trainer.config import load_config
from tb_trainer.engines.transformers_engine import TransformersEngine
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.metrics import MetricsWriter

KILLED_STEP = 4


def die(*_: Any, **__: Any) -> None:
    """End at once, as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def save_half(learner: TorchLearner, directory: Path) -> None:
    """Write the first bytes of a checkpoint, and end."""
    (directory / "learner.pt").write_bytes(b"PK" * 1000)
    die()


def write_half(writer: MetricsWriter, step: int, metrics: dict[str, Any]) -> None:
    """Write half a line of metrics, and end."""
    with (writer._folder / "metrics.jsonl").open("a") as file:  # pyright: ignore[reportPrivateUsage]
        file.write(json.dumps({"step": step, **metrics})[:40])
    die()


STAGES: dict[str, tuple[Any, str, Callable[..., None]]] = {
    "sampling": (TransformersEngine, "generate", die),
    "learning": (TorchLearner, "update", die),
    "validating": (tb_trainer.run, "validate", die),
    "writing a line": (MetricsWriter, "write", write_half),
    "saving": (TorchLearner, "save", save_half),
    "sealing the checkpoint": (tb_trainer.checkpoint, "_seal", die),
    "dropping an old one": (tb_trainer.checkpoint, "_drop_old", die),
}


def run_until_killed(config: Path, stage: str) -> None:
    """Begin the run, and end at the stage."""
    import tests.trainer.conftest  # noqa: F401 - registers the toy environments

    torch.set_num_threads(1)
    owner, name, end = STAGES[stage]
    train_step = tb_trainer.run.train_step

    def watched(step: int, parts: Any) -> Any:
        if step == KILLED_STEP:
            setattr(owner, name, end)
        return train_step(step, parts)

    tb_trainer.run.train_step = watched
    tb_trainer.run.train(load_config(config))
