"""The environment: a customer's case, tools on a real PostgreSQL database, a verdict on its rows.

``reset`` takes a fresh database and returns the user's opening message. In each ``step`` the agent
either calls tools (their results are the next observation) or talks to the simulated user (whose
answer is). When the user is done, or a limit cuts the episode, the rows that are left decide the
reward. A failure of the infrastructure ends the episode too, but says nothing about the agent.
"""

import time
from typing import Any, Literal, SupportsFloat

import gymnasium
from gymnasium.error import ResetNeeded

from tb_envs import spaces
from tb_envs.action import read_action
from tb_envs.case import Case, CaseOptions
from tb_envs.episode import CallRecord, Change
from tb_envs.errors import SystemFailure, UsageError
from tb_envs.messages import Action, AssistantTurn, Message, Observation, ObservedMessage
from tb_envs.outcome import CutByLimit, Graded, SystemErrored
from tb_envs.specs import Task, find_task
from tb_envs.transcript import render_transcript

Limit = Literal["turns", "tool_calls", "seconds", "tokens", "steps"]
StepResult = tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]


class ThinkingBoxEnv(gymnasium.Env[Observation, Action]):
    """One task as a Gymnasium environment.

    ## Description
    A support agent works a customer's case with the company's tools. What counts is the database
    that it leaves behind.

    ## Action space
    An assistant turn ``{"content": str, "tool_calls": ({"name": str, "arguments": str}, ...)}``,
    arguments as JSON text; a plain string is a message to the user. Calls run in order; text beside
    calls is not delivered. A malformed action is answered with an error message.

    ## Observation space
    The messages since the last action: a tuple of ``{"role", "name", "content"}`` with role
    ``user`` or ``tool``.

    ## Rewards
    0.0 until the end, then 1.0 if every check, change rule, record and rubric holds, else 0.0.

    ## Episode end
    ``terminated``: the user is done, or the agent has answered a task without a user.
    ``truncated``: a limit of the task (graded all the same), or a system error
    (``info["system_error"]``; never graded, so without ``info["grade"]``).

    ## Arguments
    ``task``: ``<family>`` or ``<family>.<variant>``. ``database``: ``auto``, ``docker``,
    ``embedded`` or a ``postgresql://`` URL (default: ``TB_DATABASE``, else ``auto``).
    ``isolation``: ``database`` or ``container``. ``user``: ``scripted`` or ``llm``. ``judge``:
    ``endpoint`` (rubrics are asked) or ``skip`` (rubrics are left out of the verdict).
    ``on_system_error``: ``truncate`` or ``raise``.

    ## Version history
    v0: first release.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        task: str,
        *,
        database: str | None = None,
        isolation: Literal["database", "container"] = "database",
        user: Literal["scripted", "llm"] = "scripted",
        judge: Literal["endpoint", "skip"] = "endpoint",
        on_system_error: Literal["truncate", "raise"] = "truncate",
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        """Read the task; nothing is opened before ``reset``."""
        if on_system_error not in ("truncate", "raise"):
            raise UsageError(
                f"on_system_error: got {on_system_error!r}; expected truncate or raise"
            )
        self.task: Task = find_task(task)
        self.render_mode = render_mode
        self._options = CaseOptions(database, isolation, user, judge)
        self._raise_system_errors = on_system_error == "raise"
        self._case: Case | None = None
        self._transcript: list[Message | AssistantTurn] = []
        self.observation_space = spaces.observation_space()
        self.action_space = spaces.action_space(self._options.tool_names(self.task))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode on a fresh database.

        Raises:
            SystemFailure: there is no database to begin on. Nothing was lost: reset again.
        """
        super().reset(seed=seed)
        self.close()
        episode_seed = spaces.seed_of(self.np_random) if seed is None else seed
        self._case = Case.open(self.task, self._options, episode_seed)
        self._turns = self._calls = 0
        self._deadline = time.monotonic() + self.task.variant.limits.seconds
        self._transcript = []
        opening = Message("user", "", self._case.opening)
        return self._observe([opening]), self._case.reset_info()

    def step(self, action: Action) -> StepResult:
        """Take one assistant turn.

        Raises:
            ResetNeeded: there is no running episode.
            SystemFailure: only with ``on_system_error="raise"``.
        """
        case = self._running_case()
        self._turns += 1
        turn = read_action(action)
        calls: list[CallRecord] = []
        try:
            if isinstance(turn, str):
                self._transcript.append(AssistantTurn(str(action)))
                messages, done = [Message("tool", "", turn)], False
            else:
                self._transcript.append(turn)
                messages, done = self._take(case, turn, calls)
            if done:
                return self._end(case, messages, calls, limit=None)
            limit = self._limit_reached()
            if limit is not None:
                return self._end(case, messages, calls, limit=limit)
        except SystemFailure as failure:
            return self._fail(failure, calls)
        return self._observe(messages), 0.0, False, False, case.step_info(calls)

    def finish(self, limit: Limit) -> StepResult:
        """End the running episode now and grade it, as if a limit had cut it.

        For loops that know a limit of their own, such as a model's context length.
        """
        case = self._running_case()
        try:
            return self._end(case, [], [], limit=limit)
        except SystemFailure as failure:
            return self._fail(failure, [])

    def render(self) -> str | None:
        """Return the conversation so far as text."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi' when the env is made")
            return None
        return render_transcript(self._transcript)

    def close(self) -> None:
        """Give the database back; safe to call twice."""
        case, self._case = self._case, None
        if case is not None:
            case.close()

    def __del__(self) -> None:
        """Give the database back when a consumer forgot to."""
        if getattr(self, "_case", None) is not None:
            self.close()

    def _running_case(self) -> Case:
        if self._case is None or self._case.ended:
            raise ResetNeeded("there is no running episode; call reset() first")
        return self._case

    def _take(
        self, case: Case, turn: AssistantTurn, calls: list[CallRecord]
    ) -> tuple[list[Message], bool]:
        """Run the turn's calls, or pass its message on; returns the answers and whether it ends."""
        if not turn.tool_calls:
            answer = case.say(turn.content)
            if answer is None:
                return [], True
            return [Message("user", "", answer.content)], answer.done
        messages: list[Message] = []
        for call in turn.tool_calls:
            if self._calls >= self.task.variant.limits.tool_calls:
                break
            self._calls += 1
            record = case.call(call)
            calls.append(record)
            messages.append(Message("tool", record.name, record.content))
        return messages, False

    def _limit_reached(self) -> Limit | None:
        limits = self.task.variant.limits
        if self._calls >= limits.tool_calls:
            return "tool_calls"
        if self._turns >= limits.turns:
            return "turns"
        return "seconds" if time.monotonic() >= self._deadline else None

    def _end(
        self, case: Case, messages: list[Message], calls: list[CallRecord], limit: Limit | None
    ) -> StepResult:
        """Grade the final database; its verdict is the reward."""
        observation = self._observe(messages)
        grade, changes = case.grade()
        outcome = Graded(passed=grade.passed)
        if limit is not None:
            outcome = CutByLimit(limit=limit, passed=grade.passed)
        info = case.step_info(calls) | {
            "outcome": outcome.model_dump(),
            "grade": grade.model_dump(),
            "changes": _plain(changes),
            "system_error": None,
            "is_success": grade.passed,
        }
        return observation, float(grade.passed), limit is None, limit is not None, info

    def _fail(self, failure: SystemFailure, calls: list[CallRecord]) -> StepResult:
        """End without a verdict: nobody knows whether the agent was right.

        There is no ``grade`` in the info, not even None: Gymnasium's vector environments cannot
        batch a None in one environment with a mapping in another.
        """
        case = self._case
        assert case is not None
        case.ended = True
        if self._raise_system_errors:
            raise failure
        outcome = SystemErrored(source=failure.kind, message=str(failure))
        info = case.step_info(calls) | {
            "outcome": outcome.model_dump(),
            "changes": (),
            "system_error": f"{failure.kind}: {failure}",
            "is_success": False,
        }
        return (), 0.0, False, True, info

    def _observe(self, messages: list[Message]) -> Observation:
        self._transcript.extend(messages)
        return tuple(
            ObservedMessage(role=message.role, name=message.name, content=message.content)
            for message in messages
        )


def _plain(changes: tuple[Change, ...]) -> tuple[dict[str, Any], ...]:
    return tuple(change.model_dump() for change in changes)
