"""Mutation testing of expectations: spoil the right end in one place, and see that it fails.

From the oracle's final state, in every table that the task touches: one value is changed, one row
is added, one row is removed. Each such *mutant* must fail, unless the task or its domain declares
the place free (a free column, a rule that may match any number of rows). A mutant that passes is a
wrong end that an agent could be paid for.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import psycopg
from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from tb_envs.database import DatabasePool, EpisodeDatabase, open_pool
from tb_envs.env import ThinkingBoxEnv
from tb_envs.episode import Change
from tb_envs.errors import GradingFailure, UsageError
from tb_envs.grading import grade_task
from tb_envs.grading.changes import ColumnRules, explain
from tb_envs.grading.regrade import apply_changes
from tb_envs.policies import OraclePolicy
from tb_envs.rollout import run_episode
from tb_envs.specs import Task
from tb_envs.specs.models import ChangeRule, InsertRule, UpdateRule

Op = Literal["insert", "update", "delete"]

SEED = 7
ACQUIRE_TIMEOUT_S = 60.0
OTHER_VALUES = 2
REFUSED = (UsageError, psycopg.IntegrityError, psycopg.DataError, psycopg.ProgrammingError)

_COLUMNS = """
    SELECT c.relname AS tab, a.attname AS name,
        a.attgenerated <> '' AS generated,
        a.attidentity <> '' OR a.atthasdef AS has_default,
        coalesce(a.attnum = ANY (i.indkey), false) AS in_key,
        format_type(a.atttypid, NULL) AS type
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    ORDER BY c.relname, a.attnum
"""


@dataclass(frozen=True, slots=True)
class MutationReport:
    """What became of a task's mutants.

    Attributes:
        killed: how many failed, as they must.
        survivors: each mutant that passed, in words.
    """

    task_id: str
    killed: int
    survivors: tuple[str, ...]


class Mutant(NamedTuple):
    """One spoilt place: what to do to the right end."""

    op: Op
    table: str
    row: Mapping[str, Any]
    column: str = ""
    value: Any = None

    def __str__(self) -> str:
        """Say what was done, for the author."""
        if self.op == "update":
            old = json.dumps(self.row[self.column])
            return f"{self.table}.{self.column} {old} became {json.dumps(self.value)}"
        word = "a copy was added of" if self.op == "insert" else "was removed:"
        return f"{self.table}: {word} {json.dumps(dict(self.row))}"


class Column(NamedTuple):
    """A column, as far as it matters here."""

    name: str
    type: str
    in_key: bool
    has_default: bool


def mutate_tasks(
    tasks: Sequence[Task], *, database: str | None = None, concurrency: int = 4
) -> Iterator[MutationReport]:
    """Mutate the right ends of tasks, several at once; yields reports in the tasks' order.

    Raises:
        UsageError: a task's oracle does not pass, so there is no right end to spoil.
        SystemFailure: the infrastructure broke.
    """

    def mutate(task: Task) -> MutationReport:
        return mutate_task(task, database=database)

    with ThreadPoolExecutor(concurrency) as threads:
        yield from threads.map(mutate, tasks)


def mutate_task(task: Task, *, database: str | None = None) -> MutationReport:
    """Mutate the right end of one task."""
    pool = open_pool(task.domain, database=database)
    end = _RightEnd(task, pool, _oracle_changes(task, database))
    killed, survivors = 0, list[str]()
    with contextlib.closing(end):
        for mutant in end.mutants():
            passed = end.passes_with(mutant)
            killed += passed is False
            if passed:
                survivors.append(str(mutant))
    return MutationReport(task.id, killed, tuple(survivors))


def _oracle_changes(task: Task, database: str | None) -> tuple[Change, ...]:
    env = ThinkingBoxEnv(task.id, database=database, judge="skip", on_system_error="raise")
    with contextlib.closing(env):
        episode = run_episode(env, OraclePolicy(), seed=SEED)
    if episode.reward != 1.0:
        raise UsageError(f"{task.id}: the oracle does not pass; mend that first (tb-envs validate)")
    return episode.changes


class _RightEnd:
    """A database at the oracle's final state, spoilt and mended again mutant by mutant."""

    def __init__(self, task: Task, pool: DatabasePool, changes: tuple[Change, ...]) -> None:
        self._task = task
        self._pool = pool
        self._in_order = changes
        self._changes = _without_order(changes)
        self._database = self._open()
        self._columns: dict[str, list[Column]] = {}
        for row in self._database.owner.execute(_COLUMNS).fetchall():
            if not row["generated"]:
                column = Column(row["name"], row["type"], row["in_key"], row["has_default"])
                self._columns.setdefault(row["tab"], []).append(column)

    def close(self) -> None:
        """Give the database back."""
        self._database.close()

    def _open(self) -> EpisodeDatabase:
        database = self._pool.acquire(timeout_s=ACQUIRE_TIMEOUT_S)
        try:
            database.prepare(self._task.variant.start, self._task.now)
            apply_changes(database.agent, self._in_order)
        except BaseException:
            database.close()
            raise
        return database

    def mutants(self) -> Iterator[Mutant]:
        """List the mutants, table by table."""
        expect = self._task.variant.expect
        tables = {change.table for change in self._changes}
        tables |= {record.table for record in expect.records}
        for table in sorted(tables):
            mine = [change for change in self._changes if change.table == table and change.after]
            for change in mine:
                yield from self._mutants_of(table, change.after or {}, self._rule_of(change))
            for row in self._bystander(table, [change.key for change in mine]):
                yield from self._mutants_of(table, row, None)

    def _mutants_of(
        self, table: str, row: Mapping[str, Any], rule: ChangeRule | None
    ) -> Iterator[Mutant]:
        """Spoil a row; ``rule`` is the one that allows it, None for a row that nobody touched."""
        for column in self._columns[table]:
            if not column.in_key and not self._is_free(table, column.name, rule):
                for value in self._other_values(table, column, row[column.name]):
                    yield Mutant("update", table, row, column.name, value)
        if rule is None or isinstance(rule.count, int):
            yield Mutant("insert", table, row)
            yield Mutant("delete", table, row)

    def _rule_of(self, change: Change) -> ChangeRule | None:
        """The rule that comes nearest to a change: its defaults are not known here."""
        columns = ColumnRules(self._task.domain.free_columns, {})
        rules = self._task.variant.expect.changes
        near = [(explain(change, rule, columns), rule) for rule in rules]
        fitting = [
            (len(found), index) for index, (found, _) in enumerate(near) if found is not None
        ]
        return near[min(fitting)[1]][1] if fitting else None

    def _is_free(self, table: str, column: str, rule: ChangeRule | None) -> bool:
        free = self._task.domain.free_columns
        if column in free or f"{table}.{column}" in free:
            return True
        if not isinstance(rule, InsertRule | UpdateRule):
            return False
        said = rule.row if isinstance(rule, InsertRule) else rule.set
        return column in rule.free or said.get(column) == {"any": True}

    def _bystander(
        self, table: str, touched: Iterable[Mapping[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """One row that the oracle left alone."""
        key = [column.name for column in self._columns[table] if column.in_key]
        known = [dict(one) for one in touched]
        rows = self._database.agent.execute(
            sql.SQL("SELECT to_jsonb(t) AS row FROM {} t ORDER BY {} LIMIT %s").format(
                sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, key))
            ),
            (len(known) + 1,),
        ).fetchall()
        for found in rows:
            if {name: found["row"][name] for name in key} not in known:
                yield found["row"]
                return

    def _other_values(self, table: str, column: Column, value: Any) -> list[Any]:
        """A wrong value for a column: one that other rows have, else one made up."""
        name = sql.Identifier(column.name)
        rows = self._database.agent.execute(
            sql.SQL(
                "SELECT DISTINCT to_jsonb({0}) AS v FROM {1} WHERE to_jsonb({0}) <> {2} "
                "ORDER BY 1 LIMIT {3}"
            ).format(name, sql.Identifier(table), Jsonb(value), OTHER_VALUES)
        ).fetchall()
        made_up = _made_up(value)
        return [*(row["v"] for row in rows), *([] if made_up is None else [made_up])][:OTHER_VALUES]

    def passes_with(self, mutant: Mutant) -> bool | None:
        """Grade a mutant; None where the database itself refuses such a row."""
        agent = self._database.agent
        try:
            with agent.transaction():
                self._apply(agent, mutant)
        except REFUSED:
            return None
        try:
            return grade_task(self._task, self._database, self._database.net_changes()).passed
        except GradingFailure:
            return False
        finally:
            self._mend()

    def _apply(self, agent: Connection[Any], mutant: Mutant) -> None:
        columns = self._columns[mutant.table]
        table = sql.Identifier(mutant.table)
        key = {column.name: mutant.row[column.name] for column in columns if column.in_key}
        if mutant.op == "insert":
            after = self._copy(columns, mutant.row)
            names = sql.SQL(", ").join(map(sql.Identifier, after))
            agent.execute(
                sql.SQL(
                    "INSERT INTO {0} ({1}) SELECT {1} FROM jsonb_populate_record(NULL::{0}, {2})"
                ).format(table, names, Jsonb(after))
            )
            return
        after = None if mutant.op == "delete" else {**mutant.row, mutant.column: mutant.value}
        change = Change(
            table=mutant.table, op=mutant.op, key=key, before=dict(mutant.row), after=after
        )
        apply_changes(agent, [change])

    def _copy(self, columns: Sequence[Column], row: Mapping[str, Any]) -> dict[str, Any]:
        """A row like another, under a key of its own."""
        copy = dict[str, Any]()
        for column in columns:
            if not column.in_key:
                copy[column.name] = row[column.name]
            elif not column.has_default:
                copy[column.name] = _made_up(row[column.name])
        return copy

    def _mend(self) -> None:
        """Go back to the right end: by the inverse of what differs, else with a new database."""
        right = {(change.table, json.dumps(change.key)): change for change in self._changes}
        now = _without_order(self._database.net_changes())
        spoilt = [one for one in now if right.get((one.table, json.dumps(one.key))) != one]
        missing = [one for one in self._changes if one not in now]
        try:
            apply_changes(self._database.agent, [_inverse(one) for one in spoilt])
            apply_changes(self._database.agent, missing)
        except REFUSED:
            pass
        if _without_order(self._database.net_changes()) != self._changes:
            self._database.close()
            self._database = self._open()


def _without_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(change.model_copy(update={"at": 0, "last_at": 0}) for change in changes)


INVERSE: Mapping[Op, Op] = {"insert": "delete", "delete": "insert", "update": "update"}


def _inverse(change: Change) -> Change:
    return Change(
        table=change.table,
        op=INVERSE[change.op],
        key=change.key,
        before=change.after,
        after=change.before,
    )


def _made_up(value: Any) -> Any:
    """A value of the same kind that is not the same; None for kinds that are not known."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}-X" if isinstance(value, str) else None
