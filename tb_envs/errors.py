"""Errors, named after the boundary that broke.

Four things can go wrong, and they are never mixed:

1. The agent makes a mistake: a tool result with ``is_error``, never an exception.
2. An author's file is wrong: ``SpecError``, with file, line and field.
3. A caller misuses the API: ``UsageError``.
4. The infrastructure breaks: ``SystemFailure``; the environment turns it into
   ``info["system_error"]``, never into a reward.

::

    ThinkingBoxError
    ├── SpecError
    ├── UsageError
    ├── ToolRefusal              raised by tools, becomes a result with is_error
    └── SystemFailure
        ├── DatabaseFailure      connection lost, timeout, server gone
        ├── ToolFailure          a tool is broken: a bug, not a refusal
        ├── UserFailure          the simulated user's endpoint broke
        ├── JudgeFailure         the judge's endpoint broke or its answer is unusable
        ├── GradingFailure       a check could not be evaluated
        ├── PolicyFailure        the model's endpoint or engine broke
        └── DeadlineExceeded     an episode did not end in time
"""

from pathlib import Path
from typing import ClassVar


class ThinkingBoxError(Exception):
    """Base of every error raised by this project."""


class SpecError(ThinkingBoxError):
    """A domain or task file is not valid; says where and how to mend it."""

    def __init__(
        self, message: str, *, path: Path | None = None, line: int | None = None, field: str = ""
    ) -> None:
        self.path = path
        self.line = line
        self.field = field
        place = ":".join(str(part) for part in (path, line) if part is not None)
        super().__init__(": ".join(part for part in (place, field, message) if part))


class UsageError(ThinkingBoxError, ValueError):
    """The caller asked for something that cannot be; says what was got and expected."""


class ToolRefusal(ThinkingBoxError):  # noqa: N818 - an answer to the agent, not a fault
    """A tool says no; the message reaches the agent and the call is rolled back."""


class SystemFailure(ThinkingBoxError):  # noqa: N818 - "system error" is the outcome it becomes
    """The infrastructure failed; no statement about the agent is possible."""

    kind: ClassVar[str] = "system"


class DatabaseFailure(SystemFailure):
    """PostgreSQL is gone, cut off, or too slow."""

    kind = "database"


class ToolFailure(SystemFailure):
    """A tool or a tool server is broken."""

    kind = "tool"


class UserFailure(SystemFailure):
    """The simulated user could not answer."""

    kind = "user"


class JudgeFailure(SystemFailure):
    """The judge could not answer, or not usably."""

    kind = "judge"


class GradingFailure(SystemFailure):
    """A check could not be evaluated."""

    kind = "grading"


class PolicyFailure(SystemFailure):
    """The policy's endpoint or engine could not produce a turn."""

    kind = "policy"


class DeadlineExceeded(SystemFailure):
    """The episode did not end before its deadline."""

    kind = "deadline"
