"""The database as a tool sees it: four ways of asking, all inside the call's transaction."""

from typing import Any, LiteralString

from psycopg import Connection, Cursor, sql
from psycopg.rows import dict_row

from tb_envs.errors import ToolRefusal

Row = dict[str, Any]
Statement = LiteralString | sql.SQL | sql.Composed


class Db:
    """One episode's database, for tools.

    SQL is a literal string or composed with ``psycopg.sql``; values are ``%(name)s`` parameters,
    given by keyword. A tool neither begins nor ends a transaction: its session does.
    """

    __slots__ = ("_cursor",)

    def __init__(self, connection: Connection[Any]) -> None:
        self._cursor: Cursor[Row] = connection.cursor(row_factory=dict_row)

    def one(self, query: Statement, /, **params: Any) -> Row | None:
        """Return the first row, or None where there is none."""
        return self._cursor.execute(query, params).fetchone()

    def all(self, query: Statement, /, **params: Any) -> list[Row]:
        """Return every row, in the query's order."""
        return self._cursor.execute(query, params).fetchall()

    def execute(self, query: Statement, /, **params: Any) -> int:
        """Run a statement and return how many rows it touched."""
        return self._cursor.execute(query, params).rowcount

    def require(self, refusal: str, query: Statement, /, **params: Any) -> Row:
        """Return the first row.

        Args:
            refusal: What the agent is told where there is no row.
            query: The SQL.
            params: Its parameters.

        Raises:
            ToolRefusal: there is no row.
        """
        row = self.one(query, **params)
        if row is None:
            raise ToolRefusal(refusal)
        return row
