"""Special tokens that a decoder may leave in a turn's text."""

import re

# A turn is over at the first of these: what follows was never said to anyone.
_END_OF_TURN = re.compile(r"<\|(?:im_end|endoftext|eot_id|eom_id|end_of_text)\|>")
_HEADER = re.compile(
    r"\A\s*(?:<\|begin_of_text\|>)?"
    r"(?:<\|im_start\|>\s*assistant\b|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>)\s*"
)
_STRAY = re.compile(
    r"<\|(?:im_start|begin_of_text|start_header_id|end_header_id|finetune_right_pad_id)\|>"
)


def cut_turn(text: str) -> str:
    """Cut the text to one assistant turn: no header before it, nothing after its end token."""
    body = text[header.end() :] if (header := _HEADER.match(text)) else text
    return _END_OF_TURN.split(body, maxsplit=1)[0]


def strip_special_tokens(text: str) -> str:
    """Remove the special tokens that stand inside a turn."""
    return _STRAY.sub("", text)
