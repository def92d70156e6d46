"""Variants that are one task under two names: the same right end by the same calls and checks.

Identifiers, amounts, dates and free text do not count; the names of tools, arguments, tables,
columns and codes do. Two such variants may still differ in why, which no program sees; but where
nothing that is done differs, an author should have a closer look.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from tb_envs.specs import Task

_IDENTIFYING = re.compile(r"[\d@$ ]")
_LITERAL = re.compile(r"'[^']*'|\b\d+(?:\.\d+)?\b")


def twins(family: Sequence[Task]) -> dict[str, str]:
    """Each task of a family that repeats an earlier one, with the one that it repeats."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for task in family:
        earlier = first.setdefault(_signature(task), task.id)
        if earlier != task.id:
            found[task.id] = earlier
    return found


def _signature(task: Task) -> str:
    variant = task.variant
    calls = [(step.call, _masked(step.with_)) for step in variant.oracle if step.call]
    checks = [
        _LITERAL.sub(_masked_literal, " ".join(check.sql.split()))
        for check in variant.expect.checks
    ]
    changes = [_masked(rule.model_dump(mode="json")) for rule in variant.expect.changes]
    return json.dumps([variant.right_end, calls, checks, changes], sort_keys=True)


def _masked(value: Any) -> Any:
    """A value without what only identifies: codes and words stay, ids, numbers and texts do not."""
    if isinstance(value, dict):
        return {name: _masked(item) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_masked(item) for item in cast("list[Any]", value)]
    if value is None or isinstance(value, bool):
        return value
    return "#" if _IDENTIFYING.search(str(value)) else value


def _masked_literal(match: re.Match[str]) -> str:
    return "#" if _IDENTIFYING.search(match.group()) else match.group()
