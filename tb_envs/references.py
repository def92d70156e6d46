"""Resolving ``$label.path`` in a scripted call's arguments from earlier results."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

_REFERENCE = re.compile(r"^\$([a-z][a-z0-9_]*)((?:\.[A-Za-z0-9_]+)*)$")


class UnresolvedReferenceError(LookupError):
    """A reference points to a result, or a part of one, that is not there."""


def resolve(value: Any, results: Mapping[str, str]) -> Any:
    """Replace every string ``$label.path`` in a value by that part of a labelled result.

    Args:
        value: arguments as written in a task file.
        results: each label's result as the tool returned it, JSON text.

    Raises:
        UnresolvedReferenceError: the label has no result yet, or the result has no such part.
    """
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: resolve(item, results) for key, item in items}
    if isinstance(value, list):
        return [resolve(item, results) for item in cast("list[Any]", value)]
    match = _REFERENCE.match(value) if isinstance(value, str) else None
    return value if match is None else _follow(match[1], match[2], results)


def _follow(label: str, path: str, results: Mapping[str, str]) -> Any:
    if label not in results:
        raise UnresolvedReferenceError(f"no earlier call is labelled {label!r}")
    try:
        found: Any = json.loads(results[label])
        for part in path.split(".")[1:]:
            found = _part(found, part)
    except (ValueError, LookupError, TypeError):
        raise UnresolvedReferenceError(
            f"the result of {label!r} has no {path.lstrip('.')!r}: {results[label]:.200}"
        ) from None
    return found


def _part(value: Any, name: str) -> Any:
    return cast("list[Any]", value)[int(name)] if isinstance(value, list) else value[name]
