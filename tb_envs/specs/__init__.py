"""Domains and tasks as data: models, safe loading, and the catalog of ids."""

from tb_envs.specs.catalog import all_tasks, family_files, find_task, resolve_tasks, task_ids
from tb_envs.specs.domain import Domain, load_domain
from tb_envs.specs.task import Task, load_family

__all__ = [
    "Domain",
    "Task",
    "all_tasks",
    "family_files",
    "find_task",
    "load_domain",
    "load_family",
    "resolve_tasks",
    "task_ids",
]
