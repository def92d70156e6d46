"""A training pool on disk: which tasks, frozen, and the manifest that says how they were chosen.

Training takes the pool file as it stands and refuses it when a task's content has changed since.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from tb_envs.errors import UsageError
from tb_envs.outcome import Record
from tb_trainer.selection.bands import Band

POOL_FORMAT = 1

Reason = Literal[
    "same content as an excluded task",
    "same name as an excluded task",
    "same domain as an excluded task",
    "same content as another candidate",
    "too few clean attempts",
    "too hard",
    "too easy",
    "band not wanted",
    "band uncertain",
    "no reference attempts",
    "not shown to be solvable",
    "beyond the size asked for",
]


class PoolTask(Record):
    """One task of a pool, with the evidence for it.

    ``mean`` is the posterior mean of the success probability, ``mass`` the posterior mass of
    ``band``, ``expected_variance`` the expected p(1 - p).
    """

    id: str
    hash: str
    env_id: str
    domain: str
    family: str
    passes: int
    attempts: int
    mean: float
    band: Band
    mass: float
    expected_variance: float


class Rejection(Record):
    """A candidate that is not in the pool, and why."""

    id: str
    hash: str
    domain: str
    family: str
    reason: Reason
    passes: int
    attempts: int
    mean: float | None = Field(description="Posterior mean; None where nothing was attempted.")


class Manifest(Record):
    """How a pool came about: enough to make it again from the same inputs."""

    created_at: str
    policy: str
    sampling: dict[str, Any]
    reference_policy: str | None
    settings: dict[str, Any]
    inputs: dict[str, str] = Field(description="SHA-256 of every input file, by its name.")
    versions: dict[str, str]
    candidates: int
    system_errors: int = Field(description="Attempts left out because the infrastructure broke.")
    rejected: tuple[Rejection, ...]


class Pool(Record):
    """A frozen choice of tasks: ``tasks`` to train on, and no family of theirs in ``held_out``."""

    format_version: int = POOL_FORMAT
    digest: str = Field(description="SHA-256 over the task ids and content hashes, in order.")
    tasks: tuple[PoolTask, ...]
    held_out: tuple[PoolTask, ...]
    manifest: Manifest


def pool_digest(tasks: tuple[PoolTask, ...], held_out: tuple[PoolTask, ...]) -> str:
    """Identity of a pool: SHA-256 over split, task id and content hash of every task."""
    lines = [
        f"{split} {task.id} {task.hash}\n"
        for split, part in (("tasks", tasks), ("held_out", held_out))
        for task in part
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def write_pool(path: Path, pool: Pool) -> None:
    """Write a pool file; an existing file is never changed, since runs may rest on it."""
    if path.exists():
        raise UsageError(f"{path} exists and a pool is frozen; choose another name or remove it")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(pool.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_pool(path: Path, current_hashes: Mapping[str, str] | None = None) -> Pool:
    """Read a pool file and refuse one that was edited or whose tasks have changed.

    Args:
        path: The pool file.
        current_hashes: Content hash of every installed task by its id. None skips that check,
            which only a reader that runs no episode may do.

    Raises:
        UsageError: not a pool file, edited by hand, or a task is gone or has other content.
    """
    try:
        pool = Pool.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        raise UsageError(f"{path} is not a readable pool file: {error}") from error
    if pool.format_version != POOL_FORMAT:
        raise UsageError(f"{path} has format {pool.format_version}; expected {POOL_FORMAT}")
    if pool_digest(pool.tasks, pool.held_out) != pool.digest:
        raise UsageError(f"{path} was changed after it was frozen: its digest does not match")
    if current_hashes is not None:
        _refuse_changed(path, pool, current_hashes)
    return pool


def _refuse_changed(path: Path, pool: Pool, current: Mapping[str, str]) -> None:
    tasks = (*pool.tasks, *pool.held_out)
    gone = [task.id for task in tasks if task.id not in current]
    changed = [task.id for task in tasks if task.id in current and current[task.id] != task.hash]
    if gone or changed:
        raise UsageError(
            f"{path} no longer fits the installed tasks: {len(gone)} are gone {gone[:3]}, "
            f"{len(changed)} have other content {changed[:3]}; probe and select again"
        )
