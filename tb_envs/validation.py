"""Proving tasks: the oracle passes, idleness fails, every trap fails, twice the same end.

And no variant of a family repeats another.

Nobody trusts a check that was never seen to fail. Each task is played by its own scripted
solutions, through the tools and the user that an agent would have.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tb_envs.episode import Episode
from tb_envs.outcome import Graded, SystemErrored
from tb_envs.policies import IdlePolicy, OraclePolicy, TrapPolicy
from tb_envs.policies.protocol import EpisodeContext, PolicySession
from tb_envs.registration import env_id
from tb_envs.rollout import RolloutJob, RolloutResult, rollout
from tb_envs.specs import Task, find_task, load_family
from tb_envs.twins import twins

SEED = 7
ORACLE_RUNS = 2
EPISODE_DEADLINE_S = 120.0


@dataclass(frozen=True, slots=True)
class TaskProof:
    """What playing a task's own solutions showed; no problems means proven."""

    task_id: str
    problems: tuple[str, ...]
    oracle_calls: int


def prove_tasks(
    tasks: Sequence[Task], *, database: str | None = None, concurrency: int = 4
) -> Iterator[TaskProof]:
    """Prove tasks and yield each one's proof, once, as it is complete."""
    waiting = {task.id: task for task in tasks}
    played: dict[str, list[RolloutResult]] = {task_id: [] for task_id in waiting}
    for result in rollout(
        _jobs(waiting.values(), database),
        _ProofPolicy(),
        concurrency=concurrency,
        deadline_s=EPISODE_DEADLINE_S,
    ):
        task_id = str(result.job.task_id)
        results = played[task_id]
        results.append(result)
        if len(results) == len(_players(waiting[task_id])):
            yield _proof(waiting[task_id], results)


def _players(task: Task) -> list[str]:
    """Who plays, by attempt number: the oracle twice, nobody, then each trap."""
    return ["oracle"] * ORACLE_RUNS + ["idle", *(trap.name for trap in task.variant.traps)]


def _jobs(tasks: Iterable[Task], database: str | None) -> Iterator[RolloutJob]:
    options = {"judge": "skip"} | ({} if database is None else {"database": database})
    for task in tasks:
        for attempt in range(len(_players(task))):
            yield RolloutJob(env_id(task.id), SEED, attempt, task.id, options)


class _ProofPolicy:
    """Plays a task's scripted solutions, one an attempt."""

    name = "proof"

    def start(self, context: EpisodeContext) -> PolicySession:
        player = _players(find_task(context.task_id))[context.attempt]
        if player == "oracle":
            return OraclePolicy().start(context)
        if player == "idle":
            return IdlePolicy().start(context)
        return TrapPolicy(player).start(context)


def _proof(task: Task, results: Iterable[RolloutResult]) -> TaskProof:
    episodes = {result.job.attempt: result.episode for result in results}
    problems: list[str] = []
    for attempt, player in enumerate(_players(task)):
        problems.extend(_problems(player, episodes[attempt]))
    first, second = episodes[0], episodes[1]
    turns = sum(message.role == "assistant" for message in first.messages)
    if turns != len(task.variant.oracle) and first.grade is not None:
        problems.append(
            f"oracle: {len(task.variant.oracle)} steps, but the talk took {turns} turns; the last "
            "step must be the one that the user leaves at"
        )
    if (first.changes, first.grade) != (second.changes, second.grade):
        problems.append("oracle: two runs left different final states")
    if twin := _twins_of(task.path).get(task.id):
        problems.append(
            f"the same right end by the same calls and checks as {twin}, up to identifiers; change "
            "what is right, or drop one (or say `grid: true` of the family)"
        )
    return TaskProof(task.id, tuple(dict.fromkeys(problems)), len(first.tool_calls))


@cache
def _twins_of(path: Path) -> dict[str, str]:
    family = load_family(path)
    return {} if family[0].grid else twins(family)


def _problems(player: str, episode: Episode) -> Iterator[str]:
    outcome = episode.outcome
    if isinstance(outcome, SystemErrored):
        yield f"{player}: system error ({outcome.source}): {outcome.message}"
    elif player == "oracle":
        if not outcome.passed and episode.grade is not None:
            yield from (
                f"oracle: {result.kind} {result.name!r} failed: {result.reason}"
                for result in episode.grade.failures
            )
        if not isinstance(outcome, Graded):
            yield f"oracle: cut by the limit of {outcome.limit} before the user was done"
        yield from (
            f"oracle: call {call.name} was refused: {call.content}"
            for call in episode.tool_calls
            if call.is_error
        )
    elif outcome.passed:
        yield f"{player}: passes, and must fail"
