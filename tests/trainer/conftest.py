from typing import Any, Protocol

import pytest
import torch
from transformers import PreTrainedModel

from tb_trainer.models import build_model


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


class ModelMaker(Protocol):
    def __call__(
        self, kind: str = "qwen3", *, seed: int = 0, **changes: Any
    ) -> PreTrainedModel: ...


@pytest.fixture(scope="session")
def tiny_model() -> ModelMaker:
    """Makes models of a few thousand parameters with the real architectures."""

    def make(kind: str = "qwen3", *, seed: int = 0, **changes: Any) -> PreTrainedModel:
        settings = {
            "model_type": kind,
            "vocab_size": 300,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 1024,
            "tie_word_embeddings": True,
            "initializer_range": 0.2,
        }
        if kind == "qwen3":
            settings["head_dim"] = 8
        return build_model(settings | changes, seed=seed)

    return make
