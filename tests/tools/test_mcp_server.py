import json
import math
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import desk
import httpx2
import mcp_types as types
import pytest
from desk_server import open_episode
from mcp import Client, MCPError, StdioServerParameters
from raw_client import PROTOCOL, RawClient

from tb_envs.database import EpisodeDatabase
from tb_envs.episode import CallRecord, Change
from tb_envs.errors import DatabaseFailure
from tb_envs.messages import ToolCall
from tb_envs.outcome import Grade
from tb_envs.tools import ToolInfo, ToolSession
from tb_envs.tools.mcp_http import EpisodeSessions, HttpLimits
from tb_envs.tools.mcp_server import make_server
from tb_envs.tools.serving import EndedSession, ServedSession

SERVER = str(Path(__file__).with_name("desk_server.py"))


@dataclass
class Answers:
    """What a client saw of a server."""

    tools: list[types.Tool]
    results: list[tuple[str, bool]]
    instructions: str | None


async def work(client: Client) -> Answers:
    """List the tools and run the script."""
    tools = (await client.list_tools()).tools
    results: list[tuple[str, bool]] = []
    for name, arguments in desk.SCRIPT:
        answer = await client.call_tool(name, json.loads(arguments))
        assert isinstance(answer.content[0], types.TextContent)
        results.append((answer.content[0].text, answer.is_error))
    return Answers(tools, results, client.instructions)


def directly(database: EpisodeDatabase) -> list[tuple[str, bool]]:
    session = ToolSession(database, desk.TOOLS)
    return [tuple(session.call_tool(*step).result) for step in desk.SCRIPT]  # pyright: ignore


def read_results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def see_same_as_directly(answers: Answers, database: EpisodeDatabase, results: Path) -> None:
    """Compare schemas, results and the final database of both doors."""
    session = ToolSession(database, desk.TOOLS)
    assert [
        (tool.name, tool.description, tool.input_schema, tool.annotations.read_only_hint)
        for tool in answers.tools
        if tool.annotations
    ] == session.list_tools()
    assert answers.results == directly(database)
    assert answers.instructions == desk.DESK.policy
    ended = {
        "calls": [name for name, _ in desk.SCRIPT],
        "passed": True,
        "changes": [desk.LENT],
        "failure": None,
    }
    assert read_results(results) == [ended]
    assert [change.model_dump() for change in database.net_changes()] == [desk.LENT]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_stdio_gives_the_same_as_a_direct_call(
    embedded_database: EpisodeDatabase, tmp_path: Path, mode: str
) -> None:
    results = tmp_path / "results.jsonl"

    async def main() -> Answers:
        server = StdioServerParameters(command=sys.executable, args=[SERVER, str(results)])
        async with Client(server, mode=mode) as client:
            return await work(client)

    see_same_as_directly(anyio.run(main), embedded_database, results)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_streamable_http_gives_the_same_as_a_direct_call(
    embedded_database: EpisodeDatabase, tmp_path: Path, mode: str
) -> None:
    results = tmp_path / "results.jsonl"

    async def main(url: str) -> Answers:
        async with Client(url, mode=mode) as client:
            return await work(client)

    with http_server(results) as server:
        answers = anyio.run(main, server.url)
    see_same_as_directly(answers, embedded_database, results)


def test_http_sessions_have_episodes_of_their_own(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"

    async def main(url: str) -> None:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(Client(url)) for _ in range(3)]
            for number, client in enumerate(clients, start=1):
                lend = {"member_id": "M-1", "book_id": f"B-{number}", "due": "2025-03-20"}
                assert not (await client.call_tool("lend_book", lend)).is_error
            for number, client in enumerate(clients, start=1):
                answer = await client.call_tool("get_member", {"member_id": "M-1"})
                loans = json.loads(answer.content[0].text)["loans"]  # pyright: ignore
                assert loans == [{"book_id": f"B-{number}", "due": "2025-03-20"}]
            with RawClient(url) as fourth:
                assert fourth.refusal == (503, "Too many open sessions")

    with http_server(results) as server:
        anyio.run(main, server.url)
    books = [record["changes"][0]["after"]["book_id"] for record in read_results(results)]
    assert sorted(books) == ["B-1", "B-2", "B-3"]


def test_many_calls_at_once_in_one_session_run_one_after_the_other(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"

    async def main(url: str) -> None:
        async with Client(url) as client, anyio.create_task_group() as group:
            await client.call_tool("lend_book", LEND)
            for _ in range(20):
                group.start_soon(client.call_tool, "extend_loan", {"book_id": "B-1", "days": 1})

    with http_server(results) as server:
        anyio.run(main, server.url)
    (record,) = read_results(results)
    assert record["changes"][0]["after"]["due"] == "2025-04-09"


LEND = {"member_id": "M-1", "book_id": "B-1", "due": "2025-03-20"}


def test_an_idle_http_session_is_graded_and_forgotten(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    with http_server(results, idle_timeout_s=0.5) as server, RawClient(server.url) as client:
        assert client.call("lend_book", LEND).status_code == 200
        server.wait_for_the_end_of_a_session()
        assert client.call("lend_book", LEND).status_code == 404
    assert [record["passed"] for record in read_results(results)] == [True]


def test_a_killed_client_leaves_its_session_to_the_idle_timeout(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    program = (
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from raw_client import RawClient\n"
        "client = RawClient(sys.argv[1])\n"
        "client.call('get_member', {'member_id': 'M-1'})\n"
        "with client.listen():\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with http_server(results, idle_timeout_s=0.5) as server:
        killed = subprocess.run([sys.executable, "-c", program, server.url], check=False)
        assert killed.returncode == -signal.SIGKILL
        server.wait_for_the_end_of_a_session()
    assert [record["passed"] for record in read_results(results)] == [False]


def test_a_stopped_http_server_grades_its_open_sessions(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    with http_server(results) as server, RawClient(server.url) as client:
        client.call("lend_book", LEND)
        with client.listen():
            server.process.terminate()
            server.process.wait(timeout=120)
    assert [record["passed"] for record in read_results(results)] == [True]


def test_a_session_that_asks_for_nothing_is_not_graded(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    with http_server(results) as server, RawClient(server.url) as client:
        assert client.leave().status_code == 200
    assert not results.exists()


def test_http_refuses_what_is_not_a_session(tmp_path: Path) -> None:
    with http_server(tmp_path / "results.jsonl") as server, RawClient(server.url) as client:
        unknown = client.ask("tools/list", {"mcp-session-id": "0" * 32})
        sessionless = client.ask("tools/list", {"mcp-protocol-version": "2026-07-28"})
        stray = client.ask("tools/list", {"mcp-session-id": None})
        rebound = client.ask("tools/list", {"host": "evil.example"})
    assert unknown.status_code == 404
    assert sessionless.status_code == 400
    assert sessionless.json()["error"]["code"] == types.UNSUPPORTED_PROTOCOL_VERSION
    assert "2025-06-18" in sessionless.json()["error"]["data"]["supported"]
    assert stray.status_code == 400
    assert rebound.status_code == 421
    assert not (tmp_path / "results.jsonl").exists()


def test_a_session_whose_end_cannot_be_told_leaves_the_others_alone() -> None:
    told: list[EndedSession] = []

    def on_end(ended: EndedSession) -> None:
        told.append(ended)
        if len(told) == 1:
            raise OSError("the disk is full")

    async def main() -> None:
        app = EpisodeSessions(open_episode, on_end, HttpLimits(), "127.0.0.1").app()
        transport = httpx2.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:1") as http,
        ):
            first, second = [await _begin(http) for _ in range(2)]
            for session in (first, second):
                assert (await http.post("/mcp", json=ASK_TOOLS, headers=session)).status_code == 200
            await http.delete("/mcp", headers=first)
            assert (await http.post("/mcp", json=ASK_TOOLS, headers=second)).status_code == 200

    anyio.run(main)
    assert [ended.failure for ended in told] == [None, None]


ASK_TOOLS: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def _begin(http: httpx2.AsyncClient) -> dict[str, str]:
    """Open a session; return the headers of its requests."""
    accept = {"accept": "application/json, text/event-stream"}
    hello = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    }
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    answer = await http.post("/mcp", json=initialize, headers=accept)
    session_id = answer.headers["mcp-session-id"]
    return accept | {"mcp-session-id": session_id, "mcp-protocol-version": PROTOCOL}


class SlowEpisode:
    """An episode without tools whose second call waits to be let go."""

    instructions = ""

    def __init__(self) -> None:
        self.calls = 0
        self.second_began = threading.Event()
        self.let_go = threading.Event()

    def list_tools(self) -> list[ToolInfo]:
        return []

    def call(self, call: ToolCall) -> CallRecord:
        self.calls += 1
        if self.calls == 2:
            self.second_began.set()
            assert self.let_go.wait(60)
        return CallRecord(name=call.name, arguments=call.arguments, content="", is_error=False)

    def grade(self) -> tuple[Grade, tuple[Change, ...]]:
        return Grade(passed=True, results=()), ()

    def close(self) -> None:
        """Hold nothing."""


def test_a_session_that_waits_for_an_answer_is_not_idle() -> None:
    episode = SlowEpisode()

    async def main() -> None:
        session = ServedSession(episode, lambda _: None, idle_timeout_s=60)
        async with anyio.create_task_group() as group:
            group.start_soon(session.call, "first", None)
            group.start_soon(session.call, "second", None)
            await anyio.to_thread.run_sync(episode.second_began.wait)
            assert session.idle_scope.deadline == math.inf
            episode.let_go.set()
        assert session.idle_scope.deadline < math.inf

    anyio.run(main)


def test_a_broken_database_is_an_mcp_error_and_a_session_without_a_grade(
    embedded_database: EpisodeDatabase,
) -> None:
    ended: list[EndedSession] = []
    episode = desk.ServedDesk(embedded_database, ToolSession(embedded_database, desk.TOOLS))

    async def main() -> None:
        session = ServedSession(episode, ended.append)
        async with Client(make_server(session), mode="legacy") as client:
            await client.call_tool("find_books")
            embedded_database.cut()
            for name in ("find_books", "get_membr"):
                with pytest.raises(MCPError, match=r"the environment is broken \(database\)"):
                    await client.call_tool(name)
        await session.finish()

    anyio.run(main)
    assert [call.name for call in ended[0].calls] == ["find_books"]
    assert ended[0].grade is None
    assert isinstance(ended[0].failure, DatabaseFailure)


@dataclass
class HttpServer:
    """The desk's server in a process of its own."""

    process: "subprocess.Popen[str]"
    url: str

    def wait_for_the_end_of_a_session(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ended\n"


@contextmanager
def http_server(results: Path, idle_timeout_s: float = 600.0) -> Iterator[HttpServer]:
    command = [sys.executable, SERVER, str(results), str(idle_timeout_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield HttpServer(process, process.stdout.readline().strip())
        finally:
            process.terminate()
