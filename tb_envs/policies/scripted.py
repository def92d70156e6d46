"""Policies that play a task's own script: its oracle, or one of its traps.

They read the script from the task file, as an author would; nothing of it is ever in ``info``.
"""

from collections.abc import Sequence
from typing import Any

from tb_envs.episode import Usage
from tb_envs.errors import PolicyFailure, UsageError
from tb_envs.messages import AssistantTurn, Observation, ToolCall
from tb_envs.policies.protocol import EpisodeContext
from tb_envs.reading import json_text
from tb_envs.references import UnresolvedReferenceError, resolve
from tb_envs.specs import find_task
from tb_envs.specs.models import Step, Trap

CLOSING = "That is everything I could do for you here; the case is settled from my side."


class OraclePolicy:
    """Plays the scripted solution, which must pass."""

    @property
    def name(self) -> str:
        """The identity that results are filed under."""
        return "oracle"

    def start(self, context: EpisodeContext) -> "ScriptSession":
        """Begin an episode of a task with a file."""
        return ScriptSession(find_task(context.task_id).variant.oracle)


class TrapPolicy:
    """Plays a plausible wrong solution, which must fail: by name, by index, or the first."""

    def __init__(self, trap: str | int | None = None) -> None:
        self._trap = trap

    @property
    def name(self) -> str:
        """The identity that results are filed under."""
        return "trap" if self._trap is None else f"trap:{self._trap}"

    def start(self, context: EpisodeContext) -> "ScriptSession":
        """Begin an episode.

        Raises:
            UsageError: the task has no such trap.
        """
        return ScriptSession(self._find(find_task(context.task_id).variant.traps).steps)

    def _find(self, traps: Sequence[Trap]) -> Trap:
        wanted = 0 if self._trap is None else self._trap
        for index, trap in enumerate(traps):
            if wanted in (index, trap.name):
                return trap
        raise UsageError(
            f"got trap {wanted!r}; expected one of {', '.join(trap.name for trap in traps)}"
        )


class ScriptSession:
    """Plays steps one a turn; afterwards only closes the talk, until the user is done."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = list(steps)
        self._next = 0
        self._results: dict[str, str] = {}
        self._awaited: str | None = None

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Play the next step.

        Raises:
            PolicyFailure: the script refers to a result, or a part of one, that is not there.
        """
        self._remember(observation)
        if self._next == len(self._steps):
            return AssistantTurn(CLOSING)
        step = self._steps[self._next]
        self._next += 1
        if step.call is None:
            return AssistantTurn(step.say or "")
        self._awaited = step.as_
        return AssistantTurn("", (ToolCall(step.call, self._arguments(step)),))

    def usage(self) -> Usage:
        """Return no counts: a script uses no tokens."""
        return Usage()

    def close(self) -> None:
        """Do nothing: a script holds nothing."""

    def _remember(self, observation: Observation) -> None:
        """Keep the result of the last call under its label."""
        if self._awaited is None:
            return
        for message in observation:
            if message["role"] == "tool":
                self._results[self._awaited] = message["content"]
        self._awaited = None

    def _arguments(self, step: Step) -> str:
        try:
            arguments: Any = resolve(step.with_, self._results)
        except UnresolvedReferenceError as error:
            raise PolicyFailure(f"step {self._next} of the script, {step.call}: {error}") from error
        return json_text.encode(arguments)
