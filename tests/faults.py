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
    postmaster = _parent(database.agent.info.backend_pid)
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
