"""A small world for the tests of tools: the lending desk of a library."""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from tb_envs.database import EpisodeDatabase
from tb_envs.episode import CallRecord, Change
from tb_envs.messages import ToolCall
from tb_envs.outcome import CheckResult, Grade
from tb_envs.specs.domain import Domain
from tb_envs.specs.models import Start
from tb_envs.tools import Db, ToolInfo, ToolSession, tool

NOW = "2025-03-01T09:00:00+00:00"

SCHEMA = """
CREATE TABLE members (
    member_id text PRIMARY KEY,
    name text NOT NULL,
    most_loans int NOT NULL CONSTRAINT at_least_one_loan_is_allowed CHECK (most_loans > 0)
);
CREATE TABLE books (
    book_id text PRIMARY KEY,
    title text NOT NULL,
    price numeric(8, 2) NOT NULL
);
CREATE TABLE loans (
    loan_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    member_id text NOT NULL REFERENCES members DEFERRABLE INITIALLY DEFERRED,
    book_id text NOT NULL UNIQUE REFERENCES books,
    due date NOT NULL CONSTRAINT due_is_not_before_today CHECK (due >= '2025-03-01'),
    note text NOT NULL DEFAULT ''
);
CREATE FUNCTION count_loans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM loans WHERE member_id = NEW.member_id)
       >= (SELECT most_loans FROM members WHERE member_id = NEW.member_id) THEN
        RAISE EXCEPTION 'Member % has all the loans that are allowed.', NEW.member_id;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER count_loans BEFORE INSERT ON loans FOR EACH ROW EXECUTE FUNCTION count_loans();
"""

SEED = """
INSERT INTO members VALUES ('M-1', 'Ana Ribeiro', 2), ('M-2', 'Ana Ribeiro', 1);
INSERT INTO books VALUES
    ('B-1', 'Dune', 12.50), ('B-2', 'Emma', 8.00), ('B-3', 'Ulysses', 19.90), ('B-4', 'Ósmy', 5.00);
"""

DESK = Domain(
    name="desk",
    title="The lending desk",
    hash="desk-1",
    schema_sql=(SCHEMA,),
    seed_sql=SEED,
    articles=(),
    now=NOW,
    free_columns=frozenset({"loan_id"}),
    toolsets=(),
    policy="Lend one book at a time.",
)


@tool
def find_books(
    db: Db,
    title: str | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
) -> list[dict[str, Any]]:
    """Find books, cheapest first.

    Args:
        title: A part of the title.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT book_id, title, price FROM books"
        " WHERE %(title)s::text IS NULL OR strpos(title, %(title)s) > 0"
        " ORDER BY price, book_id LIMIT %(limit)s",
        title=title,
        limit=limit,
    )


@tool
def get_member(db: Db, member_id: str) -> dict[str, Any]:
    """Return a member and the member's loans.

    Args:
        member_id: The member, such as M-1.
    """
    member = db.require(
        f"There is no member {member_id}.",
        "SELECT * FROM members WHERE member_id = %(member_id)s",
        member_id=member_id,
    )
    loans = db.all(
        "SELECT book_id, due FROM loans WHERE member_id = %(member_id)s ORDER BY loan_id",
        member_id=member_id,
    )
    return {**member, "loans": loans}


@tool(writes=True)
def lend_book(
    db: Db, member_id: str, book_id: str, due: dt.date, note: str = ""
) -> dict[str, Any] | None:
    """Lend a book to a member.

    Args:
        member_id: The member, such as M-1.
        book_id: The book, such as B-1.
        due: The day by which it comes back.
        note: What the desk should know.
    """
    return db.one(
        "INSERT INTO loans (member_id, book_id, due, note)"
        " VALUES (%(member_id)s, %(book_id)s, %(due)s, %(note)s) RETURNING *",
        member_id=member_id,
        book_id=book_id,
        due=due,
        note=note,
    )


@tool(writes=True)
def extend_loan(db: Db, book_id: str, days: int) -> dict[str, Any]:
    """Give a member more days for a book.

    Args:
        book_id: The lent book.
        days: How many days more.
    """
    return db.require(
        f"The book {book_id} is not lent.",
        "UPDATE loans SET due = due + %(days)s::int WHERE book_id = %(book_id)s RETURNING *",
        book_id=book_id,
        days=days,
    )


TOOLS = (find_books, get_member, lend_book, extend_loan)

SCRIPT = (
    ("find_books", '{"title": "u", "limit": 3}'),
    ("get_member", '{"member_id": "M-1"}'),
    ("lend_book", '{"member_id": "M-1", "book_id": "B-3", "due": "2025-03-20"}'),
    ("lend_book", '{"member_id": "M-1", "book_id": "B-3", "due": "2025-03-21"}'),
    ("extend_loan", '{"book_id": "B-3", "days": 2.0}'),
    ("extend_loan", '{"book_id": "B-3", "days": "2"}'),
    ("get_membr", '{"member_id": "M-1"}'),
    ("get_member", '{"member_id": "M-1"}'),
)
"""Calls that succeed, and calls that are refused for each kind of reason."""

LENT = {
    "table": "loans",
    "op": "insert",
    "key": {"loan_id": 1},
    "before": None,
    "after": {
        "loan_id": 1,
        "member_id": "M-1",
        "book_id": "B-3",
        "due": "2025-03-22",
        "note": "",
    },
    "at": 1,
    "last_at": 2,
}
"""What the script changes in all."""


@dataclass(frozen=True)
class ServedDesk:
    """An episode at the desk, for servers: passed when exactly one book was lent."""

    database: EpisodeDatabase
    tools: ToolSession
    instructions: str = DESK.policy

    def list_tools(self) -> list[ToolInfo]:
        return self.tools.list_tools()

    def call(self, call: ToolCall) -> CallRecord:
        executed = self.tools.call_tool(call.name, call.arguments)
        return CallRecord(
            name=call.name,
            arguments=call.arguments,
            content=executed.result.content,
            is_error=executed.result.is_error,
            changes=executed.changes,
        )

    def grade(self) -> tuple[Grade, tuple[Change, ...]]:
        changes = self.database.net_changes()
        passed = [change.table for change in changes] == ["loans"]
        result = CheckResult(kind="check", name="one book is lent", passed=passed)
        return Grade(passed=passed, results=(result,)), changes

    def close(self) -> None:
        self.database.close()


def prepare(database: EpisodeDatabase) -> EpisodeDatabase:
    database.prepare(Start(), NOW)
    return database
