"""``read_turn``: a model's text as an assistant turn."""

from collections.abc import Sequence
from typing import Literal

from tb_envs.errors import UsageError
from tb_envs.messages import AssistantTurn, ToolSchema
from tb_envs.reading.hermes import read_hermes
from tb_envs.reading.qwen3_xml import read_qwen3_xml
from tb_envs.reading.reasoning import split_reasoning
from tb_envs.reading.special_tokens import cut_turn, strip_special_tokens

ToolFormat = Literal["hermes", "qwen3_xml"]


def read_turn(
    text: str,
    tools: Sequence[ToolSchema],
    *,
    tool_format: ToolFormat = "hermes",
    reasoning_open: bool = False,
) -> AssistantTurn:
    """Read a model's text as one assistant turn; never raises for what a model wrote.

    Args:
        text: The decoded completion, with or without special tokens.
        tools: The tools that the model was shown, in OpenAI form; their schemas type XML arguments.
        tool_format: How the model's chat template writes calls.
        reasoning_open: The prompt ended inside ``<think>``, as some templates leave it.

    Raises:
        UsageError: ``tool_format`` is not one of the formats.
    """
    if tool_format not in ("hermes", "qwen3_xml"):
        raise UsageError(f"got tool_format={tool_format!r}; expected 'hermes' or 'qwen3_xml'")
    reasoning, said = split_reasoning(cut_turn(text), open_at_start=reasoning_open)
    if tool_format == "hermes":
        content, calls = read_hermes(said)
    else:
        content, calls = read_qwen3_xml(said, tools)
    return AssistantTurn(strip_special_tokens(content).strip(), calls, reasoning)
