"""Hermes tool calls: ``<tool_call>{"name": …, "arguments": {…}}</tool_call>``.

JSON carries its own types, so arguments are taken as the model wrote them. A block that is not such
a call is kept as a call whose arguments are the model's text, never a JSON object: the environment
answers it with an error, as it answers any other bad call.
"""

import json
import re
from typing import Any, cast

from tb_envs.messages import ToolCall
from tb_envs.reading import json_text

_OPEN = "<tool_call>"
_SHUT = "</tool_call>"
_TAG = re.compile(r"</?tool_call>")
_CLOSING = re.compile(r"\s*(?:</tool_call>|\Z)")
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]*)"')


def read_hermes(text: str) -> tuple[str, tuple[ToolCall, ...]]:
    """Take the tool calls out of a turn; return the text around them and the calls in order."""
    said: list[str] = []
    calls: list[ToolCall] = []
    at = 0
    while (start := text.find(_OPEN, at)) >= 0:
        said.append(text[at:start])
        call, at = _read_block(text, start)
        calls.append(call)
    said.append(text[at:])
    return "".join(said), tuple(calls)


def _read_block(text: str, start: int) -> tuple[ToolCall, int]:
    """Read the block that opens at ``start``; return its call and the index after it."""
    begin = start + len(_OPEN)
    # Decoding first, and only then looking for the closing tag, leaves a tag inside an argument be.
    try:
        value, end = json_text.decode_at(text, begin)
    except ValueError:
        return _malformed_block(text, start)
    if (closing := _CLOSING.match(text, end)) is None:
        return _malformed_block(text, start)
    return _call_of(value, text[start : closing.end()]), closing.end()


def _malformed_block(text: str, start: int) -> tuple[ToolCall, int]:
    """Keep a block that cannot be read, up to its closing tag or the next block."""
    begin = start + len(_OPEN)
    tag = _TAG.search(text, begin)
    body_end = tag.start() if tag else len(text)
    end = tag.end() if tag and tag.group() == _SHUT else body_end
    body = text[begin:body_end].strip()
    name = found.group(1) if (found := _NAME.search(body)) else ""
    return ToolCall(name, _not_json(body, block=text[start:end])), end


def _not_json(body: str, *, block: str) -> str:
    """Return the text inside the block, or with its tags if it alone could pass for arguments.

    The text inside gives the agent a better error ("expected ',' at column 40"). The lenient
    decoder decides, because a later reader may be lenient too (``NaN``).
    """
    try:
        json.loads(body)
    except RecursionError:
        return block
    except ValueError:
        return body or block
    return block


def _call_of(value: Any, block: str) -> ToolCall:
    """Turn a decoded block into a call, or into a malformed one."""
    if not isinstance(value, dict):
        return ToolCall("", block)
    fields = cast("dict[str, Any]", value)
    name = fields.get("name")
    # A call that names a tool and nothing else has no arguments; with anything else beside the
    # name, dropping it would silently change what the model asked for.
    if not isinstance(name, str) or not fields.keys() <= {"name", "arguments", "id", "type"}:
        return ToolCall(name if isinstance(name, str) else "", block)
    arguments = fields.get("arguments", {})
    if isinstance(arguments, str):  # OpenAI's form: the arguments as JSON text
        return ToolCall(name, arguments)
    try:
        return ToolCall(name, json_text.encode(arguments))
    except ValueError:
        return ToolCall(name, block)
