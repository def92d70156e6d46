"""The chat-template families that are shipped, each an append-only Jinja template.

Append-only means: the rendering of a conversation is a prefix of the rendering of the same
conversation with more messages. Templates that model makers publish often are not (Qwen3's drops
the reasoning of earlier turns), and then the tokens that were sampled cannot be the tokens that
are trained. The control tokens and the call format are each family's own.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tb_envs.errors import UsageError

_TEMPLATES = Path(__file__).parent / "templates"

ReadingFormat = Literal["hermes", "qwen3_xml"]


@dataclass(frozen=True, slots=True)
class ChatFamily:
    """A template with what must be known to use it.

    ``end_of_turn`` is the token that closes every message; ``reading`` names the call format
    that ``tb_envs.reading`` understands; ``control_tokens`` must each be one token.
    """

    name: str
    end_of_turn: str
    reading: ReadingFormat
    control_tokens: tuple[str, ...]
    markup_tokens: tuple[str, ...] = ("<tool_call>", "</tool_call>")

    @property
    def template(self) -> str:
        """The Jinja source, in the dialect of transformers."""
        return (_TEMPLATES / f"{self.name}.jinja").read_text(encoding="utf-8")


_CHATML = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
_LLAMA3 = (
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|end_of_text|>",
)
_THINK = ("<think>", "</think>")
_CALLS = ("<tool_call>", "</tool_call>")
# What the compact template writes around every turn and every call, each piece one token, so that a
# very small model spends its steps on names and arguments.
_TURNS = ("\n<|im_start|>assistant\n", "\n<|im_start|>tool\n", "\n<|im_start|>user\n")
_CALL_PARTS = ('<tool_call>\n{"name": "', '", "arguments": {"', '"}}\n</tool_call>')

FAMILIES: dict[str, ChatFamily] = {
    family.name: family
    for family in (
        ChatFamily("qwen2_5", "<|im_end|>", "hermes", _CHATML),
        ChatFamily("qwen3", "<|im_end|>", "hermes", _CHATML, _CALLS + _THINK),
        ChatFamily("qwen3_coder", "<|im_end|>", "qwen3_xml", _CHATML),
        ChatFamily("llama3", "<|eot_id|>", "hermes", _LLAMA3, ()),
        ChatFamily("compact", "<|im_end|>", "hermes", _TURNS + _CHATML, _CALL_PARTS + _CALLS),
    )
}


def family_of(name: str) -> ChatFamily:
    """Look a family up by name.

    Raises:
        UsageError: there is no such family.
    """
    if name not in FAMILIES:
        raise UsageError(f"chat template {name!r} is unknown; shipped are {', '.join(FAMILIES)}")
    return FAMILIES[name]
