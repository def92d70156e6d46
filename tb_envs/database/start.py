"""The start of an episode: clock and records, in one round trip and one transaction."""

import datetime
import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from tb_envs.database.failures import is_infrastructure
from tb_envs.database.server import DictConnection
from tb_envs.errors import SpecError
from tb_envs.specs.models import Start

Operation = dict[str, Any]
PREPARE = "SELECT tb.prepare(%s, %s, %s) AS digest"


def prepare(
    session: DictConnection,
    secret: str,
    start: Start,
    now: str,
    owner: Callable[[], DictConnection],
) -> str:
    """Set the clock and apply a task's records: deletes, then updates, then inserts.

    Args:
        session: the episode's session.
        secret: what makes the session ours.
        start: the records.
        now: the clock's moment, ISO 8601 with offset.
        owner: gives the owner's session, to find out what is wrong with a record.

    Returns:
        The digest of the database as it then is.

    Raises:
        SpecError: a record does not fit; names its place, table and column.
    """
    operations = list(_operations(start))
    plain = [operation for _, operation in operations]
    try:
        values = (secret, now, Jsonb(plain, dumps=dumps))
        row = session.execute(PREPARE, values).fetchone()
    except psycopg.Error as error:
        if is_infrastructure(error):
            raise
        raise _explain(owner(), operations, now, error) from error
    return row["digest"] if row else ""


def _operations(start: Start) -> Iterator[tuple[str, Operation]]:
    """List the operations with their places in the task file."""
    for table, rows in start.delete.items():
        for number, row in enumerate(rows):
            yield f"start.delete.{table}[{number}]", _operation(table, "delete", row, {})
    for table, updates in start.update.items():
        for number, update in enumerate(updates):
            place = f"start.update.{table}[{number}]"
            yield place, _operation(table, "update", update.where, update.set)
    for table, rows in start.insert.items():
        for number, row in enumerate(rows):
            yield f"start.insert.{table}[{number}]", _operation(table, "insert", {}, row)


def _operation(table: str, op: str, where: dict[str, Any], values: dict[str, Any]) -> Operation:
    return {"table": table, "op": op, "where": where, "set": values}


def dumps(value: Any) -> str:
    """Write a YAML value as JSON.

    Raises:
        SpecError: it is of a type that no column takes.
    """
    return json.dumps(value, default=_plain)


def _plain(value: Any) -> str:
    """Write what YAML makes of an unquoted date as PostgreSQL reads it."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    raise SpecError(
        f"got a {type(value).__name__}; expected text, number, boolean, date, list or null"
    )


def _explain(
    owner: DictConnection, operations: list[tuple[str, Operation]], now: str, error: psycopg.Error
) -> SpecError:
    """Apply the operations one by one to find the one that does not fit, then take all back."""
    with owner.transaction(force_rollback=True):
        try:
            with owner.transaction():
                owner.execute("UPDATE clock SET now = %s::timestamptz", (now,))
        except psycopg.Error:
            return SpecError(f"{now!r} is no moment; expected ISO 8601 with offset", field="now")
        for place, operation in operations:
            try:
                with owner.transaction():
                    owner.execute(
                        "SELECT tb.apply(%(table)s, %(op)s, %(where)s, %(set)s)",
                        {
                            **operation,
                            "where": Jsonb(operation["where"], dumps=dumps),
                            "set": Jsonb(operation["set"], dumps=dumps),
                        },
                    )
            except psycopg.Error as refused:
                return SpecError(_reason(owner, operation, refused), field=place)
    return SpecError(_message(error), field="start")


def _reason(owner: DictConnection, operation: Operation, refused: psycopg.Error) -> str:
    """Name the column: PostgreSQL says it for constraints, and we find it for values."""
    if isinstance(refused, psycopg.DataError):
        for name, value in {**operation["where"], **operation["set"]}.items():
            cast = sql.SQL("SELECT jsonb_populate_record(NULL::public.{}, %s)").format(
                sql.Identifier(operation["table"])
            )
            try:
                with owner.transaction():
                    owner.execute(cast, (Jsonb({name: value}, dumps=dumps),))
            except psycopg.DataError as found:
                return f"{operation['table']}.{name}: {_message(found)}"
    column = refused.diag.column_name
    table = f"{operation['table']}.{column}" if column else operation["table"]
    return _message(refused) if refused.sqlstate == "TB001" else f"{table}: {_message(refused)}"


def _message(error: psycopg.Error) -> str:
    primary = error.diag.message_primary or str(error)
    return f"{primary} ({error.diag.message_detail})" if error.diag.message_detail else primary
