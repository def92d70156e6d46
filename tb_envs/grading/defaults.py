"""What an inserted row holds where nothing was said: the columns' defaults, from the catalog."""

from collections.abc import Mapping
from typing import Any, LiteralString, Protocol, cast

from psycopg import Connection, sql

from tb_envs.database import database_boundary


class OwnedDatabase(Protocol):
    """A database whose owner can look into its catalog."""

    @property
    def owner(self) -> Connection[Any]:
        """The owner's connection, rows as dicts; opened when it is first asked for."""
        ...


Defaults = Mapping[str, Mapping[str, Any]]

_EXPRESSIONS = """
    SELECT c.relname AS table_name, a.attname AS column_name,
           pg_get_expr(d.adbin, d.adrelid) AS expression
    FROM pg_attrdef d
    JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
    JOIN pg_class c ON c.oid = d.adrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND a.attgenerated = ''
    ORDER BY 1, 2
"""

_KNOWN: dict[tuple[str, str], Defaults] = {}
"""Per domain's hash and clock: they decide every default, and are the same in each episode."""


def column_defaults(domain_hash: str, now: str, database: OwnedDatabase) -> Defaults:
    """Return the defaults of a domain's tables under a clock, by table and column.

    The owner's session is opened only where they are not known yet.

    Raises:
        DatabaseFailure: the database is gone.
    """
    found = _KNOWN.get((domain_hash, now))
    if found is None:
        with database_boundary("reading the columns' defaults"):
            found = _KNOWN[domain_hash, now] = read_defaults(database.owner)
    return found


def read_defaults(connection: Connection[Any]) -> dict[str, dict[str, Any]]:
    """Evaluate every column default that is not drawn from a sequence.

    Defaults that follow the clock are evaluated with the episode's clock, so they are compared too.
    A generated id has no expected value: declare its column free.

    Args:
        connection: the owner's connection to an episode's database, rows as dicts.
    """
    rows = [
        row
        for row in connection.execute(_EXPRESSIONS).fetchall()
        if "nextval(" not in row["expression"]
    ]
    if not rows:
        return {}
    # The expressions are the catalog's own text of the schema, not input.
    values = sql.SQL(", ").join(
        sql.SQL("to_jsonb({})").format(sql.SQL(cast("LiteralString", row["expression"])))
        for row in rows
    )
    evaluated = connection.execute(sql.SQL("SELECT jsonb_build_array({}) AS v").format(values))
    found = evaluated.fetchone()
    assert found is not None
    defaults: dict[str, dict[str, Any]] = {}
    for row, value in zip(rows, found["v"], strict=True):
        defaults.setdefault(row["table_name"], {})[row["column_name"]] = value
    return defaults
