"""The records that a policy and an environment exchange: messages, calls, results.

They are frozen, hold no behaviour, and map one to one onto OpenAI's chat format and MCP's results.
"""

from typing import Any, Literal, NamedTuple, TypedDict

Role = Literal["system", "user", "assistant", "tool"]


class ToolCall(NamedTuple):
    """One call that the model asked for.

    ``arguments`` is JSON text as the model wrote it: it may be malformed.
    """

    name: str
    arguments: str


class ToolResult(NamedTuple):
    """The answer to one call, in MCP's terms.

    ``content`` is JSON text or prose; ``is_error`` marks a refusal that the agent can act on.
    """

    content: str
    is_error: bool = False


class AssistantTurn(NamedTuple):
    """One turn of the policy: text and the calls it asks for.

    ``reasoning`` is the model's private thinking; environment and user never see it.
    """

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""


class Message(NamedTuple):
    """One message of an observation. ``name`` is the tool's name for role "tool", else empty."""

    role: Role
    name: str
    content: str


class ObservedMessage(TypedDict):
    """A message as it stands in a Gymnasium observation."""

    role: str
    name: str
    content: str


class ActionCall(TypedDict):
    """A tool call as it stands in a Gymnasium action."""

    name: str
    arguments: str


class ActionTurn(TypedDict):
    """An assistant turn as a Gymnasium action."""

    content: str
    tool_calls: tuple[ActionCall, ...]


Observation = tuple[ObservedMessage, ...]
Action = ActionTurn | str

ToolSchema = dict[str, Any]
"""A tool in OpenAI form: ``{"type": "function", "function": {name, description, parameters}}``."""


def action_of(turn: AssistantTurn) -> ActionTurn:
    """Turn a record into the Gymnasium action that an environment takes."""
    calls = tuple(ActionCall(name=call.name, arguments=call.arguments) for call in turn.tool_calls)
    return ActionTurn(content=turn.content, tool_calls=calls)
