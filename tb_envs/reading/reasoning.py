"""Reasoning, split from what is said.

Three forms occur: ``<think>…</think>``; the same without the opening tag, because the chat template
put it into the prompt; and a thought that never closes, because the model was cut or went straight
from thinking to a tool call.
"""

import re

THINK_OPEN = "<think>"
THINK_CLOSE = "</think>"
CALL_START = re.compile(r"<tool_call>|<function=")


def split_reasoning(text: str, *, open_at_start: bool = False) -> tuple[str, str]:
    """Split a turn into reasoning and content.

    A tool call inside a closed thought is only a thought. A thought that never closes ends at its
    first tool call, if it has one, as Qwen's own servers read it.

    Args:
        text: The turn, without its end token.
        open_at_start: The prompt ended inside a thought. Text without any tag is then reasoning:
            a thought that was cut must not be told to the user.

    Returns:
        Reasoning and content; several thoughts are joined by a blank line.
    """
    thoughts: list[str] = []
    said: list[str] = []
    rest = text
    thinking = open_at_start or _closes_an_unopened_thought(text)
    while rest:
        if thinking:
            thought, rest = _take_thought(rest)
            thoughts.append(thought)
        else:
            part, rest = _take_content(rest)
            said.append(part)
        thinking = not thinking
    reasoning = "\n\n".join(thought.strip() for thought in thoughts if thought.strip())
    return reasoning, "".join(said)


def _closes_an_unopened_thought(text: str) -> bool:
    """Say whether the first ``</think>`` has no ``<think>`` before it."""
    before, closing, _ = text.partition(THINK_CLOSE)
    if not closing or THINK_OPEN in before:
        return False
    # A turn that begins with a call does not begin with a thought: the tag is in an argument.
    return CALL_START.match(text.lstrip()) is None


def _take_thought(text: str) -> tuple[str, str]:
    """Take the thought at the start of the text; return it and what follows."""
    thought, closing, rest = text.partition(THINK_CLOSE)
    if not closing and (call := CALL_START.search(text)):
        thought, rest = text[: call.start()], text[call.start() :]
    return thought.strip().removeprefix(THINK_OPEN), rest


def _take_content(text: str) -> tuple[str, str]:
    """Take what is said before the next thought; return it and what follows ``<think>``."""
    call = CALL_START.search(text)
    # After the first call nothing is a thought any more: a tag would be part of an argument.
    talk = text[: call.start()] if call else text
    said, opening, _ = talk.partition(THINK_OPEN)
    said = said.replace(THINK_CLOSE, "")  # written once too often
    if opening:
        return said, text[text.index(THINK_OPEN) + len(THINK_OPEN) :]
    return said + text[len(talk) :], ""
