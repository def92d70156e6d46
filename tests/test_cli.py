"""The ``tb-envs`` program, as a person runs it."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from typer.testing import CliRunner

from tb_envs.cli import app, main
from tb_envs.episode import read_episodes
from tb_envs.errors import UsageError
from tb_envs.specs import task_ids

runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})


def output_of(*arguments: str, code: int = 0) -> str:
    result = runner.invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def test_list_names_every_task() -> None:
    text = output_of("list")
    assert f"{len(task_ids())} tasks" in text
    assert "hotel-downgrade.approval-missing" in text


def test_list_keeps_to_a_split_and_a_domain() -> None:
    assert "0 tasks" in output_of("list", "--split", "train", "--domain", "travel")
    assert "hotel-downgrade." in output_of("list", "--split", "demo", "--domain", "travel")


def test_show_prints_the_author_s_view() -> None:
    text = output_of("show", "hotel-downgrade")
    assert "oracle:" in text
    assert "traps:" in text
    assert "equipment|g[ai]ven? back" in output_of("show", "leaver-checklist")


def test_demo_gives_the_three_rewards(database_choice: str) -> None:
    text = output_of("demo", "--database", database_choice)
    assert "Rewards: oracle 1.0, idle 0.0, trap 0.0" in text
    assert "~ tickets(id=TCK-3101)  status: new -> on_hold" in text


def test_play_writes_the_episode_down(database_choice: str, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    options = ["--policy", "idle", "--database", database_choice, "--out", str(path)]
    assert "FAILED" in output_of("play", "hotel-downgrade", *options)
    (episode,) = read_episodes(path)
    assert (episode.policy, episode.reward) == ("idle", 0.0)


def test_validate_proves_a_family(database_choice: str) -> None:
    text = output_of("validate", "hotel-downgrade", "--database", database_choice, "--jobs", "2")
    assert "14 of 14 tasks proven" in text


def test_validate_proves_a_task_that_is_named_twice_once(database_choice: str) -> None:
    task = "locker-request.unlock-paid-silver"
    text = output_of("validate", task, task, "--database", database_choice, "--jobs", "4")
    assert "1 of 1 tasks proven" in text


def test_doctor_finds_a_database(database_choice: str) -> None:
    assert "PostgreSQL 18" in output_of("doctor", "--database", database_choice)


def test_schema_writes_json_schemas_for_editors(tmp_path: Path) -> None:
    output_of("schema", str(tmp_path))
    family = json.loads((tmp_path / "family.schema.json").read_text())
    assert family["additionalProperties"] is False
    assert set(family["required"]) == {"family", "domain", "split", "purpose", "variants"}


def test_an_unknown_task_is_a_message_and_not_a_traceback() -> None:
    with pytest.raises(UsageError, match="did you mean hotel-downgrade"):
        output_of("show", "hotel-downgrad")
    done = subprocess.run(
        [sys.executable, "-c", "from tb_envs.cli import main; main()", "show", "hotel-downgrad"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("UsageError: no task 'hotel-downgrad'; did you mean")


def test_a_message_with_brackets_is_printed_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tb-envs", "show", "[/bold]"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err.startswith("UsageError: no task '[/bold]'")


def test_an_episode_is_served_over_mcp_and_graded_at_the_end(
    database_choice: str, tmp_path: Path
) -> None:
    path = tmp_path / "served.jsonl"
    server = StdioServerParameters(
        command=sys.executable,
        args=[
            "-c", "from tb_envs.cli import main; main()",
            "serve", "hotel-downgrade", "--database", database_choice, "--out", str(path),
        ],
        env=dict(os.environ),
    )  # fmt: skip

    async def talk() -> tuple[list[str], str]:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            answer = await session.call_tool(
                "message_user", {"message": "Which e-mail address is the booking under?"}
            )
            await session.call_tool(
                "set_ticket_priority", {"ticket_id": "TCK-2001", "priority": "urgent"}
            )
            return names, answer.content[0].text

    names, answer = asyncio.run(talk())
    assert "get_booking" in names
    assert "mariana.costa@castellane.example" in answer
    (episode,) = read_episodes(path)
    assert [call.name for call in episode.tool_calls] == ["message_user", "set_ticket_priority"]
    assert episode.reward == 0.0
    assert episode.grade is not None
    assert any("TCK-2001" in result.name for result in episode.grade.failures)
