"""Reading a Gymnasium action into an assistant turn, or into a message about what is wrong."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tb_envs.messages import AssistantTurn, ToolCall

EXPECTED = (
    'an action is a string, or {"content": text, "tool_calls": [{"name": text, "arguments": JSON '
    "text}]}"
)


def read_action(action: object) -> AssistantTurn | str:
    """Read what the policy did; a string is the complaint about a malformed action.

    Whatever a model produced is answered, never raised: numpy strings, arguments given as a
    mapping instead of JSON text, and missing keys are understood where the meaning is plain.
    """
    if isinstance(action, str):
        return AssistantTurn(str(action))
    if not isinstance(action, Mapping):
        return f"malformed action: got {type(action).__name__}; {EXPECTED}"
    fields = cast("Mapping[str, Any]", action)
    unknown = sorted(str(key) for key in fields if key not in ("content", "tool_calls"))
    if unknown:
        return f"malformed action: unknown keys {', '.join(unknown)}; {EXPECTED}"
    content = fields.get("content") or ""
    calls = fields.get("tool_calls") or ()
    if not isinstance(content, str):
        return f"malformed action: `content` is {type(content).__name__}; {EXPECTED}"
    if isinstance(calls, str) or not isinstance(calls, Sequence):
        return f"malformed action: `tool_calls` is {type(calls).__name__}; {EXPECTED}"
    read: list[ToolCall] = []
    for call in cast("Sequence[object]", calls):
        tool_call = _read_call(call)
        if tool_call is None:
            return f"malformed tool call {call!r:.200}; {EXPECTED}"
        read.append(tool_call)
    return AssistantTurn(str(content), tuple(read))


def _read_call(call: object) -> ToolCall | None:
    if isinstance(call, ToolCall):
        return call
    if not isinstance(call, Mapping):
        return None
    fields = cast("Mapping[str, Any]", call)
    name, arguments = fields.get("name"), fields.get("arguments", "{}")
    if isinstance(arguments, Mapping):
        try:
            arguments = json.dumps(arguments)
        except (TypeError, ValueError):
            return None
    if not isinstance(name, str) or not isinstance(arguments, str):
        return None
    return ToolCall(str(name), str(arguments))
