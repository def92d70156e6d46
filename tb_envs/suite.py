"""Many tasks behind one environment: one task an episode."""

from pathlib import Path
from typing import Any, SupportsFloat

import gymnasium

from tb_envs import spaces
from tb_envs.env import Limit, StepResult, ThinkingBoxEnv
from tb_envs.errors import UsageError
from tb_envs.messages import Action, Observation
from tb_envs.specs import resolve_tasks


class SuiteEnv(gymnasium.Env[Observation, Action]):
    """A suite of tasks; each ``reset`` serves one.

    ``reset(options={"task_id": ...})`` chooses the task; otherwise one is drawn with the seed.

    ## Arguments
    ``tasks``: a split (``bench``, ``train``, ``demo``), a pool file (``*.json``), or a list of
    task and family names. The others are those of ``ThinkingBoxEnv``.
    """

    metadata: dict[str, Any] = ThinkingBoxEnv.metadata

    def __init__(self, tasks: str | list[str] | Path = "demo", **task_options: Any) -> None:
        """Read the suite's tasks; nothing is opened before ``reset``."""
        self.task_ids = tuple(task.id for task in resolve_tasks(tasks))
        self.render_mode = task_options.get("render_mode")
        self._task_options = task_options
        self._env = ThinkingBoxEnv(self.task_ids[0], **task_options)
        self.observation_space = spaces.observation_space()
        self.action_space = self._env.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode of the chosen or drawn task.

        Raises:
            UsageError: the chosen task is not in this suite.
            SystemFailure: there is no database to begin on.
        """
        super().reset(seed=seed)
        self.close()
        episode_seed = spaces.seed_of(self.np_random) if seed is None else seed
        task_id = (options or {}).get("task_id")
        if task_id is None:
            task_id = self.task_ids[int(self.np_random.integers(len(self.task_ids)))]
        elif task_id not in self.task_ids:
            raise UsageError(
                f"task_id: got {task_id!r}, which is not among this suite's {len(self.task_ids)} "
                "tasks; see env.unwrapped.task_ids"
            )
        self._env = ThinkingBoxEnv(task_id, **self._task_options)
        return self._env.reset(seed=episode_seed)

    def step(self, action: Action) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take one assistant turn in the current task."""
        return self._env.step(action)

    def finish(self, limit: Limit) -> StepResult:
        """End the running episode now and grade it, as if a limit had cut it."""
        return self._env.finish(limit)

    def render(self) -> Any:
        """Return the conversation so far as text."""
        return self._env.render()

    def close(self) -> None:
        """Give the database back; safe to call twice."""
        self._env.close()
