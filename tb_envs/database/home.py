"""Where a server that we start lives, and who uses it.

A *home* is a folder that belongs to one server's life: its data, its log, the file ``users`` that
each using process locks, ``starting`` until the server is ready and ``server.json`` from then on. A
shared *root* per OS user holds the homes; its file ``lock`` serialises who looks for a server and
who starts one.
"""

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tb_envs.database import keeper
from tb_envs.database.server import ENVIRONMENT

MEMORY = Path("/dev/shm")
MEMORY_NEEDED = 2 * 1024**3


def runtime_root(name: str) -> Path:
    """Give this OS user's folder for servers of a kind, in memory where there is enough of it."""
    override = os.environ.get("TB_RUNTIME_DIR")
    if override:
        parent = Path(override)
    elif MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_NEEDED:
        parent = MEMORY
    else:
        parent = Path(tempfile.gettempdir())
    root = parent / f"thinkingbox-{os.geteuid()}-{name}"
    root.mkdir(mode=0o711, parents=True, exist_ok=True)
    if root.stat().st_uid != os.geteuid():
        raise PermissionError(
            f"{root} belongs to another user; set TB_RUNTIME_DIR to a folder of yours"
        )
    return root


@contextmanager
def locked(root: Path) -> Generator[None]:
    """Hold the root's lock: nobody else looks for or starts a server meanwhile."""
    with (root / "lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True, slots=True)
class Home:
    """One server's folder, in use by this process until ``release``."""

    path: Path
    users: IO[str]

    @staticmethod
    def create(root: Path) -> "Home":
        """Make a new home, used by this process."""
        path = root / secrets.token_hex(4)
        path.mkdir(mode=0o711)
        (path / "starting").touch()
        users = (path / "users").open("w")
        fcntl.flock(users, fcntl.LOCK_SH)
        return Home(path, users)

    @staticmethod
    def running(root: Path) -> "tuple[Home, dict[str, Any]] | None":
        """Find a home whose server was ready, and begin to use it; with what was published."""
        for published in sorted(root.glob("*/server.json")):
            try:
                users = (published.parent / "users").open()
            except FileNotFoundError:  # its keeper is removing it
                continue
            try:
                fcntl.flock(users, fcntl.LOCK_SH | fcntl.LOCK_NB)
                state = json.loads(published.read_text(encoding="utf-8"))
            except (BlockingIOError, FileNotFoundError):
                users.close()
                continue
            return Home(published.parent, users), state
        return None

    @staticmethod
    def is_unused(path: Path) -> bool:
        """Whether no process uses a home, and its keeper is not at work on it either."""
        try:
            with (path / "users").open() as users:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return True
        except BlockingIOError:
            return False
        return True

    def publish(self, state: dict[str, Any]) -> None:
        """Say that the server is ready for others."""
        draft = self.path / "server.json.new"
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(state), encoding="utf-8")
        draft.rename(self.path / "server.json")
        (self.path / "starting").unlink()

    def forget(self) -> None:
        """Let nobody else find this server: it does not answer any more."""
        (self.path / "server.json").unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """End this process's use."""
        self.users.close()

    def spawn_keeper(
        self, kind: str, command: list[str], *, user: int | None = None, group: int | None = None
    ) -> None:
        """Start the program that stops the server when nobody uses it."""
        ids = ["-" if part is None else str(part) for part in (user, group)]
        subprocess.run(
            [sys.executable, "-I", "-S", keeper.__file__, kind, str(self.path), *ids, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            env=os.environ | ENVIRONMENT,
        )

    @property
    def ended(self) -> bool:
        """Whether the server has ended."""
        return not self.path.exists() or (self.path / "ended").exists()

    def log_tail(self, lines: int = 15) -> str:
        """The last lines of the server's log."""
        log = self.path / "log"
        if not log.exists():
            return ""
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
