"""A checkpoint as a Hugging Face model directory."""

from pathlib import Path

import yaml
from torch import Tensor

from tb_envs.errors import UsageError
from tb_trainer.chat import family_of
from tb_trainer.checkpoint import RunState, latest_checkpoint, read_state
from tb_trainer.config import RunConfig
from tb_trainer.learners.torch_learner import saved_weights
from tb_trainer.models import load_model, load_tokenizer, save_model


def export_checkpoint(source: Path, directory: Path) -> RunState:
    """Write weights, configuration, tokenizer and chat template.

    Args:
        source: A checkpoint, or a run's output folder, whose newest is taken.
        directory: Where to; made if needed.

    Raises:
        UsageError: there is no checkpoint, or it is damaged.
    """
    checkpoint = latest_checkpoint(source / "checkpoints") or source
    state = read_state(checkpoint)
    written = checkpoint.parent.parent / "config.yaml"
    if not written.exists():
        raise UsageError(f"{written} is missing; a checkpoint is exported from its run's folder")
    config = RunConfig.model_validate(yaml.safe_load(written.read_text(encoding="utf-8")))
    model = load_model(config.model.path)
    tokenizer = load_tokenizer(config.model.path)
    tokenizer.chat_template = family_of(config.model.chat_template).template
    save_model(directory, _weights(config, checkpoint).items(), model, tokenizer)
    return state


def _weights(config: RunConfig, checkpoint: Path) -> dict[str, Tensor]:
    """Read a checkpoint's weights, whole, whatever number of processes wrote it."""
    if config.learner.kind == "deepspeed":
        from tb_trainer.learners.deepspeed_learner import consolidated_weights

        return consolidated_weights(checkpoint)
    return saved_weights(checkpoint)
