"""An episode on disk: one JSON line that can be shown, and graded again without a model."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from tb_envs.outcome import Grade, Outcome, Record

FORMAT_VERSION = 1


def _storable(text: str) -> str:
    """Replace what UTF-8 cannot hold, such as half a surrogate pair that a model's server sent."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


StoredText = Annotated[str, AfterValidator(_storable)]
"""Text from outside, which a file can always hold."""


class Change(Record):
    """One row that differs, by primary key.

    ``before`` is None for an insert and ``after`` is None for a delete; both are whole rows, as
    PostgreSQL's ``to_jsonb`` writes them. ``at`` and ``last_at`` are the places of the row's first
    and last write among the episode's writes, from 1; 0 where they are not known.
    """

    table: str
    op: Literal["insert", "update", "delete"]
    key: dict[str, Any]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    at: int = 0
    last_at: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values differ, in the row's order."""
        before, after = self.before or {}, self.after or {}
        names = self.after if self.after is not None else before
        return tuple(name for name in names if before.get(name) != after.get(name))


class CallRecord(Record):
    """One executed tool call: what was asked, what came back, what it changed in the database."""

    name: StoredText
    arguments: StoredText
    content: StoredText
    is_error: bool
    changes: tuple[Change, ...] = ()


class MessageRecord(Record):
    """One message of the conversation; calls and reasoning only for the assistant."""

    role: Literal["system", "user", "assistant", "tool"]
    content: StoredText
    name: StoredText = ""
    reasoning: StoredText = ""
    calls: tuple[CallRecord, ...] = ()


class Usage(Record):
    """Tokens that the policy consumed; None where the policy does not count tokens."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class Timings(Record):
    """Wall-clock seconds of an episode, by stage."""

    started_at: str = ""
    reset_s: float = 0.0
    policy_s: float = 0.0
    environment_s: float = 0.0
    total_s: float = 0.0


class Episode(Record):
    """One attempt at one task, whole.

    ``changes`` are the net changes between the start and the end of the episode. ``grade`` is None
    exactly when the outcome is a system error (or the environment is not one of ours).
    """

    format_version: int = FORMAT_VERSION
    env_id: str
    task_id: str
    task_hash: str
    policy: str
    seed: int
    attempt: int = 0
    messages: tuple[MessageRecord, ...] = ()
    outcome: Outcome
    reward: float
    grade: Grade | None = None
    changes: tuple[Change, ...] = ()
    usage: Usage = Usage()
    timings: Timings = Timings()
    versions: dict[str, str] = Field(default_factory=dict)

    @property
    def tool_calls(self) -> tuple[CallRecord, ...]:
        """Every executed call, in order."""
        return tuple(call for message in self.messages for call in message.calls)


def write_episodes(path: Path, episodes: Iterable[Episode]) -> None:
    """Append episodes to a JSON-lines file."""
    with path.open("a", encoding="utf-8") as file:
        for episode in episodes:
            file.write(episode.model_dump_json() + "\n")


def read_episodes(path: Path) -> Iterator[Episode]:
    """Read the episodes of a JSON-lines file, one at a time."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield Episode.model_validate_json(line)
