"""Predicates of task files, evaluated as a role that can only read."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import psycopg
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.rows import tuple_row

from tb_envs.database.failures import is_infrastructure
from tb_envs.database.server import DictConnection
from tb_envs.errors import SpecError

BOOL = 16
OPEN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)
WRITES = (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.InsufficientPrivilege)
CLEAN = b"RESET statement_timeout; BEGIN READ ONLY; SET LOCAL search_path TO public"
# Ended by COMMIT, which leaves the driver's prepared statements alone.
READ_ONLY = "RESET statement_timeout; BEGIN READ ONLY; SELECT tb.run_checks(%s::text[]); COMMIT"


class CheckAnswer(NamedTuple):
    """What a predicate said; ``value`` is None where it said nothing, and ``error`` tells why."""

    value: bool | None
    error: str = ""


def validate_checks(session: DictConnection, checks: Iterable[str]) -> None:
    """Let PostgreSQL parse predicates, without running them.

    Raises:
        SpecError: one is not a single statement that returns exactly one boolean column.
    """
    checks = list(checks)
    if not checks:
        return
    try:
        _execute(session, CLEAN)
        for check in checks:
            if problem := _problem(session, check):
                message = f"{problem}; expected one SELECT of one boolean"
                raise SpecError(f"{message}: {check.strip()}")
    finally:
        if session.pgconn.transaction_status in OPEN:
            # Not the driver's own: after that it forgets every statement that it has prepared.
            _execute(session, b"ROLLBACK")


def _execute(session: DictConnection, commands: bytes) -> None:
    result = session.pgconn.exec_(commands)
    if result.status != ExecStatus.COMMAND_OK:
        raise psycopg.errors.error_from_result(result)


def _problem(session: DictConnection, check: str) -> str | None:
    prepared = session.pgconn.prepare(b"", check.encode())
    if prepared.status != ExecStatus.COMMAND_OK:
        error = psycopg.errors.error_from_result(prepared)
        if is_infrastructure(error):
            raise error
        return error.diag.message_primary or str(error)
    described = session.pgconn.describe_prepared(b"")
    nested = session.pgconn.prepare(b"", f"SELECT (\n{_bare(check)}\n)".encode())
    if nested.status != ExecStatus.COMMAND_OK and described.nfields == 1:
        return "the check is no SELECT, or one that writes; checks are read-only"
    if described.nfields != 1:
        return f"the check returns {described.nfields} columns"
    if described.ftype(0) != BOOL:
        return "the check's column is not a boolean"
    return None


def run_checks(session: DictConnection, checks: Sequence[str]) -> list[CheckAnswer]:
    """Evaluate validated predicates in one round trip.

    Raises:
        SpecError: a predicate tried to write.
    """
    if not checks:
        return []
    bare = [_bare(check) for check in checks]
    # Values bound on our side let all this travel in one round trip.
    with psycopg.ClientCursor(session, row_factory=tuple_row) as cursor:
        try:
            cursor.execute(READ_ONLY, (bare,))
        except WRITES as error:
            session.rollback()
            raise SpecError(f"checks are read-only: {error.diag.message_primary}") from error
        except psycopg.Error:
            if not session.closed:
                session.rollback()
            raise
        cursor.nextset()
        cursor.nextset()
        (answers,) = cursor.fetchone() or ([],)
    return [CheckAnswer(answer["value"], answer["error"] or "") for answer in answers]


def _bare(check: str) -> str:
    return check.strip().rstrip(";")
