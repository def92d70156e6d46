import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import desk
import pytest
from test_mcp_server import http_server

from tb_envs.database import EpisodeDatabase
from tb_envs.errors import ToolFailure
from tb_envs.specs.models import OutsideServer
from tb_envs.tools import ToolSession, open_tools
from tb_envs.tools.mcp_client import OutsideToolSession

COMMAND = [
    sys.executable,
    str(Path(__file__).with_name("outside_server.py")),
    "{database_url}",
]


@pytest.fixture
def outside(embedded_database: EpisodeDatabase) -> Iterator[OutsideToolSession]:
    session = open_tools(embedded_database, (), OutsideServer(command=COMMAND))
    assert isinstance(session, OutsideToolSession)
    with closing(session):
        yield session


def test_the_tools_are_listed_as_the_server_describes_them(outside: OutsideToolSession) -> None:
    tools = {info.name: info for info in outside.list_tools()}
    assert list(tools) == ["count_books", "rename_member", "refuse", "crash", "hang"]
    assert tools["count_books"].description == "Count the books that cost at most so much."
    assert [info.read_only for info in tools.values()] == [True, False, False, False, False]
    schema = tools["rename_member"].input_schema
    assert schema["required"] == ["member_id", "name"]
    assert outside.openai_tools()[1]["function"]["parameters"] == schema


def test_calls_work_on_the_episodes_database_and_tell_what_they_changed(
    outside: OutsideToolSession,
) -> None:
    counted = outside.call_tool("count_books", '{"most": 10}')
    assert counted.result == ("2 books", False)
    assert counted.changes == ()
    renamed = outside.call_tool("rename_member", '{"member_id": "M-1", "name": "Ana Costa"}')
    assert not renamed.result.is_error
    (change,) = renamed.changes
    assert (change.table, change.op, change.columns) == ("members", "update", ("name",))
    assert change.after == {"member_id": "M-1", "name": "Ana Costa", "most_loans": 2}


def test_bad_calls_are_refused_before_the_server_sees_them(outside: OutsideToolSession) -> None:
    refusals = {
        ("rename_membr", "{}"): 'There is no tool "rename_membr"; did you mean rename_member?',
        ("count_books", '{"most": "ten"}'): "most: 'ten' is not of type 'integer'",
        ("rename_member", '{"name": "x"}'): "arguments: 'member_id' is a required property",
        ("count_books", "[]"): "arguments: got [], expected a JSON object",
    }
    for (name, arguments), message in refusals.items():
        assert outside.call_tool(name, arguments).result == (message, True)
    for text in ("{", '{"most": NaN}', '{"most": "\\ud800"}', "[" * 5000):
        content, is_error = outside.call_tool("count_books", text).result
        assert is_error
        assert content.startswith("arguments: not valid JSON")


def test_what_the_server_calls_an_error_is_a_refusal(outside: OutsideToolSession) -> None:
    content, is_error = outside.call_tool("refuse", "").result
    assert is_error
    assert "the desk is closed" in content


def test_a_server_that_breaks_down_is_a_failure_with_its_last_words(
    outside: OutsideToolSession,
) -> None:
    with pytest.raises(ToolFailure, match=r"(?s)calling crash: .*out of ink"):
        outside.call_tool("crash", "")
    with pytest.raises(ToolFailure, match="calling count_books"):
        outside.call_tool("count_books", "")


def test_a_server_that_does_not_answer_in_time_is_a_failure(
    embedded_database: EpisodeDatabase,
) -> None:
    session = OutsideToolSession(
        OutsideServer(command=COMMAND),
        embedded_database,
        agent_url=embedded_database.agent_url,
        timeout_s=0.2,
    )
    with closing(session), pytest.raises(ToolFailure, match="calling hang"):
        session.call_tool("hang", "")


@pytest.fixture
def odd(embedded_database: EpisodeDatabase) -> Iterator[OutsideToolSession]:
    command = [sys.executable, str(Path(__file__).with_name("odd_server.py"))]
    session = open_tools(embedded_database, (), OutsideServer(command=command))
    assert isinstance(session, OutsideToolSession)
    with closing(session):
        yield session


def test_a_schema_or_an_answer_that_cannot_be_read_is_a_failure(odd: OutsideToolSession) -> None:
    for name, problem in (("dangling", "nowhere"), ("not_a_number", "not JSON compliant")):
        with pytest.raises(ToolFailure, match=f"calling {name}: .*{problem}"):
            odd.call_tool(name, '{"x": 1}')


def test_arguments_that_are_too_deep_or_too_long_to_explain_are_refused(
    odd: OutsideToolSession,
) -> None:
    deep = f'{{"x": {"[" * 300}{"]" * 300}}}'
    assert odd.call_tool("nested", deep).result == ("arguments: nested too deeply", True)
    content, is_error = odd.call_tool("nested", f'{{"x": "{"y" * 5000}"}}').result
    assert is_error
    assert content.startswith("x: 'yyy")
    assert len(content) == len("x: ") + 400


@pytest.mark.parametrize(
    "server",
    [
        OutsideServer(command=["/no/such/program"]),
        OutsideServer(command=[sys.executable, "-c", "import sys; sys.exit('no licence')"]),
        OutsideServer(url="http://127.0.0.1:9/mcp"),
    ],
)
def test_a_server_that_is_not_there_is_a_failure(
    embedded_database: EpisodeDatabase, server: OutsideServer
) -> None:
    with pytest.raises(ToolFailure, match="outside MCP server: connecting"):
        open_tools(embedded_database, (), server)


def test_a_server_with_a_url_gives_the_same_as_a_direct_call(
    embedded_database: EpisodeDatabase, tmp_path: Path
) -> None:
    direct = ToolSession(embedded_database, desk.TOOLS)
    with http_server(tmp_path / "results.jsonl") as server:
        session = open_tools(embedded_database, (), OutsideServer(url=server.url))
        with closing(session):
            assert session.list_tools() == direct.list_tools()
            for name, arguments in desk.SCRIPT:
                outside, inside = (
                    session.call_tool(name, arguments),
                    direct.call_tool(name, arguments),
                )
                assert outside.result.is_error == inside.result.is_error
                if not inside.result.is_error:
                    assert outside.result == inside.result
            server.process.terminate()
            server.process.wait(timeout=120)
            with pytest.raises(ToolFailure, match="calling find_books"):
                session.call_tool("find_books", "")
