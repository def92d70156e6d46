"""Grading a saved episode again, without a model: its changes are played into a fresh database."""

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from tb_envs.database import open_pool
from tb_envs.episode import Change, Episode
from tb_envs.errors import UsageError
from tb_envs.grading.grader import grade_task
from tb_envs.outcome import CheckResult, Grade
from tb_envs.specs import Task, find_task
from tb_envs.specs.models import Rubric

ACQUIRE_TIMEOUT_S = 60.0

_GENERATED = """
    SELECT attname AS name FROM pg_attribute
    WHERE attrelid = to_regclass(quote_ident(%s)) AND attgenerated <> ''
"""


def regrade(episode: Episode, *, database: str | None = None) -> Grade:
    """Grade an episode by today's task file; rubrics keep the answers that they had.

    Raises:
        UsageError: the episode has no verdict to repeat, or a rubric was never answered.
        SystemFailure: there is no database, or a check cannot be evaluated.
    """
    if episode.grade is None:
        raise UsageError(
            f"{episode.task_id}: the episode ended in {episode.outcome.kind}; no grade"
        )
    task = find_task(episode.task_id)
    lease = open_pool(task.domain, database=database).acquire(timeout_s=ACQUIRE_TIMEOUT_S)
    try:
        lease.prepare(task.variant.start, task.now)
        apply_changes(lease.owner, episode.changes)
        answers = _Answers(task, episode.grade)
        return grade_task(task, lease, episode.changes, answers if answers.any else None)
    finally:
        lease.close()


class _Answers:
    """The judge's answers as the episode's grade holds them."""

    def __init__(self, task: Task, grade: Grade) -> None:
        self._task = task
        self._answers = {result.name: result for result in grade.results if result.kind == "rubric"}
        self.any = bool(self._answers)

    def __call__(self, rubric: Rubric) -> CheckResult:
        try:
            return self._answers[rubric.name]
        except KeyError:
            raise UsageError(
                f"{self._task.id}: the rubric {rubric.name!r} was not answered in this episode; "
                "play it again with a judge"
            ) from None


def apply_changes(owner: Connection[Any], changes: Sequence[Change]) -> None:
    """Bring a database to the state that net changes describe, in one transaction.

    They are made in the order of the rows' first writes; a row has only its last state, so those
    that a foreign key still forbids wait for the others.
    """
    waiting = sorted(changes, key=lambda change: change.at)
    with owner.transaction():
        while waiting:
            blocked = [change for change in waiting if not _applied(owner, change)]
            if len(blocked) == len(waiting):
                first = blocked[0]
                raise UsageError(
                    f"the changes do not fit this database: {first.op} in {first.table} {first.key}"
                )
            waiting = blocked


def _applied(owner: Connection[Any], change: Change) -> bool:
    try:
        with owner.transaction():
            _apply(owner, change)
    except psycopg.IntegrityError:
        return False
    return True


def _apply(owner: Connection[Any], change: Change) -> None:
    """Make one change; generated columns follow from the others by themselves."""
    table = sql.Identifier(change.table)
    where = sql.SQL(" AND ").join(
        sql.SQL("to_jsonb({}) = {}").format(sql.Identifier(name), Jsonb(value))
        for name, value in change.key.items()
    )
    if change.op == "delete":
        owner.execute(sql.SQL("DELETE FROM {} WHERE {}").format(table, where))
        return
    generated = [row["name"] for row in owner.execute(_GENERATED, (change.table,)).fetchall()]
    names = change.columns if change.op == "update" else (change.after or {})
    written = [name for name in names if name not in generated]
    columns, after = sql.SQL(", ").join(map(sql.Identifier, written)), Jsonb(change.after)
    if change.op == "insert":
        owner.execute(
            sql.SQL(
                "INSERT INTO {0} ({1}) OVERRIDING SYSTEM VALUE"
                " SELECT {1} FROM jsonb_populate_record(NULL::{0}, {2})"
            ).format(table, columns, after)
        )
        return
    owner.execute(
        sql.SQL(
            "UPDATE {0} SET ({1}) = (SELECT {1} FROM jsonb_populate_record(NULL::{0}, {2}))"
            " WHERE {3}"
        ).format(table, columns, after, where)
    )
