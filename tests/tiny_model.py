"""A random model of a few thousand parameters, saved as a user has one."""

from collections.abc import Sequence
from pathlib import Path

from tb_trainer.chat import family_of
from tb_trainer.chat.training import train_tokenizer
from tb_trainer.models import build_model


def save_tiny_model(path: Path, texts: Sequence[str], *, positions: int = 1024) -> Path:
    """Write a Qwen3-architecture model with a tokenizer made of ``texts``."""
    tokenizer = train_tokenizer(list(texts), family_of("qwen3"), vocab_size=400)
    settings = {
        "model_type": "qwen3",
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "max_position_embeddings": positions,
    }
    build_model(settings, seed=0).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path
