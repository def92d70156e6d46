"""Refusals in words: what was wrong with a call, so that an agent can mend it."""

import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

import psycopg
from pydantic_core import ErrorDetails, ValidationError

from tb_envs.tools.results import plain_number

_SHOWN = 80
_MESSAGE = 400
_WANTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "decimal_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "date_type": "a date as YYYY-MM-DD",
    "datetime_type": "a time in ISO 8601, such as 2025-03-01T09:30:00+00:00",
    "none_required": "null",
}
_LIMITS: dict[str, Callable[[dict[str, Any]], str]] = {
    "literal_error": lambda limit: f"one of {limit['expected']}",
    "enum": lambda limit: f"one of {limit['expected']}",
    "greater_than_equal": lambda limit: f"at least {limit['ge']}",
    "greater_than": lambda limit: f"more than {limit['gt']}",
    "less_than_equal": lambda limit: f"at most {limit['le']}",
    "less_than": lambda limit: f"less than {limit['lt']}",
    "string_too_short": lambda limit: f"at least {limit['min_length']} characters",
    "string_too_long": lambda limit: f"at most {limit['max_length']} characters",
    "too_short": lambda limit: f"at least {limit['min_length']} items",
    "too_long": lambda limit: f"at most {limit['max_length']} items",
    "string_pattern_mismatch": lambda limit: f"text that matches {limit['pattern']}",
}


def explain_arguments(error: ValidationError, schema: dict[str, Any]) -> str:
    """Say what is wrong with a call's arguments, one problem after the other.

    Args:
        error: What the validator found.
        schema: The tool's input schema, to name the arguments that there are.
    """
    problems = error.errors(include_url=False)
    return "; ".join(dict.fromkeys(_explain(problem, schema) for problem in problems))


def _explain(problem: ErrorDetails, schema: dict[str, Any]) -> str:
    kind, place, got = problem["type"], problem["loc"], problem.get("input")
    context = problem.get("ctx", {})
    if kind == "json_invalid":
        return f"arguments: not valid JSON: {context.get('error', problem['msg'])}"
    if not place:
        return f"arguments: got {shorten(got)}, expected a JSON object"
    path = write_path(place)
    if kind == "missing":
        return f"{path}: missing"
    if kind == "extra_forbidden":
        return f"{path}: unknown argument{_allowed(place, schema)}"
    wanted = _WANTED.get(kind) or (_LIMITS[kind](context) if kind in _LIMITS else "")
    if wanted:
        return f"{path}: got {shorten(got)}, expected {wanted}"
    return f"{path}: got {shorten(got)}: {problem['msg']}"


def write_path(place: tuple[int | str, ...]) -> str:
    """Write where in the arguments something stands, as ``lines[0].amount``."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place).lstrip(".")


def _allowed(place: tuple[int | str, ...], schema: dict[str, Any]) -> str:
    """Name the arguments that there are, for an unknown one at the top."""
    if len(place) > 1:
        return ""
    names = list(schema["properties"])
    return f"; expected {', '.join(names)}" if names else "; this tool takes no arguments"


def shorten(value: object) -> str:
    """Write a value as JSON, cut to a readable length."""
    text = json.dumps(value, ensure_ascii=False, default=_readable)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _readable(value: object) -> object:
    return plain_number(value) if isinstance(value, Decimal) else str(value)


def explain_unknown_tool(name: str, names: Iterable[str]) -> str:
    """Say that there is no such tool, and which one may have been meant."""
    known = sorted(names)
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"the tools are {', '.join(known)}"
    return f"There is no tool {shorten(name)}; {hint}"


def explain_database_refusal(error: psycopg.Error) -> str:
    """Say which rule of the database a call broke, without SQL or other rows' contents."""
    message = _database_message(error)
    return message if len(message) <= _MESSAGE else f"{message[: _MESSAGE - 3]}..."


def _database_message(error: psycopg.Error) -> str:
    diagnostics = error.diag
    message = diagnostics.message_primary or str(error)
    match error:
        case psycopg.errors.ForeignKeyViolation() | psycopg.errors.UniqueViolation():
            return f"The database refused this: {diagnostics.message_detail or message}"
        case psycopg.errors.NotNullViolation():
            return f"The database refused this: {diagnostics.column_name} must have a value"
        case psycopg.errors.IntegrityError() if diagnostics.constraint_name:
            rule = diagnostics.constraint_name.replace("_", " ")
            return f"The database refused this: it breaks the rule '{rule}'"
        case psycopg.errors.RaiseException():
            return message
        case _:
            return f"The database refused a value: {message}"
