"""What a tool returns, as the text that the agent reads: compact JSON, or prose as it is."""

import datetime as dt
import json
from decimal import Decimal
from typing import Any
from uuid import UUID


def write_result(value: Any) -> str:
    """Write a tool's return value as JSON text; a plain string stays as it is.

    Dates are ISO 8601, decimals are numbers, UUIDs are strings.

    Raises:
        TypeError: the value holds something that JSON cannot.
    """
    return value if isinstance(value, str) else _encode(value)


def plain_number(value: Decimal) -> int | float:
    """Write a decimal as the JSON number that looks most like it."""
    if value.is_finite() and value == value.to_integral_value():
        return int(value)
    return float(value)


def _plain(value: object) -> object:
    match value:
        case Decimal():
            return plain_number(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case UUID():
            return str(value)
        case _:
            raise TypeError(f"a tool's result holds a {type(value).__name__}: {value!r}")


_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain
).encode
