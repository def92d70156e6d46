"""The shape of a model, read from its configuration without loading a weight."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig

from tb_trainer.learners.delta_parallel import KIND, MODELS
from tb_trainer.models import attention_kinds


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What memory and divisibility depend on.

    ``attention_layers`` are of full attention and keep a growing cache. ``delta_key_heads`` is the
    number that sequence parallelism must divide in the other layers; None where there are none, or
    where they are of a kind whose heads cannot be traded.
    """

    parameters: int
    layers: int
    attention_layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    max_positions: int
    delta_key_heads: int | None = None


def read_shape(path: str) -> ModelShape:
    """Read a model directory's or hub name's configuration.

    Raises:
        OSError: there is no such model, or the hub does not answer.
        ValueError: its architecture is unknown to this transformers.
    """
    config = AutoConfig.from_pretrained(path)
    text = config.get_text_config()
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    kinds = attention_kinds(config)
    heads = int(text.num_attention_heads)
    return ModelShape(
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        layers=int(text.num_hidden_layers),
        attention_layers=sum(kind == "full_attention" for kind in kinds),
        hidden=int(text.hidden_size),
        heads=heads,
        kv_heads=int(getattr(text, "num_key_value_heads", None) or heads),
        head_dim=int(getattr(text, "head_dim", None) or text.hidden_size // heads),
        vocabulary=int(text.vocab_size),
        max_positions=int(text.max_position_embeddings),
        delta_key_heads=_delta_key_heads(text, kinds),
    )


def _delta_key_heads(text: PreTrainedConfig, kinds: Sequence[str]) -> int | None:
    known = text.model_type in MODELS and set(kinds) == {"full_attention", KIND}
    return int(text.linear_num_key_heads) if known else None
