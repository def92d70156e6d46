"""The one rollout loop: training, probing and benchmarking all play episodes through it.

Many episodes run at once, each at its own pace: a slow one never holds the others up. Each has a
deadline, and so has the whole collection; an episode whose policy or environment hangs is given
up at its deadline as a system error, and a fresh worker takes its place.
"""

import json
import math
import queue
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium

from tb_envs.episode import Episode, Usage
from tb_envs.errors import DeadlineExceeded, SystemFailure
from tb_envs.messages import action_of
from tb_envs.policies.protocol import ContextExhausted, EpisodeContext, Policy, PolicySession
from tb_envs.recorder import EpisodeRecorder

DEFAULT_DEADLINE_S = 3600.0
GRACE_S = 0.5
"""Seconds that a policy gets beyond the deadline to notice it itself."""

Env = gymnasium.Env[Any, Any]


@dataclass(frozen=True, slots=True)
class RolloutJob:
    """One episode to play.

    ``options`` go to ``gymnasium.make`` and must be plain JSON values; ``task_id`` chooses a
    suite's task.
    """

    env_id: str
    seed: int
    attempt: int = 0
    task_id: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class RolloutResult:
    """A played episode, and the policy's session, which may hold its tokens.

    ``session`` is None where the episode failed before or while the policy was acting beyond its
    deadline. ``start_digest`` is what the environment says of the state that the episode began
    with; empty where it says nothing.
    """

    job: RolloutJob
    episode: Episode
    session: PolicySession | None
    start_digest: str = ""


def run_episode(
    env: Env,
    policy: Policy,
    *,
    seed: int,
    attempt: int = 0,
    deadline_s: float = DEFAULT_DEADLINE_S,
    task_id: str | None = None,
) -> Episode:
    """Play one episode in a made environment; the environment stays open."""
    play = _Play(RolloutJob(_id_of(env), seed, attempt, task_id), policy, deadline_s)
    play.run(env)
    return play.episode()


def rollout(
    jobs: Iterable[RolloutJob],
    policy: Policy,
    *,
    concurrency: int = 16,
    deadline_s: float = DEFAULT_DEADLINE_S,
    total_deadline_s: float | None = None,
) -> Iterator[RolloutResult]:
    """Play many episodes at once and yield each as it ends.

    Every job yields exactly one result. What the infrastructure breaks is a result with a system
    error; a wrong id or a faulty task file raises.

    Args:
        jobs: what to play; drawn lazily.
        policy: who plays; shared by all episodes.
        concurrency: episodes in flight.
        deadline_s: seconds for each episode, set-up and grading included.
        total_deadline_s: seconds for the whole collection; what is unfinished then, or was not
            begun, ends as a system error of source ``deadline``.
    """
    collection = _Collection(jobs, policy, deadline_s, total_deadline_s)
    try:
        yield from collection.results(concurrency)
    finally:
        collection.stop()


class _Play:
    """One episode being played, and what is known of it should it be given up."""

    def __init__(self, job: RolloutJob, policy: Policy, deadline_s: float) -> None:
        self.job = job
        self.session: PolicySession | None = None
        self.deadline = time.monotonic() + deadline_s
        self.start_digest = ""
        self._policy = policy
        self._usage = Usage()
        task_id = job.task_id or job.env_id
        self._recorder = EpisodeRecorder(job.env_id, policy.name, job.seed, job.attempt, task_id)

    def run(self, env: Env) -> None:
        """Play to the end; a system failure is recorded, not raised."""
        try:
            self._run(env)
        except SystemFailure as failure:
            self._recorder.failed(failure.kind, str(failure))
        finally:
            if self.session is not None:
                self._usage = self.session.usage()
                self.session.close()

    def give_up(self, reason: str) -> None:
        """Record that the episode did not end in time."""
        self._recorder.failed(DeadlineExceeded.kind, reason)

    def episode(self) -> Episode:
        """The record of the ended episode."""
        return self._recorder.episode(self._usage)

    def _run(self, env: Env) -> None:
        recorder = self._recorder
        started = time.perf_counter()
        options = None if self.job.task_id is None else {"task_id": self.job.task_id}
        observation, info = env.reset(seed=self.job.seed, options=options)
        recorder.reset_s = time.perf_counter() - started
        recorder.began(observation, info)
        self.start_digest = str(info.get("database_digest", ""))
        session = self.session = self._policy.start(self._context(info))
        while True:
            started = time.perf_counter()
            try:
                turn = session.act(observation, timeout_s=self._seconds_left())
            except ContextExhausted:
                self._finish(env)
                return
            acted = time.perf_counter()
            observation, reward, terminated, truncated, info = env.step(action_of(turn))
            recorder.policy_s += acted - started
            recorder.environment_s += time.perf_counter() - acted
            recorder.stepped(turn, observation, float(reward), info)
            if terminated or truncated:
                recorder.ended(info, truncated=truncated)
                return

    def _finish(self, env: Env) -> None:
        """Grade what the policy left when its context was full."""
        finish = getattr(env.unwrapped, "finish", None)
        if finish is None:
            self._recorder.ended({}, truncated=True)
            return
        _, reward, _, truncated, info = finish("tokens")
        self._recorder.ended(info, truncated=truncated, reward=float(reward))

    def _context(self, info: Mapping[str, Any]) -> EpisodeContext:
        return EpisodeContext(
            env_id=self.job.env_id,
            task_id=str(info.get("task_id") or self.job.task_id or self.job.env_id),
            seed=self.job.seed,
            attempt=self.job.attempt,
            system_prompt=str(info.get("system_prompt", "")),
            tools=tuple(info.get("tools", ())),
        )

    def _seconds_left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded("the episode's deadline has passed")
        return left


class _Collection:
    """Workers that play jobs, and the watch over their deadlines."""

    def __init__(
        self,
        jobs: Iterable[RolloutJob],
        policy: Policy,
        deadline_s: float,
        total_deadline_s: float | None,
    ) -> None:
        self._jobs = iter(jobs)
        self._policy = policy
        self._deadline_s = deadline_s
        self._ends = time.monotonic() + (math.inf if total_deadline_s is None else total_deadline_s)
        self._lock = threading.Lock()
        self._running: set[_Play] = set()
        self._done: queue.SimpleQueue[_Play | BaseException | None] = queue.SimpleQueue()
        self._stopped = False
        self._workers = 0

    def results(self, concurrency: int) -> Iterator[RolloutResult]:
        """Yield each episode as it ends, until every job has had its result."""
        for _ in range(concurrency):
            self._start_worker()
        while self._workers:
            for late in self._overdue():
                self._start_worker()
                yield RolloutResult(late.job, late.episode(), None)
            try:
                item = self._done.get(timeout=self._patience_s())
            except queue.Empty:
                continue
            if item is None:
                self._workers -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield RolloutResult(item.job, item.episode(), item.session, item.start_digest)

    def stop(self) -> None:
        """Let workers end after the episode that they are playing."""
        self._stopped = True

    def _start_worker(self) -> None:
        self._workers += 1
        threading.Thread(target=self._work, name="rollout", daemon=True).start()

    def _work(self) -> None:
        stage = _Stage()
        try:
            while (play := self._next_play()) is not None:
                play.run(stage.env(play.job))
                with self._lock:
                    if play not in self._running:
                        return  # given up: its result is out, and another worker took its place
                    self._running.remove(play)
                self._done.put(play)
            self._done.put(None)
        except Exception as error:  # noqa: BLE001 - the caller's thread must see what broke a worker
            self._done.put(error)
        finally:
            stage.close()

    def _next_play(self) -> _Play | None:
        with self._lock:
            while not self._stopped:
                job = next(self._jobs, None)
                if job is None:
                    return None
                left = self._ends - time.monotonic()
                play = _Play(job, self._policy, min(self._deadline_s, left))
                if left > 0:
                    self._running.add(play)
                    return play
                play.give_up("the collection's deadline passed before the episode began")
                self._done.put(play)
        return None

    def _overdue(self) -> list[_Play]:
        """Give up the episodes whose deadline has passed by more than the grace."""
        now = time.monotonic()
        with self._lock:
            late = [play for play in self._running if now > play.deadline + GRACE_S]
            self._running.difference_update(late)
        for play in late:
            play.give_up("the policy or the environment did not answer by the episode's deadline")
        self._workers -= len(late)
        return late

    def _patience_s(self) -> float:
        """How long nothing can become overdue."""
        with self._lock:
            first = min((play.deadline for play in self._running), default=None)
        if first is None:
            return 1.0
        return min(max(first + GRACE_S - time.monotonic(), 0.01), 1.0)


class _Stage:
    """A worker's environment, kept while jobs ask for the same one.

    One only: an environment holds its last episode's database until its next reset, and a worker
    that kept one for each of a thousand tasks would fill the server.
    """

    def __init__(self) -> None:
        self._key: tuple[str, str] | None = None
        self._env: Env | None = None

    def env(self, job: RolloutJob) -> Env:
        """Give the environment for a job, made anew when it is not the last job's."""
        key = (job.env_id, json.dumps(dict(job.options), sort_keys=True))
        if self._env is None or key != self._key:
            self.close()
            self._env = gymnasium.make(job.env_id, disable_env_checker=True, **job.options)
            self._key = key
        return self._env

    def close(self) -> None:
        """Close the environment, if there is one."""
        if self._env is not None:
            env, self._env = self._env, None
            env.close()


def _id_of(env: Env) -> str:
    return env.spec.id if env.spec is not None else type(env.unwrapped).__name__
