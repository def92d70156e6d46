"""What does a tool call cost, called directly and over MCP?

One tool, one database, four doors in one run: the bare statements with psycopg, the session called
directly, MCP in memory, and MCP over stdio. Prints milliseconds and each door's ratio to the direct
call::

    python benchmarks/tool_call.py [--calls 300] [--database embedded]
"""

import argparse
import datetime as dt
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from tb_envs.database import EpisodeDatabase, open_pool
from tb_envs.episode import CallRecord, Change
from tb_envs.messages import ToolCall
from tb_envs.outcome import CheckResult, Grade
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start
from tb_envs.tools import Db, ToolInfo, ToolSession, tool
from tb_envs.tools.mcp_server import make_server, serve_stdio
from tb_envs.tools.serving import ServedSession

NOW = "2025-03-01T09:00:00+00:00"
SHELVES = Domain(
    name="shelves",
    title="Shelves",
    hash="shelves-1",
    schema_sql=(
        "CREATE TABLE books (book_id text PRIMARY KEY, title text NOT NULL, moved date NOT NULL);"
        "CREATE TABLE moves (move_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
        " book_id text NOT NULL REFERENCES books, day date NOT NULL);",
    ),
    seed_sql="INSERT INTO books SELECT 'B-' || n, 'Book ' || n, '2025-03-01'"
    " FROM generate_series(1, 200) AS n;",
    articles=(),
    now=NOW,
    free_columns=frozenset(),
    toolsets=(),
    policy="",
)
FIND = "SELECT * FROM books WHERE book_id = %(book_id)s"
COUNT = "SELECT count(*) AS moves FROM moves WHERE book_id = %(book_id)s"
MOVE = "UPDATE books SET moved = %(day)s WHERE book_id = %(book_id)s RETURNING *"
NOTE = "INSERT INTO moves (book_id, day) VALUES (%(book_id)s, %(day)s)"


@tool
def get_book(db: Db, book_id: str) -> dict[str, Any]:  # noqa: D417 - agents see no `db`
    """Return a book and how often it was moved: two statements.

    Args:
        book_id: The book, such as B-7.
    """
    book = db.require(f"There is no book {book_id}.", FIND, book_id=book_id)
    return book | (db.one(COUNT, book_id=book_id) or {})


@tool(writes=True)
def move_book(db: Db, book_id: str, day: dt.date) -> dict[str, Any]:  # noqa: D417 - nor here
    """Move a book: three statements, two of them writes.

    Args:
        book_id: The book, such as B-7.
        day: The day of the move.
    """
    db.require(f"There is no book {book_id}.", FIND, book_id=book_id)
    db.execute(NOTE, book_id=book_id, day=day)
    return db.require("It is gone.", MOVE, book_id=book_id, day=day)


TOOLS = (get_book, move_book)
CALLS: dict[str, dict[str, Any]] = {
    "get_book": {"book_id": "B-7"},
    "move_book": {"book_id": "B-7", "day": "2025-03-02"},
}


@dataclass(frozen=True)
class Shelf:
    """An episode for the MCP server."""

    database: EpisodeDatabase
    session: ToolSession
    instructions: str = ""

    def list_tools(self) -> list[ToolInfo]:
        """Return what an agent is told about each tool."""
        return self.session.list_tools()

    def call(self, call: ToolCall) -> CallRecord:
        """Execute one call."""
        (content, is_error), changes = self.session.call_tool(*call)
        return CallRecord(
            name=call.name,
            arguments=call.arguments,
            content=content,
            is_error=is_error,
            changes=changes,
        )

    def grade(self) -> tuple[Grade, tuple[Change, ...]]:
        """Nothing is asked of this episode."""
        return Grade(passed=True, results=(CheckResult(kind="check", name="-", passed=True),)), ()

    def close(self) -> None:
        """Give the database back."""
        self.database.close()


def open_shelf(choice: str) -> Shelf:
    """Open an episode on the chosen server."""
    database = open_pool(SHELVES, database=choice).acquire(timeout_s=120)
    database.prepare(Start(), NOW)
    return Shelf(database, ToolSession(database, TOOLS))


def clock(call: Callable[[], object], calls: int) -> list[float]:
    """Time a call, in milliseconds; the first ones are not counted."""
    times: list[float] = []
    for _ in range(calls + 20):
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    return times[20:]


async def clock_client(client: Client, name: str, calls: int) -> list[float]:
    """Time a call through an MCP client, in milliseconds."""
    times: list[float] = []
    for _ in range(calls + 20):
        began = time.perf_counter()
        answer = await client.call_tool(name, CALLS[name])
        times.append((time.perf_counter() - began) * 1000)
        assert not answer.is_error
    return times[20:]


def bare_statements(name: str, database: EpisodeDatabase) -> Callable[[], object]:
    """Return the statements of a tool, run with psycopg alone and without changes being read."""
    cursor, values = database.agent.cursor(), CALLS[name]

    def read() -> None:
        cursor.execute(FIND, values).fetchone()
        cursor.execute(COUNT, values).fetchone()

    def write() -> None:
        with database.agent.transaction():
            cursor.execute(FIND, values).fetchone()
            cursor.execute(NOTE, values)
            cursor.execute(MOVE, values).fetchone()

    return read if name == "get_book" else write


def measure(choice: str, calls: int) -> dict[str, dict[str, list[float]]]:
    """Time every tool through every door."""
    doors: dict[str, dict[str, list[float]]] = {}

    async def through(door: str, client: Client) -> None:
        async with client:
            doors[door] = {name: await clock_client(client, name, calls) for name in CALLS}

    shelf = open_shelf(choice)
    doors["psycopg alone"] = {
        name: clock(bare_statements(name, shelf.database), calls) for name in CALLS
    }
    shelf.close()
    shelf = open_shelf(choice)
    doors["direct"] = {
        name: clock(lambda: shelf.session.call_tool(name, json.dumps(values)), calls)  # noqa: B023
        for name, values in CALLS.items()
    }
    shelf.close()

    async def in_memory() -> None:
        session = ServedSession(open_shelf(choice), lambda ended: None)
        await through("MCP in memory", Client(make_server(session), mode="legacy"))
        await session.finish()

    anyio.run(in_memory)
    server = StdioServerParameters(
        command=sys.executable, args=[__file__, "--serve", "--database", choice]
    )
    anyio.run(through, "MCP over stdio", Client(server))
    return doors


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--database", default="embedded")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_stdio(lambda: open_shelf(options.database), on_end=lambda ended: None)
        return
    doors = measure(options.database, options.calls)
    print(f"{'':16}{'tool':12}{'median ms':>10}{'p95 ms':>9}{'x direct':>10}")
    for door, tools in doors.items():
        for name, times in tools.items():
            median = statistics.median(times)
            ratio = median / statistics.median(doors["direct"][name])
            p95 = statistics.quantiles(times, n=20)[-1]
            print(f"{door:16}{name:12}{median:10.3f}{p95:9.3f}{ratio:10.2f}")


if __name__ == "__main__":
    main()
