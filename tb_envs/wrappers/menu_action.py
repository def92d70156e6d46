"""A discrete menu of grounded moves and a numeric observation, for classic RL libraries.

The menu is what a careful and a careless agent could do in this family, or in this task alone:
every distinct step of its oracles and traps, in an order that tells nothing. Which are right, and
when, is what there is to learn.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from tb_envs.env import ThinkingBoxEnv
from tb_envs.errors import UsageError
from tb_envs.messages import ActionCall, ActionTurn, Observation
from tb_envs.references import UnresolvedReferenceError, resolve
from tb_envs.specs import Task, load_family
from tb_envs.specs.models import Step

TEXT_FEATURES = 64

Features = NDArray[np.float32]


class MenuAction(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Chooses among a family's grounded moves.

    ## Action space
    ``Discrete(n)``: the ``n`` moves of ``self.menu``. A move that needs the result of an earlier
    one is not possible before; choosing it costs a turn. ``info["action_mask"]`` (int8 ``[n]``)
    says what is possible.

    ## Observation space
    ``Box(0, 1, [2 n + 64 + 1], float32)``: which moves were made, which of them were refused, a
    hashed bag of words of the last messages (Weinberger et al. 2009, "Feature Hashing for Large
    Scale Multitask Learning"), and the share of turns used.

    ## Arguments
    ``scope``: ``family`` (moves of all its tasks, so that one network can act in each of them) or
    ``task`` (moves of this task's own solutions: a tenth as many).
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], scope: Literal["family", "task"] = "family"
    ) -> None:
        """Wrap a single-task environment."""
        if scope not in ("family", "task"):
            raise UsageError(f"scope: got {scope!r}; expected family or task")
        RecordConstructorArgs.__init__(self, scope=scope)
        gymnasium.Wrapper.__init__(self, env)
        base = env.unwrapped
        if not isinstance(base, ThinkingBoxEnv):
            raise UsageError(f"MenuAction wraps a single task; got {type(base).__name__}")
        self._task: Task = base.task
        self._scripted = steps_of(self._task, scope)
        self.menu = menu_of(self._scripted)
        self.action_space = spaces.Discrete(len(self.menu))
        size = 2 * len(self.menu) + TEXT_FEATURES + 1
        self.observation_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self._begin()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._begin()
        return self._features(observation), info | {"action_mask": self._mask()}

    def step(self, action: int) -> tuple[Features, Any, bool, bool, dict[str, Any]]:
        """Make the chosen move."""
        index = int(action)
        move = self.menu[index]
        observation, reward, terminated, truncated, info = self.env.step(self._turn(move))
        self._turns += 1
        self._made[index] = 1.0
        for call in info["calls"]:
            self._refused[index] = float(call["is_error"])
            if not call["is_error"]:
                for label in self._labels(move):
                    self._results[label] = call["content"]
        info = info | {"action_mask": self._mask()}
        return self._features(observation), reward, terminated, truncated, info

    def _begin(self) -> None:
        self._made = np.zeros(len(self.menu), np.float32)
        self._refused = np.zeros(len(self.menu), np.float32)
        self._results: dict[str, str] = {}
        self._turns = 0

    def _turn(self, move: Step) -> ActionTurn:
        if move.call is None:
            return ActionTurn(content=move.say or "", tool_calls=())
        try:
            arguments = json.dumps(resolve(move.with_, self._results), ensure_ascii=False)
        except UnresolvedReferenceError:
            arguments = json.dumps(move.with_)
        return ActionTurn(content="", tool_calls=(ActionCall(name=move.call, arguments=arguments),))

    def _labels(self, move: Step) -> set[str]:
        """Every label that scripts gave to this call; the menu holds one of its twins."""
        return {
            step.as_
            for step in self._scripted
            if step.as_ and (step.call, step.with_) == (move.call, move.with_)
        }

    def _mask(self) -> NDArray[np.int8]:
        return np.array([self._possible(move) for move in self.menu], np.int8)

    def _possible(self, move: Step) -> bool:
        try:
            resolve(move.with_, self._results)
        except UnresolvedReferenceError:
            return False
        return True

    def _features(self, observation: Observation) -> Features:
        words = np.zeros(TEXT_FEATURES, np.float32)
        for message in observation:
            for word in re.findall(r"\w+", message["content"].casefold()):
                words[_hash(word) % TEXT_FEATURES] += 1.0
        used = np.float32(min(self._turns / self._task.variant.limits.turns, 1.0))
        words = words / (1.0 + words)  # counts squeezed into [0, 1)
        return np.concatenate([self._made, self._refused, words, [used]]).astype(np.float32)


def menu_of(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The distinct moves among steps, ordered by their hash."""
    moves = {json.dumps([step.call, step.with_, step.say], sort_keys=True): step for step in steps}
    return tuple(moves[key] for key in sorted(moves, key=_hash))


def steps_of(task: Task, scope: Literal["family", "task"]) -> list[Step]:
    """The steps of all oracles and traps of a task, or of its whole family."""
    return [
        step
        for one in (load_family(task.path) if scope == "family" else (task,))
        for steps in (one.variant.oracle, *(trap.steps for trap in one.variant.traps))
        for step in steps
    ]


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
