"""Gymnasium's registry: an id for each task, written without reading any task."""

import gymnasium

from tb_envs.specs.catalog import family_files, task_ids

NAMESPACE = "ThinkingBox"
SUITE_ID = f"{NAMESPACE}/Suite-v0"


def env_id(task_id: str) -> str:
    """The Gymnasium id of a task or family."""
    return f"{NAMESPACE}/{task_id}-v0"


def register_envs() -> None:
    """Register every family, every variant and the suite."""
    for task_id in (*family_files(), *task_ids()):
        gymnasium.register(
            id=env_id(task_id),
            entry_point="tb_envs.env:ThinkingBoxEnv",
            vector_entry_point="tb_envs.vector:task_vector_env",
            kwargs={"task": task_id},
        )
    gymnasium.register(
        id=SUITE_ID,
        entry_point="tb_envs.suite:SuiteEnv",
        vector_entry_point="tb_envs.vector:suite_vector_env",
        kwargs={"tasks": "demo"},
    )
