"""Weights as a file, for engines that do not live in this process."""

import os
from pathlib import Path

from safetensors.torch import save_file

from tb_trainer.engines.protocol import WeightSource


def write_weights(source: WeightSource, folder: Path) -> Path:
    """Write every parameter, tied ones under each name, and return the folder.

    A saved model leaves a tied ``lm_head.weight`` out, and an engine that keeps its own head would
    stay at the old one; so this is not ``save_pretrained``. The file is renamed into place: a
    server never reads half of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / ".draft"
    tensors = {name: tensor.detach().cpu().clone() for name, tensor in source()}
    save_file(tensors, draft, metadata={"format": "pt"})
    os.replace(draft, folder / "model.safetensors")
    return folder
