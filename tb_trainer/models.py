"""Load a model, or make one from a configuration with fresh weights."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.models.auto.tokenization_auto import AutoTokenizer

from tb_envs.errors import UsageError

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def build_model(settings: Mapping[str, Any], *, seed: int) -> PreTrainedModel:
    """Make a causal language model with random weights.

    Args:
        settings: A Hugging Face configuration; ``model_type`` names the architecture.
        seed: Decides the weights.
    """
    config = AutoConfig.for_model(**settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return cast("PreTrainedModel", AutoModelForCausalLM.from_config(config))


def load_model(path: str, *, dtype: str = "float32") -> PreTrainedModel:
    """Load a model directory or hub name."""
    return cast("PreTrainedModel", AutoModelForCausalLM.from_pretrained(path, dtype=DTYPES[dtype]))


def load_tokenizer(path: str) -> PreTrainedTokenizerFast:
    """Load the tokenizer of a model directory or hub name.

    Raises:
        UsageError: it is not a fast tokenizer.
    """
    tokenizer = AutoTokenizer.from_pretrained(path)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise UsageError(
            f"{path}: got a {type(tokenizer).__name__}; training needs a fast tokenizer, one with "
            "a tokenizer.json"
        )
    return tokenizer


def save_model(
    directory: Path, weights: Iterable[tuple[str, Tensor]], model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
) -> None:  # fmt: skip
    """Write a Hugging Face model directory: configuration, weights, tokenizer, chat template.

    Args:
        directory: Made if needed.
        weights: Every parameter by name, such as a learner gives; tied ones may be listed twice.
        model: Gives configuration and ties; its own weights are not read.
        tokenizer: Carries the chat template.
    """
    model.save_pretrained(directory, state_dict=dict(weights))
    tokenizer.save_pretrained(directory)


def named_weights(model: nn.Module) -> Iterable[tuple[str, Tensor]]:
    """Every parameter under its name, tied ones under each of their names.

    A tied ``lm_head.weight`` is missing from ``named_parameters()`` and from saved models; an
    engine that keeps a head of its own would silently stay at the old one.
    """
    for name, parameter in model.named_parameters(remove_duplicate=False):
        yield name, parameter.detach()


def attention_kinds(config: PreTrainedConfig) -> list[str]:
    """Name the kind of attention of each layer, such as "full_attention".

    Most configurations list the kinds; older ones have one window for all layers.
    """
    text = config.get_text_config()
    kinds = cast("list[str] | None", getattr(text, "layer_types", None))
    if kinds is not None:
        return list(kinds)
    window = cast("int | None", getattr(text, "sliding_window", None))
    windowed = window and window < text.max_position_embeddings
    used = windowed and getattr(text, "use_sliding_window", True)
    return ["sliding_attention" if used else "full_attention"] * text.num_hidden_layers


def other_attention(config: PreTrainedConfig) -> set[str]:
    """Name the kinds of attention in a model that are not plain full attention."""
    return set(attention_kinds(config)) - {"full_attention"}


def switch_dropout_off(model: nn.Module) -> None:
    """Set every dropout rate to 0; the model can then stay in training mode.

    The engine samples without dropout. A learner with it would compare log-probabilities of
    another network, a different one in each pass; and recomputed activations need training mode.
    """
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        for name, value in vars(module).items():
            if "drop" in name and isinstance(value, float):  # attention layers keep a bare number
                setattr(module, name, 0.0)


def recompute_activations(model: PreTrainedModel) -> None:
    """Switch gradient checkpointing on; transformers renamed the call within version 5."""
    enable = getattr(model, "activation_checkpointing_enable", None)
    if enable is None:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    else:
        enable()
