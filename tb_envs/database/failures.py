"""The boundary to PostgreSQL: what psycopg raises becomes a ``DatabaseFailure``, once."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg

from tb_envs.errors import DatabaseFailure


def is_infrastructure(error: psycopg.Error) -> bool:
    """Tell a broken backend from a statement that the database refused.

    ``OperationalError`` is a lost connection, a server that is gone or out of resources, a
    statement or lock timeout, and a deadlock: nobody else writes in an episode's database, so that
    is never the agent's doing either. Class XX are PostgreSQL's own faults. An error of no class
    and no code is libpq's word for a connection that broke.
    """
    if error.sqlstate is None and type(error) is psycopg.DatabaseError:
        return True
    return isinstance(error, psycopg.OperationalError) or (error.sqlstate or "").startswith("XX")


@contextmanager
def database_boundary(doing: str) -> Generator[None]:
    """Turn a broken backend into a ``DatabaseFailure`` that says what was being done.

    Errors that the database raises about a statement (constraints, types, syntax) pass.

    Raises:
        DatabaseFailure: connection lost, server gone, statement or lock timeout.
    """
    try:
        yield
    except psycopg.Error as error:
        if not is_infrastructure(error):
            raise
        raise DatabaseFailure(f"{doing}: {describe(error)}") from error


def describe(error: psycopg.Error) -> str:
    """One line with the cause, and PostgreSQL's code where there is one."""
    lines = str(error).strip().splitlines()
    message = lines[0] if lines else type(error).__name__
    return f"{message} [{error.sqlstate}]" if error.sqlstate else message
