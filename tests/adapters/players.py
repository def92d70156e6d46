"""Playing a task's own solutions through somebody else's library, and the reward to expect."""

import gc
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tb_envs.database import opening
from tb_envs.errors import DatabaseFailure
from tb_envs.messages import AssistantTurn, ObservedMessage
from tb_envs.policies import IdlePolicy, OraclePolicy, Policy, TrapPolicy
from tb_envs.policies.protocol import EpisodeContext, PolicySession
from tb_envs.registration import env_id
from tb_envs.rollout import run_episode
from tb_envs.specs import find_task
from tb_envs.tools import ExecutedCall, ToolSession

TASK = "hotel-downgrade.approval-missing"
DATABASE = "embedded"
SEED = 7
ROOT = Path(__file__).parents[2]


def policies(task_id: str = TASK) -> list[Policy]:
    """The oracle, doing nothing, and every trap of a task."""
    traps = [TrapPolicy(trap.name) for trap in find_task(task_id).variant.traps]
    return [OraclePolicy(), IdlePolicy(), *traps]


def plain_reward(policy: Policy, task_id: str = TASK) -> float:
    """What the plain environment gives for a policy."""
    env = gymnasium.make(env_id(task_id), database=DATABASE, judge="skip")
    try:
        return run_episode(env, policy, seed=SEED).reward
    finally:
        env.close()


def start(policy: Policy, task_id: str = TASK) -> PolicySession:
    """Begin a policy's side of an episode."""
    return policy.start(EpisodeContext(env_id(task_id), task_id, SEED, 0, "", ()))


def act(session: PolicySession, messages: Sequence[Any]) -> AssistantTurn:
    """The policy's answer to messages of any library that calls them role and content."""
    observed = tuple(
        ObservedMessage(role=message["role"], name="", content=message["content"])
        for message in messages
    )
    return session.act(observed, timeout_s=60.0)


def lent_databases() -> int:
    """How many databases this process holds for running episodes, after a collection of garbage."""
    gc.collect()
    return sum(len(pool._lent) for pool in opening._process.pools.values())


def break_tools(monkeypatch: pytest.MonkeyPatch, calls: int | None = None) -> None:
    """Make the next tool calls of this process meet a lost database; all of them if None."""
    intact = ToolSession.call_tool
    left = [calls]

    def lost(session: ToolSession, name: str, arguments: str) -> ExecutedCall:
        if left[0] == 0:
            return intact(session, name, arguments)
        if left[0] is not None:
            left[0] -= 1
        raise DatabaseFailure("the server is gone")

    monkeypatch.setattr(ToolSession, "call_tool", lost)


def run_example(name: str, *arguments: object, timeout_s: float = 300.0) -> str:
    """Run a file of ``examples/`` in a process of its own, as a user does; returns its output."""
    environment = os.environ | {"TB_DATABASE": DATABASE, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env=environment,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
