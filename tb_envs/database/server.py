"""A running PostgreSQL server: where it listens, and how its superuser logs in."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, urlencode

import psycopg
from psycopg.rows import DictRow, dict_row

Kind = Literal["docker", "embedded", "postgresql"]
DictConnection = psycopg.Connection[DictRow]

CONNECT_TIMEOUT_S = 10
_FULL = re.compile("connection slots|too many clients|too many connections")

SETTINGS: dict[str, str] = {
    "autovacuum": "off",
    "checkpoint_timeout": "1h",
    "client_connection_check_interval": "1s",
    "dynamic_shared_memory_type": "mmap",
    "fsync": "off",
    "full_page_writes": "off",
    "jit": "off",
    "log_min_messages": "fatal",
    "max_connections": "600",
    "max_parallel_workers_per_gather": "0",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "password_encryption": "scram-sha-256",
    "shared_buffers": "32MB",
    "synchronous_commit": "off",
    "temp_file_limit": "256MB",
    "timezone": "UTC",
    "wal_level": "minimal",
}
"""Settings of the servers that we start: nothing on them outlives its process, so nothing is made
durable; databases are renewed before they need a vacuum, so plans and row order stay the same."""

ENVIRONMENT: dict[str, str] = {
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TOP_PAD_": "16384",
    "MALLOC_TRIM_THRESHOLD_": "65536",
}
"""For glibc: what planning a statement took is given back, so that an open episode stays small."""

FROM_VERSION_16: dict[str, str] = {"scram_iterations": "1"}
"""Passwords are long random strings, so the slow key derivation protects nothing."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    ``host`` may be a socket's directory; ``url_host`` and ``url_port`` are where programs that
    only speak TCP find it. ``release`` gives up this process's use of the server; it is stopped or
    not as its kind wants. ``ours`` means that nobody else has databases on it.
    """

    kind: Kind
    host: str
    port: int
    user: str
    password: str
    maintenance: str
    url_host: str
    url_port: int
    ours: bool
    extra: dict[str, str] = field(default_factory=dict[str, str])
    release: Callable[[], None] = lambda: None

    def connect(
        self,
        database: str,
        *,
        user: str | None = None,
        password: str | None = None,
        options: str = "",
        name: str = "thinkingbox",
    ) -> DictConnection:
        """Open an autocommit connection with dict rows; as the superuser unless told otherwise.

        Raises:
            psycopg.errors.TooManyConnections: the server has no room.
            psycopg.OperationalError: it cannot be reached.
        """
        keywords: dict[str, Any] = {
            **self.extra,
            "host": self.host,
            "port": self.port,
            "user": user or self.user,
            "password": password if user else self.password,
            "dbname": database,
            "options": f"-c timezone=UTC {options}".strip(),
            "application_name": name,
            "connect_timeout": CONNECT_TIMEOUT_S,
        }
        try:
            return DictConnection.connect("", autocommit=True, row_factory=dict_row, **keywords)
        except psycopg.OperationalError as error:
            # A refused connection carries no code, so a full server is known by its words.
            if _FULL.search(str(error)):
                raise psycopg.errors.TooManyConnections(str(error)) from error
            raise

    def admin(self) -> DictConnection:
        """Open a connection of the superuser to the maintenance database."""
        return self.connect(self.maintenance)

    def url(self, database: str, user: str, password: str, options: str) -> str:
        """The address of a database for a program of its own."""
        login = f"{quote(user, safe='')}:{quote(password, safe='')}"
        query = urlencode({**self.extra, "options": f"-c timezone=UTC {options}"}, quote_via=quote)
        place = f"{self.url_host}:{self.url_port}/{quote(database, safe='')}"
        return f"postgresql://{login}@{place}?{query}"
