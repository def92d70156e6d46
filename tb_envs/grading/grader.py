"""The verdict: checks, changes, records and rubrics on the final database.

Everything must hold. A check that cannot be evaluated is a ``GradingFailure``, never a "no".
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import psycopg
from psycopg import Connection

from tb_envs.database import CheckAnswer
from tb_envs.episode import Change
from tb_envs.errors import GradingFailure
from tb_envs.grading.changes import ColumnRules, grade_changes
from tb_envs.grading.defaults import column_defaults
from tb_envs.grading.order import grade_order
from tb_envs.grading.values import describe, describe_mismatches, mismatches
from tb_envs.outcome import CheckResult, Grade
from tb_envs.specs import Task
from tb_envs.specs.models import Check, ExpectedRecord, Rubric


class FinalDatabase(Protocol):
    """What grading reads of an episode's database, all of it read-only."""

    def run_checks(self, checks: Sequence[str]) -> list[CheckAnswer]:
        """Evaluate predicates in one read-only transaction."""
        ...

    def fetch_records(self, table: str, key: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows whose columns equal ``key``."""
        ...

    @property
    def owner(self) -> Connection[Any]:
        """The owner's connection, rows as dicts."""
        ...


JudgeRubric = Callable[[Rubric], CheckResult]


def grade_task(
    task: Task,
    database: FinalDatabase,
    changes: Sequence[Change],
    judge: JudgeRubric | None = None,
) -> Grade:
    """Grade the final state of an episode.

    Args:
        task: the case, with its expectation.
        database: the episode's database as the agent left it.
        changes: the net changes of the episode.
        judge: answers rubrics; None for tasks without.

    Raises:
        GradingFailure: a check or the judge could not answer.
        DatabaseFailure: the database is gone.
    """
    expect = task.variant.expect
    defaults = column_defaults(task.domain.hash, task.now, database)
    columns = ColumnRules(task.domain.free_columns, defaults)
    records = _grade_records(database, expect.records)
    results = [
        *_grade_checks(database, (*task.domain.checks, *expect.checks)),
        *grade_changes(changes, expect.changes, columns),
        *grade_order(changes, task.domain.verification),
        *records,
        *_grade_rubrics(task.variant.rubrics, judge),
    ]
    return Grade(
        passed=all(result.passed for result in results),
        results=tuple(results),
        records_matched=sum(result.passed for result in records),
        records_total=len(records),
    )


def _grade_checks(database: FinalDatabase, checks: Sequence[Check]) -> list[CheckResult]:
    answers = database.run_checks([check.sql for check in checks]) if checks else []
    return [_check_result(check, answer) for check, answer in zip(checks, answers, strict=True)]


def _check_result(check: Check, answer: CheckAnswer) -> CheckResult:
    if answer.value is None:
        raise GradingFailure(f"the check {check.name!r} could not be evaluated: {answer.error}")
    return CheckResult(
        kind="check",
        name=check.name,
        passed=answer.value,
        reason="" if answer.value else (check.because or "the predicate is false"),
        expected="true",
        actual=str(answer.value).lower(),
    )


def _grade_records(database: FinalDatabase, records: Sequence[ExpectedRecord]) -> list[CheckResult]:
    results: list[CheckResult] = []
    for record in records:
        try:
            rows = database.fetch_records(record.table, record.key)
        except (psycopg.ProgrammingError, psycopg.DataError) as error:
            raise GradingFailure(f"the record of {record.table} {record.key}: {error}") from error
        results.append(_record_result(record, rows))
    return results


def _record_result(record: ExpectedRecord, rows: Sequence[Mapping[str, Any]]) -> CheckResult:
    name = f"{record.table}({describe(record.key)})"
    expected = "no row" if record.row is None else describe(record.row)
    if record.row is None:
        found, reason = not rows, "" if not rows else f"{len(rows)} such rows exist"
        return _record(name, found, reason, expected, f"{len(rows)} rows")
    if len(rows) != 1:
        return _record(name, False, f"expected one such row, found {len(rows)}", expected, "")
    differences = mismatches(record.row, rows[0])
    actual = describe({column: rows[0].get(column) for column in record.row})
    return _record(name, not differences, describe_mismatches(differences), expected, actual)


def _record(name: str, passed: bool, reason: str, expected: str, actual: str) -> CheckResult:
    return CheckResult(
        kind="record", name=name, passed=passed, reason=reason, expected=expected, actual=actual
    )


def _grade_rubrics(rubrics: Sequence[Rubric], judge: JudgeRubric | None) -> list[CheckResult]:
    return [judge(rubric) for rubric in rubrics] if judge is not None else []
