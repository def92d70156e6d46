"""Refusing an expectation that cannot be graded, before an agent has worked for it.

What a YAML model cannot see: whether a check is one SELECT of one boolean that writes nothing, and
whether the tables and columns that rules name exist.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from psycopg import Connection

from tb_envs.database import database_boundary
from tb_envs.errors import SpecError
from tb_envs.grading.grader import FinalDatabase
from tb_envs.specs import Task
from tb_envs.specs.models import ChangeRule, Check, DeleteRule, InsertRule

_COLUMNS = """
    SELECT table_name::text AS table_name, array_agg(column_name::text) AS columns
    FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1
"""

_SOUND: set[str] = set()
"""Hashes of tasks that were looked at: their files decide the answer, so it stays the same."""


def refuse_unsound(task: Task, database: FinalDatabase) -> None:
    """Look at a task's checks, rules and records, once a process.

    Raises:
        SpecError: one cannot be graded; says which, and how to mend it.
        DatabaseFailure: the database is gone.
    """
    if task.hash in _SOUND:
        return
    _refuse_checks(task, database)
    with database_boundary("reading the tables' names"):
        tables = _tables(database.owner)
    _refuse_names(task, tables)
    _SOUND.add(task.hash)


def _refuse_checks(task: Task, database: FinalDatabase) -> None:
    for check in task.domain.checks:
        if problem := _problem(check, database):
            raise _domain_fault(task, f"checks: {check.name}", problem)
    for check in task.variant.expect.checks:
        if problem := _problem(check, database):
            raise _fault(task, f"checks: {check.name}", problem)


def _problem(check: Check, database: FinalDatabase) -> str:
    """Say what keeps a check from being answered; empty if nothing does."""
    try:
        (answer,) = database.run_checks([check.sql])
    except SpecError as error:
        return str(error)
    return answer.error if answer.value is None else ""


def _refuse_names(task: Task, tables: Mapping[str, frozenset[str]]) -> None:
    _refuse_verification(task, tables)
    for place, table, columns in _named(task):
        if table not in tables:
            raise _fault(task, place, f"no table {table!r}; expected one of {_listed(tables)}")
        for column in columns:
            if column not in tables[table]:
                known = _listed(tables[table])
                raise _fault(task, place, f"{table} has no column {column!r}; expected {known}")


def _refuse_verification(task: Task, tables: Mapping[str, frozenset[str]]) -> None:
    verification = task.domain.verification
    if verification is None:
        return
    named = (verification.table, *verification.may_precede, *verification.may_begin_before)
    columns = tables.get(verification.table, frozenset())
    for table in named:
        if table not in tables:
            message = f"no table {table!r}; expected one of {_listed(tables)}"
            raise _domain_fault(task, "verification", message)
    for column in verification.row:
        if column not in columns:
            message = f"{verification.table} has no column {column!r}; expected {_listed(columns)}"
            raise _domain_fault(task, "verification", message)


def _named(task: Task) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every table that the expectation names, with the columns named in it."""
    for rule in task.variant.expect.changes:
        yield ("changes", *_rule_names(rule))
    for record in task.variant.expect.records:
        yield "records", record.table, (*record.key, *(record.row or {}))


def _rule_names(rule: ChangeRule) -> tuple[str, tuple[str, ...]]:
    if isinstance(rule, InsertRule):
        return rule.insert, (*rule.row, *rule.free)
    if isinstance(rule, DeleteRule):
        return rule.delete, tuple(rule.where)
    return rule.update, (*rule.where, *rule.set, *rule.free)


def _tables(owner: Connection[Any]) -> dict[str, frozenset[str]]:
    return {
        row["table_name"]: frozenset(row["columns"]) for row in owner.execute(_COLUMNS).fetchall()
    }


def _fault(task: Task, place: str, message: str) -> SpecError:
    return SpecError(message, path=task.path, field=f"{task.variant.name}.expect.{place}")


def _domain_fault(task: Task, field: str, message: str) -> SpecError:
    return SpecError(message, path=task.path.parents[1] / "domain.yaml", field=field)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
