"""How an episode ended: one typed record from the environment to the report.

Nobody downstream guesses it again from rewards or flags.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Record(BaseModel):
    """Base of frozen wire records: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CheckResult(Record):
    """One part of the verdict.

    ``kind`` says which section of the task file it comes from; ``reason`` explains a failure in
    words, with what was expected and what was found.
    """

    kind: Literal["check", "change", "record", "rubric"]
    name: str
    passed: bool
    reason: str = ""
    expected: str = ""
    actual: str = ""


class Grade(Record):
    """The verdict on a final database state.

    ``passed`` holds only if every result passed. ``records_matched`` of ``records_total`` counts
    the expected final rows that were found.
    """

    passed: bool
    results: tuple[CheckResult, ...]
    records_matched: int = 0
    records_total: int = 0

    @property
    def failures(self) -> tuple[CheckResult, ...]:
        """The results that did not pass."""
        return tuple(result for result in self.results if not result.passed)


class Graded(Record):
    """The conversation came to its end and the database was graded."""

    kind: Literal["graded"] = "graded"
    passed: bool


class CutByLimit(Record):
    """A limit of the task ended the episode; the database was graded all the same."""

    kind: Literal["limit"] = "limit"
    limit: Literal["turns", "tool_calls", "seconds", "tokens", "steps"]
    passed: bool


class SystemErrored(Record):
    """The infrastructure broke; nothing is known about the agent and there is no reward."""

    kind: Literal["system_error"] = "system_error"
    source: str = Field(description="The boundary that broke: database, tool, user, judge, ...")
    message: str


Outcome = Annotated[Graded | CutByLimit | SystemErrored, Field(discriminator="kind")]


def outcome_passed(outcome: Graded | CutByLimit | SystemErrored) -> bool | None:
    """The verdict, or None where a system error leaves none."""
    return None if isinstance(outcome, SystemErrored) else outcome.passed
