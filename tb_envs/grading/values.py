"""Comparing a value from a task file with a value from a row.

Rows come as PostgreSQL's ``to_jsonb`` writes them; task files hold YAML scalars. Numbers compare
numerically, timestamps as instants, everything else exactly; a mapping with one matcher key
(``contains``, ``matches``, ``one_of``, ``any``) compares by its rule.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, cast

MATCHERS = ("contains", "matches", "one_of", "any")


def values_match(expected: Any, actual: Any) -> bool:
    """Say whether a row's value is the expected one (or meets the matcher)."""
    matcher = _matcher(expected)
    if matcher is None:
        return _equal(expected, actual)
    kind, argument = matcher
    if kind == "any":
        return (actual is not None) == bool(argument)
    if kind == "one_of":
        return any(_equal(choice, actual) for choice in cast("list[Any]", argument))
    text = "" if actual is None else str(actual)
    if kind == "matches":
        return re.search(str(argument), text, re.IGNORECASE | re.DOTALL) is not None
    needles = cast("list[Any]", argument) if isinstance(argument, list) else [argument]
    return all(str(needle).casefold() in text.casefold() for needle in needles)


def mismatches(expected: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the columns that differ, each with its expected and actual value."""
    return {
        column: (value, row.get(column))
        for column, value in expected.items()
        if column not in row or not values_match(value, row[column])
    }


def describe(expected: Mapping[str, Any]) -> str:
    """Write expected or actual columns in one line."""
    return ", ".join(f"{column}={show(value)}" for column, value in expected.items())


def describe_mismatches(differences: Mapping[str, tuple[Any, Any]]) -> str:
    """Write each differing column as ``column: expected x, got y``."""
    parts: Iterable[str] = (
        f"{column}: expected {show(expected)}, got {show(actual)}"
        for column, (expected, actual) in differences.items()
    )
    return "; ".join(parts)


def show(value: Any) -> str:
    """Write a value or matcher for a reader."""
    matcher = _matcher(value)
    if matcher is not None:
        kind, argument = matcher
        return (
            ("any value" if argument else "no value") if kind == "any" else f"{kind} {argument!r}"
        )
    return "null" if value is None else repr(value)


def _matcher(value: Any) -> tuple[str, Any] | None:
    if isinstance(value, dict):
        items = list(cast("dict[str, Any]", value).items())
        if len(items) == 1 and items[0][0] in MATCHERS:
            return items[0]
    return None


def _equal(expected: Any, actual: Any) -> bool:
    if expected is None or actual is None:
        return expected is actual
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, list | dict) or isinstance(actual, list | dict):
        return expected == actual
    if isinstance(expected, int | float) or isinstance(actual, int | float):
        return _number(expected) == _number(actual) is not None
    return expected == actual or _instant(expected) == _instant(actual) is not None


def _number(value: Any) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _instant(text: Any) -> datetime | None:
    """Read an ISO timestamp; one without an offset is taken as UTC, the server's time zone."""
    if len(str(text)) < len("2026-01-01T00:00"):
        return None
    try:
        instant = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
