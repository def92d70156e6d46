"""Breaking servers for tests, as a power cut or an operator would."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

from tb_envs.database import EpisodeDatabase


def kill_server(database: EpisodeDatabase, choice: str) -> None:
    """End the server at once: its processes with SIGKILL, or its container removed."""
    if choice == "docker":
        _remove_container(database.agent.info.host)
        return
    kill_postmaster(postmaster_of(database))


def postmaster_of(database: EpisodeDatabase) -> int:
    """The process that all of an embedded server's processes come from."""
    return _parent(database.agent.info.backend_pid)


def is_postmaster(process: int) -> bool:
    """Whether the process runs, and is PostgreSQL: a dead server's children get other parents."""
    command = Path(f"/proc/{process}/comm")
    return process > 1 and command.exists() and command.read_text().startswith("postgres")


def kill_postmaster(postmaster: int) -> None:
    """Send SIGKILL to an embedded server's processes and wait until they are gone."""
    assert is_postmaster(postmaster), postmaster
    processes = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    doomed = [postmaster, *(pid for pid in processes if _parent(pid) == postmaster)]
    for process in doomed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    while any(Path(f"/proc/{process}").exists() for process in doomed):
        os.sched_yield()


def _parent(process: int) -> int:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rsplit(")", 1)[1].split()[1])


def _remove_container(host: str) -> None:
    for container in _docker("ps", "-q", "--filter", "label=thinkingbox.home").split():
        if f'"{host}"' in _docker("inspect", container):
            _docker("rm", "-f", container)


def _docker(*words: str) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, check=True)
    return done.stdout
