"""A checkout of its own for tests that write tasks and domains into one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = "from tb_envs.cli import main; main()"


def copy_checkout(folder: Path) -> Path:
    """Copy what the programs need, and put ``tb-envs`` and ``python`` beside it in ``bin``."""
    for name in ("tb_envs", "task_specs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "bin").mkdir()
    _script(folder / "bin" / "tb-envs", f'exec "{sys.executable}" -c "{PROGRAM}" "$@"')
    _script(folder / "bin" / "python", f'exec "{sys.executable}" "$@"')
    return folder


def run(
    checkout: Path, *command: str, timeout_s: float = 240.0
) -> "subprocess.CompletedProcess[str]":
    """Run a command in a checkout, on the embedded server."""
    environment = os.environ | {
        "PATH": f"{checkout / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(checkout),
        "TB_DATABASE": "embedded",
        "COLUMNS": "200",
    }
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=timeout_s
    )


def _script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
