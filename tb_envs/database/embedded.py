"""A PostgreSQL server from binaries on this machine: no root, no Docker.

All processes of an OS user share one server per PostgreSQL version. It stays up while any of them
uses it (see ``keeper``), in memory where there is enough. A server that was killed is replaced by
the next one who opens it.
"""

import logging
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from tb_envs.database.binaries import Installation, find_installation
from tb_envs.database.home import Home, locked, runtime_root
from tb_envs.database.server import FROM_VERSION_16, SETTINGS, Server
from tb_envs.errors import DatabaseFailure

logger = logging.getLogger(__name__)

START_TIMEOUT_S = 60.0
SUPERUSER = "postgres"
LOOPBACK = "127.0.0.1"


def open_embedded(*, private: bool = False) -> Server:
    """Use this machine's server, starting it if need be; ``private`` starts one of one's own.

    Raises:
        DatabaseFailure: it does not start; the message holds the end of its log.
        UsageError: there is no PostgreSQL on this machine.
    """
    installation = find_installation()
    root = runtime_root(f"pg{installation.version}{'-private' if private else ''}")
    if private:
        return _start(installation, Home.create(root))
    with locked(root):
        while (found := Home.running(root)) is not None:
            home, state = found
            server = _describe(home, state)
            try:
                server.admin().close()
            except psycopg.OperationalError:
                home.forget()
                continue
            return server
        return _start(installation, Home.create(root))


def _start(installation: Installation, home: Home) -> Server:
    began = time.monotonic()
    password = secrets.token_hex(16)
    try:
        _initialise(installation, home.path, password)
    except (DatabaseFailure, OSError):
        home.release()
        shutil.rmtree(home.path, ignore_errors=True)
        raise
    user = installation.os_user
    state: dict[str, Any] = {
        "port": _free_port(),
        "password": password,
        "sockets": str(_socket_folder(home.path, installation)),
    }
    home.spawn_keeper(
        "postgres",
        _command(installation, home.path, state),
        user=user.uid if user else None,
        group=user.gid if user else None,
    )
    server = _describe(home, state)
    _wait_until_ready(server, home)
    home.publish(state)
    logger.info(
        "started PostgreSQL %s in %s (%.1f s)",
        installation.version,
        home.path,
        time.monotonic() - began,
    )
    return server


def _describe(home: Home, state: dict[str, Any]) -> Server:
    return Server(
        kind="embedded",
        host=state["sockets"],
        port=state["port"],
        user=SUPERUSER,
        password=state["password"],
        maintenance="postgres",
        url_host=LOOPBACK,
        url_port=state["port"],
        ours=True,
        release=home.release,
    )


def _initialise(installation: Installation, home: Path, password: str) -> None:
    data, secret = home / "data", home / "password"
    data.mkdir(mode=0o700)
    secret.touch(mode=0o600)
    secret.write_text(password, encoding="utf-8")
    user = installation.os_user
    if user:
        os.chown(data, user.uid, user.gid)
        os.chown(secret, user.uid, user.gid)
    done = subprocess.run(
        [
            *(installation.program("initdb"), "-D", str(data), "-U", SUPERUSER),
            *("--pwfile", str(secret), "--auth", "scram-sha-256", "--encoding", "UTF8"),
            *("--locale", "C", "--no-sync", "--no-instructions", "--wal-segsize", "16"),
            *(f"--set={name}={value}" for name, value in _settings(installation).items()),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        user=user.uid if user else None,
        group=user.gid if user else None,
        extra_groups=[] if user else None,
    )
    secret.unlink()
    if done.returncode != 0:
        raise DatabaseFailure(f"initdb failed: {done.stderr.strip()[-500:]}")


def _settings(installation: Installation) -> dict[str, str]:
    new = int(installation.version.split(".")[0]) >= 16
    return {**SETTINGS, **(FROM_VERSION_16 if new else {})}


def _command(installation: Installation, home: Path, state: dict[str, Any]) -> list[str]:
    return [
        *(installation.program("postgres"), "-D", str(home / "data")),
        *("-h", LOOPBACK, "-p", str(state["port"]), "-k", state["sockets"]),
    ]


def _socket_folder(home: Path, installation: Installation) -> Path:
    """A folder for the socket, reached through the home; its path may have about 100 bytes."""
    folder = home / "sockets"
    if len(str(folder)) > 80:
        short = Path(tempfile.mkdtemp(prefix="tb-", dir="/tmp"))
        folder.symlink_to(short)
        folder = short
    folder.mkdir(mode=0o700, exist_ok=True)
    if user := installation.os_user:
        os.chown(folder, user.uid, user.gid)
    return folder


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(server: Server, home: Home) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            server.admin().close()
        except psycopg.OperationalError as error:
            if home.ended or time.monotonic() > deadline:
                log = home.log_tail()
                home.release()
                shutil.rmtree(home.path, ignore_errors=True)
                raise DatabaseFailure(f"PostgreSQL did not start: {error}\n{log}") from error
            time.sleep(0.02)
        else:
            return
