"""The README's loop, as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[2] / "README.md"
TURNS: list[Any] = [
    {"content": "", "tool_calls": ({"name": "find_tickets", "arguments": "{}"},)},
    *["I'm sorry, I cannot do that."] * 5,
]


def test_the_loop_of_the_readme_plays_an_episode_to_its_verdict(
    database_choice: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TB_DATABASE", database_choice)
    turns = iter(TURNS)
    seen: list[int] = []

    def my_agent(observation: Any, tools: Any) -> Any:
        seen.append(len(tools))
        return next(turns)

    found = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    exec(found[1], {"my_agent": my_agent})
    assert capsys.readouterr().out.startswith("0.0 {'passed': False")
    # A call and at least one answer, and the travel desk's 45 tools at each.
    assert len(seen) >= 2
    assert set(seen) == {45}
