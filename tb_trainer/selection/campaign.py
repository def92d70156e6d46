"""A campaign: so many attempts at each task of a suite by one policy, and where it stands.

The records here are what a results folder holds beside the episodes themselves.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, NamedTuple

from pydantic import Field

from tb_envs.outcome import Record
from tb_trainer.selection.suite import Suite

JudgeChoice = Literal["endpoint", "skip"]
Kind = Literal["run", "resume", "rerun-missing", "rerun-errors"]


class Slot(NamedTuple):
    """One attempt at one task: what must be there exactly once."""

    task_id: str
    attempt: int


class Campaign(Record):
    """What is to be sampled. Two invocations with equal campaigns fill one results folder.

    ``sampling`` are the policy's settings (temperature, top-p, endpoint model, ...). ``judge`` says
    whether rubrics are asked, or left out of the verdict.
    """

    format_version: Literal[1] = 1
    suite: Suite
    policy: str
    sampling: dict[str, Any] = Field(default_factory=dict)
    attempts: int = Field(ge=1)
    seed: int = 0
    judge: JudgeChoice = "endpoint"

    def slots(self) -> Iterator[Slot]:
        """Every attempt at every task; attempt by attempt, so that an early stop is balanced."""
        for attempt in range(self.attempts):
            for task in self.suite.tasks:
                yield Slot(task.task_id, attempt)

    def seed_of(self, attempt: int) -> int:
        """The environment's seed: all tasks of one attempt number share it, attempts differ."""
        return self.seed + attempt


class Invocation(Record):
    """One line of lineage: who sampled what, when, with which versions."""

    kind: Kind
    at: str
    slots: int = Field(description="Attempts that it set out to make.")
    versions: dict[str, str]


class Standing(Record):
    """How complete a results folder is."""

    planned: int
    clean: int
    errors: dict[str, str] = Field(description="'task#attempt' with only system errors: the last.")
    missing: tuple[str, ...]
    duplicates: tuple[str, ...]
    foreign: tuple[str, ...] = Field(description="Attempts of another policy, suite or content.")

    @property
    def complete(self) -> bool:
        """Each attempt is there exactly once, clean, and nothing else is."""
        return self.clean == self.planned and not (self.duplicates or self.foreign)


def label(slot: Slot) -> str:
    """The slot in words, ``task#attempt``."""
    return f"{slot.task_id}#{slot.attempt}"


def now_text() -> str:
    """This moment, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def installed_versions() -> dict[str, str]:
    """Versions of what decides a result, where installed."""
    found: dict[str, str] = {}
    for name in ("thinkingbox", "gymnasium", "psycopg", "openai", "transformers", "vllm"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
