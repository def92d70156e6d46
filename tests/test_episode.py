"""An episode's record can be kept and shown, whatever a model wrote."""

from pathlib import Path

from rich.console import Console

from tb_envs.display import show_episode
from tb_envs.episode import CallRecord, Episode, MessageRecord, read_episodes, write_episodes
from tb_envs.outcome import Graded


def record(content: str, arguments: str) -> Episode:
    call = CallRecord(name="get", arguments=arguments, content="no", is_error=True)
    message = MessageRecord(role="assistant", content=content, reasoning=content, calls=(call,))
    return Episode(
        env_id="env",
        task_id="task",
        task_hash="",
        policy="policy",
        seed=7,
        messages=(message,),
        outcome=Graded(passed=False),
        reward=0.0,
    )


def test_half_a_surrogate_pair_costs_no_episode(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    write_episodes(path, [record("na\u00efve \ud83d", '{"n": "\ud83d"}')])
    (message,) = next(read_episodes(path)).messages
    assert (message.content, message.reasoning) == ("na\u00efve ?", "na\u00efve ?")
    assert message.calls[0].arguments == '{"n": "?"}'


def test_arguments_that_are_nested_too_deeply_are_shown_as_written() -> None:
    console = Console(record=True, width=80)
    console.print(show_episode(record("", "[" * 20_000)))
    assert "get([[[[" in console.export_text()
