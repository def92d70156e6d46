"""Weights in a directory as a policy, through the trainer's own engines and templates."""

from pathlib import Path
from tempfile import gettempdir
from typing import Literal, cast

import torch
from transformers import AutoConfig, PreTrainedTokenizerFast

from tb_envs.errors import UsageError
from tb_trainer.build import make_engine
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.chat.families import FAMILIES, ChatFamily
from tb_trainer.config import EngineConfig
from tb_trainer.models import load_tokenizer
from tb_trainer.policy import EnginePolicy, SamplingLimits
from tb_trainer.selection.policies import PolicySettings


def local_policy(name: str, settings: PolicySettings) -> EnginePolicy:
    """Load a model and make it play.

    Args:
        name: ``hf:DIR`` for transformers, ``vllm:DIR`` for vLLM.
        settings: Temperature, template and lengths.

    Raises:
        UsageError: the tokenizer's template is not a shipped one and none was named.
    """
    kind, _, where = name.partition(":")
    tokenizer = load_tokenizer(where)
    codec = ChatCodec(tokenizer, _family(where, tokenizer, settings.chat_template))
    context = min(settings.context_tokens, _longest(where))
    engine_kind: Literal["transformers", "vllm"] = "vllm" if kind == "vllm" else "transformers"
    dtype = "bfloat16" if torch.cuda.is_available() else "float32"
    engine = make_engine(EngineConfig(kind=engine_kind), where, dtype, context, Path(gettempdir()))
    limits = SamplingLimits(
        temperature=1.0 if settings.temperature is None else settings.temperature,
        max_prompt_tokens=context // 2,
        max_response_tokens=context - context // 2,
        max_turn_tokens=settings.turn_tokens,
    )
    return EnginePolicy(engine, codec, limits, name=name, seed=0)


def _family(where: str, tokenizer: PreTrainedTokenizerFast, named: str | None) -> ChatFamily:
    if named is not None:
        return family_of(named)
    carried = cast("object", tokenizer.chat_template)
    for family in FAMILIES.values():
        if carried == family.template:
            return family
    raise UsageError(
        f"{where} carries a chat template that is not one of the shipped ones "
        f"({', '.join(FAMILIES)}); name the model's family with --chat-template"
    )


def _longest(where: str) -> int:
    """The model's own limit; without one, the settings' default stands in."""
    config = cast("object", AutoConfig.from_pretrained(where))
    longest = getattr(config, "max_position_embeddings", None)
    return int(longest) if longest else PolicySettings().context_tokens
