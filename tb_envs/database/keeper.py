"""Keep a server as long as any process uses it; run as a program of its own, without packages.

Each process that uses the server holds a shared lock on the file ``users``. The kernel gives the
lock back when a process ends, however it ends. This program waits for an exclusive one: once it has
it, nobody is left, and it stops the server and removes what the server kept.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

STOP_TIMEOUT_S = 20


def wait_until_unused(home: Path) -> None:
    """Return when no process holds the home's ``users`` file any more."""
    with (home / "users").open() as users:
        fcntl.flock(users, fcntl.LOCK_EX)
        # The lock is kept until this program ends: who comes now must start a new server.
        os.dup(users.fileno())


def keep_postgres(home: Path, command: list[str], user: int | None, group: int | None) -> None:
    """Run a server in the foreground; end with it, or end it when it is unused."""
    with (home / "log").open("ab") as log:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        )

    def stop_when_unused() -> None:
        wait_until_unused(home)
        server.send_signal(signal.SIGQUIT)

    threading.Thread(target=stop_when_unused, daemon=True).start()
    server.wait()
    (home / "ended").touch()
    shutil.rmtree((home / "sockets").resolve(), ignore_errors=True)
    if not (home / "starting").exists():  # else whoever started it is still reading the log
        shutil.rmtree(home, ignore_errors=True)


def keep_container(home: Path, command: list[str]) -> None:
    """Wait until nobody uses the container, then run the command that removes it."""
    wait_until_unused(home)
    subprocess.run(command, timeout=STOP_TIMEOUT_S, check=False, capture_output=True)
    shutil.rmtree(home, ignore_errors=True)


def main(arguments: list[str]) -> None:
    """Take the kind, the home, the server's user and group (or "-") and a command."""
    kind, home, user, group, *command = arguments
    if os.fork() != 0:
        os._exit(0)
    os.setsid()
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if kind == "postgres":
        ids = [None if part == "-" else int(part) for part in (user, group)]
        keep_postgres(Path(home), command, ids[0], ids[1])
    else:
        keep_container(Path(home), command)


if __name__ == "__main__":
    main(sys.argv[1:])
