"""An episode served over streamable HTTP in one process, worked by the SDK's client in another."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import anyio
import pytest

from tb_envs.errors import UsageError
from tb_envs.tools.mcp_release import require_mcp

try:
    require_mcp()
except UsageError as error:
    pytest.skip(f"mcp {version('mcp')}: {error}", allow_module_level=True)

from mcp import Client

from tb_envs.episode import Episode, read_episodes
from tb_envs.outcome import Graded
from tb_envs.policies import Policy
from tests.adapters.players import DATABASE, SEED, TASK, act, plain_reward, policies, start
from tests.adapters.players import run_example as run_client

ROUNDS = 20
SERVE = "from tb_envs.cli import main; main()"


@dataclass
class Served:
    """A running server, and where it writes the episodes that ended."""

    process: "subprocess.Popen[str]"
    url: str
    out: Path

    def stop(self) -> list[Episode]:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)
        return list(read_episodes(self.out))


@contextmanager
def served(out: Path) -> Iterator[Served]:
    options = ["--http", "127.0.0.1:0", "--seed", str(SEED), "--out", str(out)]
    command = [sys.executable, "-c", SERVE, "serve", TASK, "--database", DATABASE, *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if " at http" in line)
            yield Served(process, line.split()[-1], out)
        finally:
            process.terminate()


async def play(url: str, policy: Policy) -> None:
    """Play a policy whose talk goes through ``message_user``, for as long as its script goes."""
    session = start(policy)
    async with Client(url) as client:
        assert client.instructions is not None
        seen = {"role": "user", "content": client.instructions.rpartition("\n")[2]}
        for _ in range(ROUNDS):
            turn = act(session, [seen])
            if turn.tool_calls:
                name, arguments = turn.tool_calls[0]
            else:
                name, arguments = "message_user", json.dumps({"message": turn.content})
            answer = await client.call_tool(name, json.loads(arguments))
            seen = {
                "role": "tool" if turn.tool_calls else "user",
                "content": answer.content[0].text,  # type: ignore[union-attr] # ours are texts
            }


def test_the_rewards_are_those_of_the_plain_environment(tmp_path: Path) -> None:
    players = policies()
    with served(tmp_path / "episodes.jsonl") as server:
        for player in players:
            anyio.run(play, server.url, player)
        episodes = server.stop()
    assert [episode.reward for episode in episodes] == [plain_reward(player) for player in players]
    assert all(isinstance(episode.outcome, Graded) for episode in episodes)


def test_the_example_is_graded_when_it_leaves(tmp_path: Path) -> None:
    with served(tmp_path / "episodes.jsonl") as server:
        output = run_client("mcp_client.py", "--url", server.url)
        (episode,) = server.stop()
    assert "find_tickets answered" in output
    assert [call.name for call in episode.tool_calls] == ["find_tickets", "message_user"]
    assert episode.reward == 0.0
