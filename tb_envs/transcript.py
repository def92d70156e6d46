"""A conversation as text, for ``render`` and for people."""

from collections.abc import Iterable

from tb_envs.messages import AssistantTurn, Message


def render_transcript(items: Iterable[Message | AssistantTurn]) -> str:
    """Write messages and turns one below the other, each with who speaks."""
    return "\n".join(line for item in items for line in _lines(item))


def _lines(item: Message | AssistantTurn) -> Iterable[str]:
    if isinstance(item, AssistantTurn):
        if item.content:
            yield f"agent: {item.content}"
        for call in item.tool_calls:
            yield f"agent calls {call.name}({call.arguments})"
    else:
        speaker = f"{item.name} answers" if item.role == "tool" else item.role
        yield f"{speaker}: {item.content}"
