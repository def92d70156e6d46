"""Writing an episode down while it happens, from what an environment returns."""

import platform
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any, cast

from pydantic import TypeAdapter

from tb_envs.episode import CallRecord, Change, Episode, MessageRecord, Timings, Usage
from tb_envs.messages import AssistantTurn, Observation
from tb_envs.outcome import CutByLimit, Grade, Graded, Outcome, SystemErrored

_OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)
_CHANGES = TypeAdapter(tuple[Change, ...])
_CALLS = TypeAdapter(tuple[CallRecord, ...])


class EpisodeRecorder:
    """Collects one episode's messages, rewards and times; ``episode`` gives the record.

    Works for any environment with these spaces: where ``info`` holds no outcome (an environment
    that is not one of ours), success is ``info["is_success"]`` or else a positive return.
    """

    def __init__(self, env_id: str, policy: str, seed: int, attempt: int, task_id: str) -> None:
        self.seed = seed
        self._identity: dict[str, Any] = {
            "env_id": env_id,
            "policy": policy,
            "seed": seed,
            "attempt": attempt,
        }
        self._task_id, self._task_hash = task_id, ""
        self._messages: list[MessageRecord] = []
        self._reward = 0.0
        self._final: Mapping[str, Any] = {}
        self._outcome: Outcome | None = None
        self._started = time.monotonic()
        self._started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.reset_s = self.policy_s = self.environment_s = 0.0

    def began(self, observation: Observation, info: Mapping[str, Any]) -> None:
        """Write down what ``reset`` returned."""
        self._task_id = str(info.get("task_id") or self._task_id)
        self._task_hash = str(info.get("task_hash", ""))
        if info.get("system_prompt"):
            self._messages.append(MessageRecord(role="system", content=info["system_prompt"]))
        self._observe(observation)

    def stepped(
        self, turn: AssistantTurn, observation: Observation, reward: float, info: Mapping[str, Any]
    ) -> None:
        """Write down a turn and what ``step`` returned."""
        self._messages.append(
            MessageRecord(
                role="assistant",
                content=turn.content,
                reasoning=turn.reasoning,
                calls=_calls(turn, info),
            )
        )
        self._observe(observation)
        self._reward += reward

    def ended(self, info: Mapping[str, Any], *, truncated: bool, reward: float = 0.0) -> None:
        """Write down the end; ``reward`` is what ``finish`` gave after the last step."""
        self._reward += reward
        self._final = info
        if "outcome" in info:
            self._outcome = _OUTCOME.validate_python(info["outcome"])
            return
        passed = bool(info.get("is_success", self._reward > 0))
        self._outcome = (
            CutByLimit(limit="steps", passed=passed) if truncated else Graded(passed=passed)
        )

    def failed(self, source: str, message: str) -> None:
        """Write down that the infrastructure broke."""
        self._final = {}
        self._reward = 0.0
        self._outcome = SystemErrored(source=source, message=message)

    def episode(self, usage: Usage) -> Episode:
        """Return the record of an ended episode."""
        if self._outcome is None:
            raise AssertionError("the episode has not ended")
        grade = self._final.get("grade")
        return Episode(
            **self._identity,
            task_id=self._task_id,
            task_hash=self._task_hash,
            messages=tuple(self._messages),
            outcome=self._outcome,
            reward=self._reward,
            grade=None if grade is None else Grade.model_validate(grade),
            changes=_CHANGES.validate_python(self._final.get("changes", ())),
            usage=usage,
            timings=Timings(
                started_at=self._started_at,
                reset_s=self.reset_s,
                policy_s=self.policy_s,
                environment_s=self.environment_s,
                total_s=time.monotonic() - self._started,
            ),
            versions=_versions(),
        )

    def _observe(self, observation: Observation) -> None:
        self._messages.extend(
            MessageRecord(
                role=cast("Any", message["role"]), name=message["name"], content=message["content"]
            )
            for message in observation
        )


def _calls(turn: AssistantTurn, info: Mapping[str, Any]) -> tuple[CallRecord, ...]:
    if "calls" in info:
        return _CALLS.validate_python(info["calls"])
    return tuple(
        CallRecord(name=call.name, arguments=call.arguments, content="", is_error=False)
        for call in turn.tool_calls
    )


@cache
def _versions() -> dict[str, str]:
    return {
        "thinkingbox": version("thinkingbox"),
        "gymnasium": version("gymnasium"),
        "python": platform.python_version(),
    }
