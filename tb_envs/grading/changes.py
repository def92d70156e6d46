"""Comparing what changed with what was allowed to change.

Each net change must be explained by one rule, and each rule must find as many changes as its
count says. Rules can overlap, so changes are assigned by augmenting paths (Kuhn's algorithm for
bipartite matching): a right end is never failed for the order in which rules stand.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tb_envs.episode import Change
from tb_envs.grading.values import describe, describe_mismatches, mismatches, values_match
from tb_envs.outcome import CheckResult
from tb_envs.specs.models import ChangeRule, Count, DeleteRule, InsertRule, UpdateRule

Differences = dict[str, tuple[Any, Any]]

NO_CHANGE = "no change"
"""What a result expects in the place of a change that no rule explains."""

_ROOM = {"optional": 1, "any": math.inf}
"""How many changes a rule takes that needs none."""


@dataclass(frozen=True, slots=True)
class ColumnRules:
    """What a domain says of its columns.

    ``free`` are never compared (``column`` or ``table.column``); ``defaults`` are the values that
    an inserted row has where nothing was said, by table.
    """

    free: frozenset[str]
    defaults: Mapping[str, Mapping[str, Any]]

    def is_free(self, table: str, column: str) -> bool:
        """Say whether the domain leaves the column uncompared."""
        return column in self.free or f"{table}.{column}" in self.free


def grade_changes(
    changes: Sequence[Change], rules: Sequence[ChangeRule], columns: ColumnRules
) -> list[CheckResult]:
    """Grade net changes: a result for each rule, and a failed one for each unexplained change."""
    differences = [[explain(change, rule, columns) for rule in rules] for change in changes]
    assigned = _assign(differences, [rule.count for rule in rules])
    loose = [index for index in range(len(changes)) if index not in assigned]
    results = [
        _rule_result(
            rule,
            found=sum(1 for target in assigned.values() if target == index),
            near=_nearest(index, loose, differences),
        )
        for index, rule in enumerate(rules)
    ]
    return results + [_unexplained(changes[index], differences[index]) for index in loose]


def explain(change: Change, rule: ChangeRule, columns: ColumnRules) -> Differences | None:
    """Return in what a change differs from a rule; None if the rule is about something else."""
    if isinstance(rule, InsertRule):
        if (change.op, change.table) != ("insert", rule.insert) or change.after is None:
            return None
        return _insert_differences(change.after, rule, columns)
    if isinstance(rule, DeleteRule):
        if (change.op, change.table) != ("delete", rule.delete) or change.before is None:
            return None
        return mismatches(rule.where, change.before)
    if (change.op, change.table) != ("update", rule.update) or change.after is None:
        return None
    return _update_differences(change, change.after, rule, columns)


def _insert_differences(
    row: Mapping[str, Any], rule: InsertRule, columns: ColumnRules
) -> Differences:
    found = mismatches(rule.row, row)
    defaults = columns.defaults.get(rule.insert, {})
    for column, value in row.items():
        if column in rule.row or column in rule.free or columns.is_free(rule.insert, column):
            continue
        default = defaults.get(column)
        if not values_match(default, value):
            found[column] = (default, value)
    return found


def _update_differences(
    change: Change, after: Mapping[str, Any], rule: UpdateRule, columns: ColumnRules
) -> Differences:
    picked = mismatches(rule.where, after)
    if picked:
        return picked
    found = mismatches(rule.set, after)
    before = change.before or {}
    for column in change.columns:
        allowed = column in rule.set or column in rule.free
        if not allowed and not columns.is_free(rule.update, column):
            found[column] = (before.get(column), after[column])
    return found


def _assign(
    differences: Sequence[Sequence[Differences | None]], counts: Sequence[Count]
) -> dict[int, int]:
    """Assign changes to rules that explain them fully; returns change index -> rule index.

    Rules that need their changes are filled first, among themselves; what is left over goes to the
    others too. An augmenting path moves changes but empties no place, so what "optional" and "any"
    would take never starves a rule that needs it.
    """
    room = [_ROOM[count] if isinstance(count, str) else count for count in counts]
    every = range(len(counts))
    needing = [rule for rule in every if isinstance(counts[rule], int)]
    assigned: dict[int, int] = {}

    def place(change: int, rules: Sequence[int], tried: set[int]) -> bool:
        for rule in rules:
            if rule in tried or differences[change][rule] != {}:
                continue
            tried.add(rule)
            holders = [held for held, target in assigned.items() if target == rule]
            if len(holders) < room[rule] or any(place(held, rules, tried) for held in holders):
                assigned[change] = rule
                return True
        return False

    for rules in (needing, every):
        for change in range(len(differences)):
            if change not in assigned:
                place(change, rules, set())
    return assigned


def _nearest(
    rule: int, loose: Sequence[int], differences: Sequence[Sequence[Differences | None]]
) -> Differences | None:
    """The differences of the unexplained change that comes closest to a rule."""
    rows = [row for row in (differences[index][rule] for index in loose) if row]
    return min(rows, key=len, default=None)


def _rule_result(rule: ChangeRule, found: int, near: Differences | None) -> CheckResult:
    wanted = rule.count
    passed = isinstance(wanted, str) or found == wanted
    if passed:
        return CheckResult(kind="change", name=_rule_name(rule), passed=True)
    reason = f"expected {wanted} such change{'' if wanted == 1 else 's'}, found {found}"
    if near:
        reason += f"; the nearest differs: {describe_mismatches(near)}"
    return CheckResult(
        kind="change",
        name=_rule_name(rule),
        passed=False,
        reason=reason,
        expected=str(wanted),
        actual=str(found),
    )


def _rule_name(rule: ChangeRule) -> str:
    if isinstance(rule, InsertRule):
        return f"insert {rule.insert}({describe(rule.row)})"
    if isinstance(rule, UpdateRule):
        return f"update {rule.update}({describe(rule.where)}): {describe(rule.set)}"
    return f"delete {rule.delete}({describe(rule.where)})"


def _unexplained(change: Change, differences: Sequence[Differences | None]) -> CheckResult:
    near = min((row for row in differences if row), key=len, default=None)
    reason = "nothing allows this change"
    if near:
        reason += f"; the nearest rule differs: {describe_mismatches(near)}"
    elif any(row == {} for row in differences):
        reason = "the rule that allows such a change has no more room: it happened too often"
    row = change.after if change.op == "insert" else change.before
    actual = (
        {name: (change.after or {})[name] for name in change.columns}
        if change.op == "update"
        else row or {}
    )
    return CheckResult(
        kind="change",
        name=f"no other {change.op} in {change.table}({describe(change.key)})",
        passed=False,
        reason=reason,
        expected=NO_CHANGE,
        actual=describe(actual),
    )
