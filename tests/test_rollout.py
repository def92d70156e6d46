"""The one rollout loop: pace, deadlines, failures, and environments that are not ours."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tb_envs import spaces
from tb_envs.episode import Usage, read_episodes, write_episodes
from tb_envs.errors import DatabaseFailure, PolicyFailure, UsageError
from tb_envs.messages import AssistantTurn, Observation
from tb_envs.outcome import CutByLimit, Graded, SystemErrored
from tb_envs.policies.protocol import ContextExhausted, EpisodeContext
from tb_envs.rollout import RolloutJob, rollout, run_episode

COUNTDOWN = "tests/Countdown-v0"


class Countdown(gymnasium.Env[Any, Any]):
    """Not one of ours: says numbers down from the seed; "yes" at zero earns 1."""

    def __init__(self, broken: bool = False) -> None:
        self.observation_space = spaces.observation_space()
        self.action_space = spaces.action_space(())
        self._broken = broken

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        if self._broken:
            raise DatabaseFailure("the server is gone")
        self._left = seed or 0
        return self._say(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        right = action["content"] == "yes" and self._left == 0
        done = self._left == 0
        self._left -= 1
        return self._say(), float(right), done, False, {}

    def _say(self) -> Observation:
        return ({"role": "user", "name": "", "content": str(self._left)},)


class Counter:
    """A policy made from a function of (seed, observation)."""

    name = "counter"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.closed = 0

    def start(self, context: EpisodeContext) -> "CounterSession":
        return CounterSession(self, context)


class CounterSession:
    def __init__(self, policy: Counter, context: EpisodeContext) -> None:
        self._policy, self._context = policy, context

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        return AssistantTurn(self._policy.answer(self._context.seed, observation[0]["content"]))

    def usage(self) -> Usage:
        return Usage(completion_tokens=1)

    def close(self) -> None:
        self._policy.closed += 1


@pytest.fixture(autouse=True)
def countdown() -> Iterator[None]:
    gymnasium.register(COUNTDOWN, entry_point=Countdown)
    yield
    del gymnasium.registry[COUNTDOWN]


def always_yes(seed: int, text: str) -> str:
    return "yes"


def test_an_environment_that_is_not_ours_is_played_and_written_down() -> None:
    env = gymnasium.make(COUNTDOWN)
    policy = Counter(always_yes)
    episode = run_episode(env, policy, seed=2, attempt=5)
    assert episode.reward == 1.0
    assert episode.outcome == Graded(passed=True)
    assert (episode.env_id, episode.task_id, episode.attempt) == (COUNTDOWN, COUNTDOWN, 5)
    assert [message.content for message in episode.messages] == [
        "2", "yes", "1", "yes", "0", "yes", "-1",
    ]  # fmt: skip
    assert episode.usage.completion_tokens == 1
    assert policy.closed == 1


def test_every_job_yields_exactly_one_result() -> None:
    jobs = [RolloutJob(COUNTDOWN, seed % 5, seed) for seed in range(40)]
    results = list(rollout(jobs, Counter(always_yes), concurrency=7))
    assert sorted(result.job.attempt for result in results) == list(range(40))
    assert all(result.episode.reward == 1.0 for result in results)
    assert all(result.session is not None for result in results)


def test_a_worker_keeps_one_environment_however_many_tasks_it_plays() -> None:
    """An open environment holds a database: 129 of them for each worker once filled a server."""
    open_now: list[int] = [0]
    most: list[int] = [0]

    class Counted(Countdown):
        def __init__(self) -> None:
            super().__init__()
            open_now[0] += 1
            most[0] = max(most[0], open_now[0])

        def close(self) -> None:
            open_now[0] -= 1

    names = [f"tests/Counted{number}-v0" for number in range(5)]
    for name in names:
        gymnasium.register(name, entry_point=Counted)
    try:
        jobs = [RolloutJob(name, 0, attempt) for name in names for attempt in range(2)]
        assert len(list(rollout(jobs, Counter(always_yes), concurrency=1))) == 10
    finally:
        for name in names:
            del gymnasium.registry[name]
    assert (most, open_now) == ([1], [0])


def test_jobs_are_drawn_lazily() -> None:
    def endless() -> Iterator[RolloutJob]:
        for attempt in range(10**9):
            yield RolloutJob(COUNTDOWN, 0, attempt)

    results = rollout(endless(), Counter(always_yes), concurrency=2)
    assert next(results).episode.reward == 1.0
    results.close()


def test_a_slow_episode_does_not_hold_the_others_up() -> None:
    others_done = threading.Event()

    def answer(seed: int, text: str) -> str:
        if seed == 3:
            assert others_done.wait(timeout=30)
        return "yes"

    jobs = [RolloutJob(COUNTDOWN, 3), *(RolloutJob(COUNTDOWN, 0, n) for n in range(20))]
    order = []
    for result in rollout(jobs, Counter(answer), concurrency=2):
        order.append(result.job.seed)
        if len(order) == 20:
            others_done.set()
    assert order == [0] * 20 + [3]


def test_a_policy_that_hangs_is_given_up_at_the_deadline_and_replaced() -> None:
    release = threading.Event()

    def answer(seed: int, text: str) -> str:
        if seed == 1:
            release.wait(timeout=60)
        return "yes"

    jobs = [RolloutJob(COUNTDOWN, 1), RolloutJob(COUNTDOWN, 0), RolloutJob(COUNTDOWN, 2)]
    results = {
        result.job.seed: result
        for result in rollout(jobs, Counter(answer), concurrency=1, deadline_s=0.3)
    }
    release.set()
    hung = results[1].episode
    assert isinstance(hung.outcome, SystemErrored)
    assert hung.outcome.source == "deadline"
    assert hung.reward == 0.0
    assert results[1].session is None
    assert [results[seed].episode.reward for seed in (0, 2)] == [1.0, 1.0]


def test_the_collections_deadline_ends_what_was_not_begun_as_a_system_error() -> None:
    jobs = [RolloutJob(COUNTDOWN, 0, attempt) for attempt in range(3)]
    results = list(rollout(jobs, Counter(always_yes), concurrency=1, total_deadline_s=0.0))
    assert [result.episode.outcome.kind for result in results] == ["system_error"] * 3


def test_what_the_infrastructure_breaks_is_a_system_error_with_its_source() -> None:
    def broken(seed: int, text: str) -> str:
        raise PolicyFailure("the endpoint answered 500")

    (acting,) = rollout([RolloutJob(COUNTDOWN, 0)], Counter(broken))
    (resetting,) = rollout(
        [RolloutJob(COUNTDOWN, 0, options={"broken": True})], Counter(always_yes)
    )
    assert acting.episode.outcome == SystemErrored(
        source="policy", message="the endpoint answered 500"
    )
    assert resetting.episode.outcome == SystemErrored(
        source="database", message="the server is gone"
    )
    assert resetting.session is None


def test_a_full_context_is_a_limit_and_not_a_failure() -> None:
    def full(seed: int, text: str) -> str:
        raise ContextExhausted

    (result,) = rollout([RolloutJob(COUNTDOWN, 0)], Counter(full))
    assert isinstance(result.episode.outcome, CutByLimit)


def test_a_full_context_in_our_environment_is_graded(database_choice: str) -> None:
    def full(seed: int, text: str) -> str:
        raise ContextExhausted

    job = RolloutJob("ThinkingBox/hotel-downgrade-v0", 7, options={"database": database_choice})
    (result,) = rollout([job], Counter(full))
    assert result.episode.outcome == CutByLimit(limit="tokens", passed=False)
    assert result.episode.grade is not None


def test_a_mistake_of_the_caller_is_raised() -> None:
    with pytest.raises(UsageError, match="no task"):
        list(
            rollout(
                [RolloutJob("ThinkingBox/hotel-downgrade-v0", 0, options={"task": "nope"})],
                Counter(always_yes),
            )
        )


def test_half_a_character_in_a_model_s_text_does_not_keep_an_episode_from_its_file(
    tmp_path: Path,
) -> None:
    env = gymnasium.make(COUNTDOWN)
    episode = run_episode(env, Counter(lambda seed, seen: "yes \ud83d"), seed=0)
    write_episodes(tmp_path / "episodes.jsonl", [episode])
    (saved,) = read_episodes(tmp_path / "episodes.jsonl")
    assert saved == episode
    assert saved.messages[1].content == "yes ?"
