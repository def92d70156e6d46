"""Playing a list of steps in an environment, for tests that bend a task's own solutions."""

import json
from collections.abc import Sequence
from typing import Any

import gymnasium

from tb_envs.references import resolve
from tb_envs.registration import env_id
from tb_envs.specs.models import Step

MAX_GOODBYES = 6


def play(task_id: str, steps: Sequence[Step], database: str) -> dict[str, Any]:
    """Play steps, then say goodbye until the user is done; returns the last info."""
    env = gymnasium.make(env_id(task_id), database=database, judge="skip")
    results: dict[str, str] = {}
    try:
        env.reset(seed=7)
        goodbye = [Step(say="That is the outcome.")] * MAX_GOODBYES
        for step in [*steps, *goodbye]:
            *_, terminated, truncated, info = env.step(action(step, results))
            if step.as_ and not info["calls"][0]["is_error"]:
                results[step.as_] = info["calls"][0]["content"]
            if terminated or truncated:
                return info | {"refused": [c for c in info["calls"] if c["is_error"]]}
    finally:
        env.close()
    raise AssertionError(f"{task_id}: the user never ended the talk")


def action(step: Step, results: dict[str, str]) -> Any:
    """The Gymnasium action of a step."""
    if step.call is None:
        return step.say
    arguments = json.dumps(resolve(step.with_, results))
    return {"content": "", "tool_calls": ({"name": step.call, "arguments": arguments},)}
