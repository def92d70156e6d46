"""Talking to the user as a tool, for clients that act through tool calls alone."""

import json
from typing import cast

from tb_envs.errors import ToolRefusal
from tb_envs.tools.tool import ToolInfo

TALK = ToolInfo(
    name="message_user",
    description="Send a message to the user and get the answer. Use it to ask, and to report.",
    input_schema={
        "type": "object",
        "properties": {"message": {"type": "string", "description": "What you say."}},
        "required": ["message"],
        "additionalProperties": False,
    },
    read_only=True,
)

HOW_TO_TALK = (
    "Only the tool message_user reaches the user. A turn without a tool call ends your work."
)
"""What such a client's agent is told after the system prompt, which speaks of plain messages."""


def read_message(arguments: str) -> str:
    """Read the message out of a call's arguments.

    Raises:
        ToolRefusal: there is no message in them.
    """
    try:
        fields: object = json.loads(arguments)
    except (ValueError, RecursionError) as error:
        raise ToolRefusal(f"arguments: not valid JSON: {error}") from None
    message = cast("dict[str, object]", fields).get("message") if isinstance(fields, dict) else None
    if not isinstance(message, str):
        raise ToolRefusal("message: expected a text")
    return message
