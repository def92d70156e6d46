"""Vector environments: several episodes side by side, one thread each.

Database and user are waited for, not computed, so threads are the right vehicle; processes would
only add copies of everything.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from tb_envs.env import StepResult, ThinkingBoxEnv
from tb_envs.errors import UsageError
from tb_envs.messages import Action, Observation
from tb_envs.suite import SuiteEnv

Worker = ThinkingBoxEnv | SuiteEnv
Result = TypeVar("Result")
VectorStep = tuple[
    tuple[Observation, ...],
    NDArray[np.float64],
    NDArray[np.bool_],
    NDArray[np.bool_],
    dict[str, Any],
]


class ThinkingBoxVectorEnv(VectorEnv[tuple[Observation, ...], Any, NDArray[Any]]):
    """Several episodes at once.

    ``autoreset="disabled"`` (default): after an episode has ended, pass
    ``reset(options={"reset_mask": mask})`` for those to begin anew; nothing is lost meanwhile.
    ``autoreset="next_step"``: the step after the end ignores its action and begins a new episode.

    Args:
        make_env: makes one environment; nothing is opened before ``reset``.
        num_envs: how many.
        max_episode_steps: steps after which an episode is cut and graded.
        autoreset: ``disabled`` or ``next_step``.
    """

    def __init__(
        self,
        make_env: Callable[[], Worker],
        num_envs: int,
        max_episode_steps: int | None = None,
        autoreset: str = "disabled",
    ) -> None:
        """Make the environments; nothing is opened before ``reset``."""
        modes = {"disabled": AutoresetMode.DISABLED, "next_step": AutoresetMode.NEXT_STEP}
        if autoreset not in modes:
            raise UsageError(f"autoreset: got {autoreset!r}; expected {' or '.join(modes)}")
        self.num_envs = num_envs
        self.envs = [make_env() for _ in range(num_envs)]
        self.metadata = ThinkingBoxEnv.metadata | {"autoreset_mode": modes[autoreset]}
        self.render_mode = self.envs[0].render_mode
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._max_steps = max_episode_steps
        self._autoreset = autoreset == "next_step"
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._ended = np.ones(num_envs, dtype=np.bool_)
        self._observations: list[Observation] = [()] * num_envs
        self._threads = [ThreadPoolExecutor(1, "thinkingbox-env") for _ in range(num_envs)]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[tuple[Observation, ...], dict[str, Any]]:
        """Begin episodes: all, or those of ``options["reset_mask"]`` (bool array ``[num_envs]``).

        An int seed gives environment ``i`` the seed ``seed + i``; a sequence seeds each.
        """
        options = dict(options or {})
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, dtype=np.bool_)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise UsageError(
                f"reset_mask: got {mask.dtype}{list(mask.shape)}; expected bool[{self.num_envs}]"
            )
        seeds = self._seeds(seed)
        chosen = [int(index) for index in np.flatnonzero(mask)]

        def reset_one(index: int) -> tuple[Observation, dict[str, Any]]:
            return self.envs[index].reset(seed=seeds[index], options=options or None)

        infos: dict[str, Any] = {}
        resets = self._each(reset_one, chosen)
        for index, (observation, info) in zip(chosen, resets, strict=True):
            self._began(index, observation)
            infos = self._add_info(infos, info, index)
        return tuple(self._observations), infos

    def step(self, actions: Sequence[Action] | Mapping[str, Any]) -> VectorStep:
        """Step every environment with its action.

        Args:
            actions: a sequence of ``num_envs`` actions, or a batch as ``action_space`` has it.
        """
        if isinstance(actions, Mapping):
            actions = tuple(iterate(self.action_space, actions))
        if len(actions) != self.num_envs:
            raise UsageError(f"actions: got {len(actions)}; expected {self.num_envs}")
        if self._ended.any() and not self._autoreset:
            raise UsageError(
                f"environments {np.flatnonzero(self._ended).tolist()} have ended; call "
                'reset(options={"reset_mask": mask}) for them first'
            )
        taken = tuple(actions)
        results = self._each(
            lambda index: self._step_one(index, taken[index]), range(self.num_envs)
        )
        infos: dict[str, Any] = {}
        for index, (observation, _, terminated, truncated, info) in enumerate(results):
            self._observations[index] = observation
            self._ended[index] = terminated or truncated
            infos = self._add_info(infos, info, index)
        return (
            tuple(self._observations),
            np.array([float(result[1]) for result in results]),
            np.array([result[2] for result in results]),
            np.array([result[3] for result in results]),
            infos,
        )

    def render(self) -> tuple[Any, ...] | None:
        """Return each conversation as text."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """Give all databases back, once no environment is at work any more."""
        for thread in self._threads:
            thread.shutdown(wait=True, cancel_futures=True)
        for env in self.envs:
            env.close()

    def _each(self, work: Callable[[int], Result], indices: Iterable[int]) -> list[Result]:
        """Let environments work side by side, and wait for all of them.

        Each has a thread of its own: what an error or an interrupt left unfinished there comes to
        its end before the environment is used again.
        """
        futures = [self._threads[index].submit(work, index) for index in indices]
        wait(futures)
        return [future.result() for future in futures]

    def _step_one(self, index: int, action: Action) -> StepResult:
        env = self.envs[index]
        if self._ended[index]:
            observation, info = env.reset()
            self._steps[index] = 0
            return observation, 0.0, False, False, info
        self._steps[index] += 1
        result = env.step(action)
        over = self._max_steps is not None and self._steps[index] >= self._max_steps
        if not over or result[2] or result[3]:
            return result
        _, reward, terminated, truncated, info = env.finish("steps")
        return result[0], reward, terminated, truncated, info | {"calls": result[4]["calls"]}

    def _began(self, index: int, observation: Observation) -> None:
        self._observations[index] = observation
        self._steps[index] = 0
        self._ended[index] = False

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int):
            return [seed + index for index in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise UsageError(f"seed: got {len(seed)} seeds; expected {self.num_envs}")
        return list(seed)


def task_vector_env(
    num_envs: int,
    task: str,
    max_episode_steps: int | None = None,
    autoreset: str = "disabled",
    **task_options: Any,
) -> ThinkingBoxVectorEnv:
    """Make a vector environment of one task; Gymnasium's ``vector_entry_point``."""
    return ThinkingBoxVectorEnv(
        lambda: ThinkingBoxEnv(task, **task_options), num_envs, max_episode_steps, autoreset
    )


def suite_vector_env(
    num_envs: int,
    tasks: str | list[str] = "demo",
    max_episode_steps: int | None = None,
    autoreset: str = "disabled",
    **task_options: Any,
) -> ThinkingBoxVectorEnv:
    """Make a vector environment over a suite; Gymnasium's ``vector_entry_point``."""
    return ThinkingBoxVectorEnv(
        lambda: SuiteEnv(tasks, **task_options), num_envs, max_episode_steps, autoreset
    )
