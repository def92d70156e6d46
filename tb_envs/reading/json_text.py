"""JSON text: strict in what it reads, safe in what it writes."""

import json
import re
from typing import Any, NoReturn


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_SPACE = re.compile(r"\s*")
_FIRST_LETTERS = frozenset('{["-0123456789tfnNI')
_DECODER = json.JSONDecoder(parse_constant=_refuse)


def decode_at(text: str, start: int) -> tuple[Any, int]:
    """Decode the JSON value at ``start``, after white space; return it and the index after it.

    Raises:
        ValueError: there is no JSON value, it holds NaN or Infinity, or it is nested too deeply.
    """
    space = _SPACE.match(text, start)
    begin = space.end() if space else start
    if text[begin : begin + 1] not in _FIRST_LETTERS:  # cheaper than the decoder's own error
        raise ValueError("no JSON value")
    try:
        return _DECODER.raw_decode(text, begin)
    except RecursionError:
        raise ValueError("the JSON value is nested too deeply") from None


def decode(text: str) -> Any:
    """Decode a text that is one JSON value.

    Raises:
        ValueError: it is not.
    """
    body = text.strip()
    value, end = decode_at(body, 0)
    if end != len(body):
        raise ValueError(f"text after the JSON value, at character {end}")
    return value


def encode(value: Any) -> str:
    """Write a value as JSON text: readable, or in ASCII where UTF-8 could not hold it.

    Raises:
        ValueError: the value holds an infinite number or is nested too deeply.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, written as an escape by the model
        return json.dumps(value, allow_nan=False)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    return text
