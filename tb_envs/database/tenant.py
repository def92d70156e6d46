"""This process on a server: its key, its sign of life, and what it may name.

Everything that a process makes on a server carries the process's *key*: databases
``tb_ep_<key>_<n>``, roles ``tb_o_<key>`` and ``tb_a_<key>_<n>``. As long as the process lives, a
connection of its own holds the advisory lock of its key. Whoever comes next may take the lock of a
key whose process is dead, and drops what that process left.
"""

import logging
import secrets
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString, cast

import psycopg
from psycopg import sql

from tb_envs.database.limits import SessionLimits
from tb_envs.database.server import DictConnection, Server
from tb_envs.database.watchdog import Watchdog

logger = logging.getLogger(__name__)

SQL = Path(__file__).parent / "sql"
LIFE, TEMPLATE_USE, TEMPLATE_BUILD = 0x7462, 0x7463, 0x7464
SHUT_DOORS = """
DO $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('thinkingbox roles', 0));
    REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;
END
$$
"""
"""One process after the other: who revokes what another is revoking gets an error."""


def sql_file(name: str) -> LiteralString:
    """Read one of this package's SQL files: as constant as the code beside it."""
    return cast(LiteralString, (SQL / name).read_text(encoding="utf-8"))


def lock_number(key: str) -> int:
    """Fold eight hex digits into the signed 32 bits that advisory locks take."""
    number = int(key[:8], 16)
    return number - 2**32 if number >= 2**31 else number


class Tenant:
    """A process's place on a server.

    Attributes:
        key: eight hex digits, unique among living processes.
        owner: the login that owns this process's databases, and its password.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.key = secrets.token_hex(4)
        self.owner = f"tb_o_{self.key}"
        self.owner_password = secrets.token_hex(16)
        self.limits: dict[str, SessionLimits] = {}
        self._closed = False
        self._count = 0
        self._count_lock = threading.Lock()
        self._admin_lock = threading.Lock()
        self.guard = server.connect(server.maintenance, name=f"thinkingbox {self.key}")
        self._admin = server.admin()
        self.version = self.guard.info.server_version
        self.guard.execute("SELECT pg_advisory_lock(%s, %s)", (LIFE, lock_number(self.key)))
        self.guard.execute(sql_file("roles.sql"))
        self.guard.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE tb_owner").format(
                sql.Identifier(self.owner), sql.Literal(self.owner_password)
            )
        )
        if server.ours:
            self.guard.execute(SHUT_DOORS)
        self._watchdog = Watchdog(self.guard, f"tb_a_{self.key}_", self.limits)

    @property
    def closed(self) -> bool:
        """Whether this place is given up or lost: with its guard, a process loses its key."""
        return self._closed or self._watchdog.lost

    @contextmanager
    def admin(self) -> Generator[DictConnection]:
        """Lend the superuser's connection to one thread at a time."""
        with self._admin_lock:
            yield self._admin

    def next_number(self) -> int:
        """Count what is made, for names."""
        with self._count_lock:
            self._count += 1
            return self._count

    def is_alive(self) -> bool:
        """Whether the server still answers; if not, this place on it is lost."""
        if self.closed:
            return False
        try:
            with self.admin() as admin:
                admin.execute("SELECT 1")
            self.guard.execute("SELECT 1")
        except psycopg.Error:
            self.abandon()
            return False
        return True

    def abandon(self) -> None:
        """Leave a server that does not answer any more."""
        self._closed = True
        self._watchdog.stop()
        self.guard.close()
        self._admin.close()
        self.server.release()

    def close(self) -> None:
        """Leave the server: drop the process's role, and give up the key."""
        if self._closed:
            return
        try:
            self.guard.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(self.owner)))
        except psycopg.Error as error:
            logger.debug("%s stays for the next process to drop: %s", self.owner, error)
        self.abandon()
