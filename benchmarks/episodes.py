"""How fast is a whole episode of the hotel task, at 1, 4, 16 and 64 at once?

The oracle plays, so no model's time is in it. Each line is one concurrency: median and p95 of
reset, tool call, grading and close, episodes per second, and memory for each open episode. The
baselines, in the same run: a server of its own for each episode (a container with Docker, else an
embedded server), and a plain ``CREATE DATABASE ... TEMPLATE`` in the foreground for each.

    python benchmarks/episodes.py [--database embedded|docker] [--episodes 400]
"""

import argparse
import os
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import gymnasium

import tb_envs  # noqa: F401 - registers the ids
from tb_envs.database import close_pools, opening, pool
from tb_envs.messages import action_of
from tb_envs.policies import OraclePolicy
from tb_envs.policies.protocol import EpisodeContext

ENV_ID = "ThinkingBox/hotel-downgrade-v0"
BASELINE_EPISODES = 5
WARM_UP = 6
"""Episodes that each environment plays before the clock starts: the driver prepares a statement
when it has seen it five times."""


@dataclass
class Times:
    """Milliseconds by stage."""

    stages: dict[str, list[float]] = field(
        default_factory=lambda: {"reset": [], "call": [], "grade": [], "close": []}
    )
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, stage: str, started: float) -> None:
        """Add the time since ``started`` to a stage."""
        elapsed = (time.perf_counter() - started) * 1000
        with self.lock:
            self.stages[stage].append(elapsed)


def play(env: gymnasium.Env, seed: int, times: Times) -> None:
    """Play one oracle episode, timing each stage from the outside."""
    started = time.perf_counter()
    observation, info = env.reset(seed=seed)
    times.add("reset", started)
    session = OraclePolicy().start(
        EpisodeContext(ENV_ID, info["task_id"], seed, 0, info["system_prompt"], info["tools"])
    )
    done = False
    while not done:
        turn = session.act(observation, timeout_s=60)
        started = time.perf_counter()
        observation, reward, terminated, truncated, info = env.step(action_of(turn))
        done = terminated or truncated
        if done:
            times.add("grade", started)
        elif turn.tool_calls:
            times.add("call", started)
    assert reward == 1.0, info
    started = time.perf_counter()
    env.close()
    times.add("close", started)


def make(database: str, isolation: str = "database") -> gymnasium.Env:
    """Make the hotel environment as the rollout loop does."""
    return gymnasium.make(ENV_ID, database=database, isolation=isolation, disable_env_checker=True)


def measure(
    database: str, concurrency: int, episodes: int, isolation: str = "database"
) -> tuple[Times, float]:
    """Play ``episodes`` with ``concurrency`` at once; returns times and episodes per second."""
    times = Times()
    envs = [make(database, isolation) for _ in range(concurrency)]

    def work(index: int) -> None:
        for seed in range(index, episodes, concurrency):
            play(envs[index], seed, times)

    warm = Times()
    with ThreadPoolExecutor(concurrency) as threads:
        for _ in range(WARM_UP if isolation == "database" else 1):
            list(threads.map(lambda env: play(env, 0, warm), envs))
        started = time.perf_counter()
        list(threads.map(work, range(concurrency)))
        rate = episodes / (time.perf_counter() - started)
    return times, rate


def memory_per_episode_mb(database: str, count: int = 32) -> float:
    """Proportional set size of this process and of PostgreSQL, for each further open episode."""
    envs = [make(database) for _ in range(count)]
    envs[0].reset(seed=0)
    before = pss_mb()
    for env in envs[1:]:
        env.reset(seed=0)
        env.step({"content": "", "tool_calls": ({"name": "find_tickets", "arguments": "{}"},)})
    used = (pss_mb() - before) / (count - 1)
    for env in envs:
        env.close()
    return used


def pss_mb() -> float:
    """Memory of this process and of every postgres process, shared pages counted once."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "comm").read_text().strip()
            if name != "postgres" and int(process.name) != os.getpid():
                continue
            for line in (process / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        except OSError:
            continue
    return total / 1024


def measure_clones(database: str) -> tuple[Times, float]:
    """Play with a pool that makes nothing ahead and uses nothing again: a clone an episode."""
    close_pools()
    kept = opening.WARM, pool.MAX_USES
    opening.WARM, pool.MAX_USES = 0, 1
    try:
        return measure(database, 1, BASELINE_EPISODES)
    finally:
        close_pools()
        opening.WARM, pool.MAX_USES = kept


def quantiles(values: list[float]) -> str:
    """Write median and 95th percentile."""
    ordered = sorted(values)
    return f"{statistics.median(ordered):7.2f} {ordered[int(0.95 * (len(ordered) - 1))]:7.2f}"


def table_row(label: str, times: Times, rate: float) -> str:
    """Write one line of the table."""
    cells = " | ".join(quantiles(values) for values in times.stages.values())
    return f"{label:>14} | {cells} | {rate:8.1f}"


def lines(database: str, episodes: int) -> Iterator[str]:
    """Measure, and yield each line of the table as it is known."""
    # First of all: later the pool holds open databases for everyone.
    yield f"memory for each open episode: {memory_per_episode_mb(database):.1f} MB"
    yield (
        f"{'at once':>14} | "
        + " | ".join(
            f"{stage + ' p50':>8} {'p95':>6}" for stage in ("reset", "call", "grade", "close")
        )
        + " | episodes/s   (ms)"
    )
    rates: dict[int, float] = {}
    for concurrency in (1, 4, 16, 64):
        times, rates[concurrency] = measure(database, concurrency, episodes)
        yield table_row(str(concurrency), times, rates[concurrency])
    times, cloned = measure_clones(database)
    yield table_row("1, own clone", times, cloned)
    times, alone = measure(database, 1, BASELINE_EPISODES, "container")
    yield table_row("1, own server", times, alone)
    yield f"one at a time, a pooled database against a clone made for it: x{rates[1] / cloned:.1f}"
    yield f"one at a time, a pooled database against an own server: x{rates[1] / alone:.1f}"
    yield f"64 at once against 1: x{rates[64] / rates[1]:.2f}"


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="embedded")
    parser.add_argument("--episodes", type=int, default=400)
    arguments = parser.parse_args()
    for line in lines(arguments.database, arguments.episodes):
        print(line, flush=True)


if __name__ == "__main__":
    main()
