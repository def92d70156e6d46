"""The catalog of tasks: ids without reading files, tasks on demand.

Importing the package must be instant with hundreds of files, so ids come from file names and one
line scan (``- name:`` at the variants' indentation); files are parsed when a task is asked for,
and the parse must agree with the scan.
"""

import difflib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from tb_envs.errors import SpecError, UsageError
from tb_envs.specs.domain import SPECS_ROOT
from tb_envs.specs.models import Split
from tb_envs.specs.task import Task, load_family, scan_variants


@cache
def family_files(root: Path = SPECS_ROOT) -> dict[str, Path]:
    """Every family's file by its name.

    Raises:
        SpecError: two files carry one family name.
    """
    files: dict[str, Path] = {}
    for path in sorted(root.glob("*/tasks/*.yaml")):
        if path.stem in files:
            raise SpecError(
                f"the family {path.stem!r} also stands in {files[path.stem]}; rename one", path=path
            )
        files[path.stem] = path
    return files


@cache
def task_ids(root: Path = SPECS_ROOT) -> tuple[str, ...]:
    """Every task's id, ``<family>.<variant>``, family by family, without parsing YAML."""
    ids: list[str] = []
    for family, path in family_files(root).items():
        names = scan_variants(path.read_text(encoding="utf-8"))
        ids.extend(f"{family}.{name}" for name in names)
    return tuple(ids)


def find_task(task_id: str, root: Path = SPECS_ROOT) -> Task:
    """Load a task by ``<family>.<variant>``, or a family's first by ``<family>``.

    Raises:
        UsageError: there is no such task.
        SpecError: its file is not valid.
    """
    family, _, variant = task_id.partition(".")
    path = family_files(root).get(family)
    if path is None:
        raise UsageError(f"no task {task_id!r}{_nearest(task_id, root)}")
    tasks = load_family(path, root)
    for task in tasks:
        if not variant or task.variant.name == variant:
            return task
    names = ", ".join(task.variant.name for task in tasks)
    raise UsageError(f"family {family!r} has no variant {variant!r}; expected one of {names}")


def all_tasks(
    split: Split | None = None, domain: str | None = None, root: Path = SPECS_ROOT
) -> tuple[Task, ...]:
    """Load every task of a split and a domain (all, where not given)."""
    tasks = [
        task
        for path in family_files(root).values()
        if domain is None or path.parent.parent.name == domain
        for task in load_family(path, root)
    ]
    return tuple(task for task in tasks if split is None or task.split == split)


def resolve_tasks(selection: str | Path | Sequence[str]) -> tuple[Task, ...]:
    """Load the tasks that a split's name, a pool file or a list of ids names.

    Raises:
        UsageError: a name is unknown, or a pooled task's content has changed since.
    """
    if isinstance(selection, str) and selection in ("bench", "train", "demo"):
        tasks = all_tasks(selection)
    elif isinstance(selection, str | Path) and Path(selection).suffix == ".json":
        tasks = _pool_tasks(Path(selection))
    else:
        ids = [str(selection)] if isinstance(selection, str | Path) else list(selection)
        tasks = tuple(task for name in ids for task in _expand(name))
    if not tasks:
        raise UsageError(f"the selection {str(selection)!r} holds no task")
    return tasks


def _expand(name: str) -> Iterable[Task]:
    """A family's name stands for all its variants."""
    if "." in name or name not in family_files():
        return (find_task(name),)
    return load_family(family_files()[name])


def _pool_tasks(path: Path) -> tuple[Task, ...]:
    """Read a frozen pool: ``{"tasks": [{"id": .., "hash": ..}, ..]}``."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["tasks"]
        pairs = [(str(entry["id"]), str(entry["hash"])) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} is not a pool file: {error!r}; expected JSON with tasks: [{{id, hash}}]"
        ) from error
    tasks = tuple(find_task(task_id) for task_id, _ in pairs)
    changed = [
        task.id for task, (_, pooled) in zip(tasks, pairs, strict=True) if task.hash != pooled
    ]
    if changed:
        raise UsageError(
            f"{path}: {len(changed)} tasks have changed since the pool was frozen "
            f"({', '.join(changed[:5])}); select again"
        )
    return tasks


def _nearest(task_id: str, root: Path) -> str:
    close = difflib.get_close_matches(task_id, [*family_files(root), *task_ids(root)], n=3)
    return f"; did you mean {', '.join(close)}?" if close else "; `tb-envs list` shows all"
