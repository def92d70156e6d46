import contextlib
import json
from typing import Any

import desk
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tb_envs.database import EpisodeDatabase
from tb_envs.errors import DatabaseFailure, ToolFailure, ToolRefusal, UsageError
from tb_envs.tools import Db, Tool, ToolSession, tool


def refusal(session: ToolSession, name: str, **arguments: Any) -> str:
    """Call a tool, see that it is refused, and return the message."""
    result, changes = session.call_tool(name, json.dumps(arguments))
    assert result.is_error
    assert changes == ()
    return result.content


def test_a_reading_tool_answers_with_json_and_changes_nothing(session: ToolSession) -> None:
    result, changes = session.call_tool("find_books", '{"title": "Dune"}')
    assert not result.is_error
    assert result.content == '[{"book_id":"B-1","title":"Dune","price":12.5}]'
    assert changes == ()


def test_a_writing_tool_is_committed_and_tells_what_it_changed(
    session: ToolSession, database: EpisodeDatabase
) -> None:
    result, changes = session.call_tool(*desk.SCRIPT[2])
    lent = {"loan_id": 1, "member_id": "M-1", "book_id": "B-3", "due": "2025-03-20", "note": ""}
    assert json.loads(result.content) == lent
    assert [(change.table, change.op, change.after) for change in changes] == [
        ("loans", "insert", lent)
    ]
    assert database.fetch_records("loans", {"loan_id": 1}) == [lent]


def test_each_call_tells_only_its_own_changes(session: ToolSession) -> None:
    session.call_tool(*desk.SCRIPT[2])
    result, changes = session.call_tool("extend_loan", '{"book_id": "B-3", "days": 2}')
    assert not result.is_error
    assert [(change.op, change.columns) for change in changes] == [("update", ("due",))]
    assert session.call_tool("get_member", '{"member_id": "M-1"}').changes == ()


def test_an_unknown_tool_is_refused_with_the_nearest_name(session: ToolSession) -> None:
    assert refusal(session, "find_book") == (
        'There is no tool "find_book"; did you mean find_books?'
    )
    assert refusal(session, "\ud800") == (
        'There is no tool "\\ud800"; the tools are extend_loan, find_books, get_member, lend_book'
    )


def test_a_tools_own_refusal_reaches_the_agent_in_its_words(session: ToolSession) -> None:
    assert refusal(session, "get_member", member_id="M-9") == "There is no member M-9."


LEND = {"member_id": "M-1", "book_id": "B-1", "due": "2025-03-20"}


def test_a_foreign_key_refuses_at_commit_too(
    session: ToolSession, database: EpisodeDatabase
) -> None:
    missing_book = refusal(session, "lend_book", **LEND | {"book_id": "B-9"})
    missing_member = refusal(session, "lend_book", **LEND | {"member_id": "M-9"})
    assert missing_book == (
        'The database refused this: Key (book_id)=(B-9) is not present in table "books".'
    )
    assert missing_member == (
        'The database refused this: Key (member_id)=(M-9) is not present in table "members".'
    )
    assert database.net_changes() == ()


def test_unique_and_check_constraints_and_triggers_refuse(
    session: ToolSession, database: EpisodeDatabase
) -> None:
    session.call_tool("lend_book", json.dumps(LEND))
    lent = database.net_changes()
    assert refusal(session, "lend_book", **LEND) == (
        "The database refused this: Key (book_id)=(B-1) already exists."
    )
    assert refusal(session, "extend_loan", book_id="B-1", days=-60) == (
        "The database refused this: it breaks the rule 'due is not before today'"
    )
    session.call_tool("lend_book", json.dumps(LEND | {"member_id": "M-2", "book_id": "B-2"}))
    assert refusal(session, "lend_book", **LEND | {"member_id": "M-2", "book_id": "B-3"}) == (
        "Member M-2 has all the loans that are allowed."
    )
    assert len(database.net_changes()) == len(lent) + 1


def test_values_that_the_database_cannot_hold_are_refused(session: ToolSession) -> None:
    session.call_tool("lend_book", json.dumps(LEND))
    assert refusal(session, "extend_loan", book_id="B-1", days=2**40) == (
        "The database refused a value: integer out of range"
    )
    assert refusal(session, "extend_loan", book_id="B-1", days=2**31 - 1) == (
        "The database refused a value: date out of range"
    )
    assert refusal(session, "get_member", member_id="M\0") == (
        "The database refused a value: PostgreSQL text fields cannot contain NUL (0x00) bytes"
    )


def test_text_that_is_too_long_for_an_index_is_refused_in_few_words(session: ToolSession) -> None:
    long = "".join(chr(0x4E00 + n * 37 % 20000) for n in range(20000))
    assert refusal(session, "lend_book", **LEND | {"book_id": long}).startswith(
        "The database refused"
    )
    assert len(refusal(session, "lend_book", **LEND | {"book_id": long})) <= 400


@pytest.mark.parametrize(
    "text",
    [
        "'; DROP TABLE loans; --",
        "M-1' OR '1'='1",
        '"; DELETE FROM books; --',
        "%(member_id)s",
        "$1",
        "\\'; SELECT pg_sleep(10); --",
        "{member_id}",
    ],
)
def test_sql_in_a_text_argument_is_text(
    session: ToolSession, database: EpisodeDatabase, text: str
) -> None:
    before = database.digest()
    assert refusal(session, "get_member", member_id=text) == f"There is no member {text}."
    assert session.call_tool("find_books", json.dumps({"title": text})).result.content == "[]"
    assert database.digest() == before
    session.call_tool("lend_book", json.dumps(LEND | {"note": text}))
    assert database.fetch_records("loans", {"book_id": "B-1"})[0]["note"] == text


def test_a_refused_write_leaves_nothing_of_what_it_did_before(database: EpisodeDatabase) -> None:
    @tool(writes=True)
    def lend_and_refuse(db: Db) -> None:
        """Lend, then think better of it."""
        db.execute("UPDATE books SET price = 0")
        raise ToolRefusal("No.")

    session = ToolSession(database, [lend_and_refuse])
    assert refusal(session, "lend_and_refuse") == "No."
    assert database.net_changes() == ()


@tool
def write_unasked(db: Db) -> None:
    """Write without having said so."""
    db.execute("UPDATE books SET price = 0")


@tool(writes=True)
def divide(db: Db) -> float:
    """Write, then fail."""
    return db.execute("UPDATE books SET price = 0") / 0


@tool(writes=True)
def answer_badly(db: Db) -> object:
    """Write, then answer what is not JSON."""
    db.execute("UPDATE books SET price = 0")
    return object()


@tool(writes=True)
def hide_an_error(db: Db) -> str:
    """Write, break a constraint, and claim success."""
    db.execute("UPDATE books SET price = 0")
    with contextlib.suppress(psycopg.IntegrityError):
        db.execute("INSERT INTO members VALUES ('M-1', 'x', 1)")
    return "done"


@tool(writes=True)
def misspell(db: Db) -> None:
    """Name a table that there is not."""
    db.execute("UPDATE books SET price = 0")
    db.execute("UPDATE bocks SET price = 0")


@tool(writes=True)
def overreach(db: Db) -> None:
    """Do what the tools' role may not."""
    db.execute("UPDATE books SET price = 0")
    db.execute("UPDATE clock SET now = now")


@pytest.mark.parametrize(
    ("broken", "story"),
    [
        (write_unasked, "write_unasked: cannot execute UPDATE in a read-only transaction"),
        (divide, "divide: ZeroDivisionError: division by zero"),
        (answer_badly, "answer_badly: TypeError: a tool's result holds a object"),
        (hide_an_error, "hide_an_error: the tool went on after an error of the database"),
        (misspell, 'misspell: relation "bocks" does not exist'),
        (overreach, "overreach: permission denied for table clock"),
    ],
)
def test_a_tool_with_a_bug_is_a_failure_and_leaves_nothing(
    database: EpisodeDatabase, broken: Tool, story: str
) -> None:
    before = database.digest()
    session = ToolSession(database, [broken, *desk.TOOLS])
    with pytest.raises(ToolFailure, match=story):
        session.call_tool(broken.name, "")
    assert database.digest() == before
    assert not session.call_tool("find_books", "").result.is_error


@tool(writes=True)
def dawdle(db: Db) -> None:
    """Write, then take too long."""
    db.execute("UPDATE books SET price = 0")
    db.execute("SELECT pg_sleep(60)")


def test_a_statement_that_takes_too_long_is_a_database_failure(database: EpisodeDatabase) -> None:
    session = ToolSession(database, [dawdle])
    database.agent.execute("SET statement_timeout = '50ms'")
    with pytest.raises(DatabaseFailure, match="dawdle: canceling statement due to"):
        session.call_tool("dawdle", "")
    assert database.net_changes() == ()


def test_a_connection_cut_during_a_call_is_a_database_failure(database: EpisodeDatabase) -> None:
    @tool(writes=True)
    def be_cut(db: Db) -> None:
        """Write, and lose the connection."""
        db.execute("UPDATE books SET price = 0")
        database.cut()
        db.execute("UPDATE books SET price = 1")

    session = ToolSession(database, [be_cut, *desk.TOOLS])
    with pytest.raises(DatabaseFailure, match="be_cut: "):
        session.call_tool("be_cut", "")
    with pytest.raises(DatabaseFailure, match="find_books: "):
        session.call_tool("find_books", "")
    with pytest.raises(DatabaseFailure, match="lend_book: "):
        session.call_tool("lend_book", json.dumps(LEND))
    left = database.owner.execute("SELECT count(*) AS n FROM books WHERE price <= 1").fetchone()
    assert left == {"n": 0}


def test_a_connection_cut_between_two_calls_fails_the_next_write(
    database: EpisodeDatabase,
) -> None:
    session = ToolSession(database, desk.TOOLS)
    session.call_tool("find_books", "")
    database.agent.pgconn.finish()
    with pytest.raises(DatabaseFailure, match="lend_book: "):
        session.call_tool("lend_book", json.dumps(LEND))


def test_writes_go_on_after_refusals_with_prepared_statements(session: ToolSession) -> None:
    for _ in range(8):
        assert "is not lent" in refusal(session, "extend_loan", book_id="B-2", days=1)
    session.call_tool("lend_book", json.dumps(LEND))
    for day in range(21, 29):
        result, _ = session.call_tool("extend_loan", '{"book_id": "B-1", "days": 1}')
        assert json.loads(result.content)["due"] == f"2025-03-{day}"


def test_two_tools_of_one_name_are_refused(database: EpisodeDatabase) -> None:
    with pytest.raises(UsageError, match="same name"):
        ToolSession(database, [desk.find_books, desk.find_books])


def test_tools_are_listed_as_the_agent_and_openai_see_them(session: ToolSession) -> None:
    first = session.list_tools()[0]
    assert first == ("find_books", "Find books, cheapest first.", first.input_schema, True)
    assert [info.read_only for info in session.list_tools()] == [True, True, False, False]
    assert session.openai_tools()[0] == {
        "type": "function",
        "function": {
            "name": "find_books",
            "description": "Find books, cheapest first.",
            "parameters": first.input_schema,
        },
    }


JSON_TEXT = st.text(max_size=20) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["member_id", "book_id", "due", "note", "days"]) | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=8,
).map(json.dumps)
NAMES = st.sampled_from(["lend_book", "extend_loan", "get_member"]) | st.text(max_size=5)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(name=NAMES, arguments=JSON_TEXT)
def test_no_malformed_call_raises_or_changes_anything(
    session: ToolSession, database: EpisodeDatabase, name: str, arguments: str
) -> None:
    before = database.digest()
    result, changes = session.call_tool(name, arguments)
    assert result.is_error
    assert result.content.strip()
    result.content.encode()
    assert changes == ()
    assert database.digest() == before
