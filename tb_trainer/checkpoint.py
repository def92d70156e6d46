"""Checkpoints: written aside, hashed, renamed into place; a kill leaves the last one whole."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tb_envs.errors import UsageError
from tb_trainer.ranks import barrier

_MANIFEST = "manifest.json"
_NAME = re.compile(r"step-(\d{6})")


@dataclass(frozen=True, slots=True)
class RunState:
    """Where a run stands: steps done, tasks drawn, and the best validated step."""

    step: int = 0
    drawn: int = 0
    best_step: int | None = None
    best_score: float | None = None


def write_checkpoint(
    root: Path,
    state: RunState,
    save: Callable[[Path], None],
    *,
    keep: int,
    is_main: bool = True,
) -> Path:
    """Write a checkpoint and drop old ones; called on every rank.

    Args:
        root: The folder of all checkpoints.
        state: Is stored with it.
        save: Writes the learner's files into a folder.
        keep: How many of the latest stay; the best validated one stays besides.
        is_main: This process names the folder and cleans up.
    """
    final = root / f"step-{state.step:06d}"
    draft = root / f".{final.name}.tmp"
    if is_main:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
    barrier()
    save(draft)
    barrier()
    if is_main:
        (draft / "state.json").write_text(json.dumps(asdict(state)), encoding="utf-8")
        _seal(draft)
        shutil.rmtree(final, ignore_errors=True)
        draft.rename(final)
        _sync(root)
        _drop_old(root, keep, state.best_step)
    barrier()
    return final


def latest_checkpoint(root: Path) -> Path | None:
    """Find the newest complete checkpoint; drafts that a kill left are not seen."""
    found = sorted(path for path in root.glob("step-*") if _NAME.fullmatch(path.name))
    return found[-1] if found else None


def read_state(checkpoint: Path) -> RunState:
    """Verify every file's hash and return the state.

    Raises:
        UsageError: a file is missing, changed, or was never listed.
    """
    manifest = checkpoint / _MANIFEST
    if not manifest.exists():
        raise UsageError(f"{checkpoint} is not a checkpoint: it has no {_MANIFEST}")
    expected: dict[str, str] = json.loads(manifest.read_text(encoding="utf-8"))
    found = _hashes(checkpoint)
    bad = sorted(name for name in expected | found if expected.get(name) != found.get(name))
    if bad:
        raise UsageError(
            f"{checkpoint} is damaged: {', '.join(bad)} differ from {_MANIFEST}; delete it and "
            "resume from the checkpoint before it"
        )
    return RunState(**json.loads((checkpoint / "state.json").read_text(encoding="utf-8")))


def _seal(folder: Path) -> None:
    """Write the manifest and push everything to the disk."""
    manifest = json.dumps(_hashes(folder), indent=1, sort_keys=True)
    (folder / _MANIFEST).write_text(manifest, encoding="utf-8")
    for path in folder.rglob("*"):
        _sync(path)
    _sync(folder)


def _hashes(folder: Path) -> dict[str, str]:
    hashes: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != _MANIFEST:
            with path.open("rb") as file:
                hashes[path.relative_to(folder).as_posix()] = hashlib.file_digest(
                    file, "sha256"
                ).hexdigest()
    return hashes


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _drop_old(root: Path, keep: int, best_step: int | None) -> None:
    found = sorted(path for path in root.glob("step-*") if _NAME.fullmatch(path.name))
    best = None if best_step is None else f"step-{best_step:06d}"
    for path in found[:-keep]:
        if path.name != best:
            shutil.rmtree(path)
