"""Weights from a GGUF file, as small models are often published, as a Hugging Face directory."""

import importlib.util
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM
from transformers.models.auto.tokenization_auto import AutoTokenizer

from tb_envs.errors import UsageError

NEEDED = ("gguf", "accelerate")


def import_gguf(source: str, directory: Path) -> Path:
    """Write a model directory with the file's weights, made float32, and its tokenizer.

    Args:
        source: A GGUF file, or an installed package that holds exactly one.
        directory: Where to; made if needed.

    Returns:
        The file that was read.

    Raises:
        UsageError: there is no such file, or a library that reads it is missing.
    """
    file = _find(source)
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"reading GGUF needs {' and '.join(missing)}: pip install them")
    model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name)
    # The weights are plain numbers now, but the model still thinks of itself as quantized.
    model.hf_quantizer, model.is_quantized = None, False
    del model.config.quantization_config
    model.config.architectures = [type(model).__name__]
    model.save_pretrained(directory)
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(directory)
    return file


def _find(source: str) -> Path:
    if source.endswith(".gguf"):
        if not Path(source).is_file():
            raise UsageError(f"there is no file {source}")
        return Path(source)
    spec = importlib.util.find_spec(source) if source.isidentifier() else None
    if spec is None or spec.origin is None:
        raise UsageError(
            f"got {source!r}; expected a .gguf file or the name of an installed package with one"
        )
    files = sorted(Path(spec.origin).parent.rglob("*.gguf"))
    if len(files) != 1:
        raise UsageError(
            f"the package {source} holds {len(files)} GGUF files; name one by its path"
        )
    return files[0]
