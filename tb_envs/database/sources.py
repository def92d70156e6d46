"""Where a pool's clones come from: one server for all of them, or a server for each."""

import contextlib
import threading
from collections.abc import Callable
from typing import Protocol

import psycopg

from tb_envs.database.clone import Clone
from tb_envs.database.failures import describe
from tb_envs.database.limits import SessionLimits
from tb_envs.database.server import Server
from tb_envs.database.template import Template
from tb_envs.database.tenant import Tenant
from tb_envs.errors import DatabaseFailure
from tb_envs.specs.domain import Domain


class CloneSource(Protocol):
    """Makes clones of a domain's template, from any thread."""

    def make(self) -> Clone:
        """Make a clone.

        Raises:
            DatabaseFailure: the server is gone and does not come back.
            psycopg.errors.TooManyConnections: the server is full.
        """
        ...

    def close(self) -> None:
        """Give up what the source itself holds, after its clones are gone."""
        ...


class SharedSource:
    """Clones on one server; a server that died is opened again."""

    def __init__(
        self, tenants: Callable[[], Tenant], domain: Domain, limits: SessionLimits
    ) -> None:
        self._tenants = tenants
        self._domain = domain
        self._limits = limits
        self._lock = threading.Lock()
        self._place: tuple[Tenant, Template] | None = None

    def make(self) -> Clone:
        """Make a clone, on a new server if the old one died meanwhile."""
        tenant, template = self._open()
        try:
            return Clone(tenant, template, self._limits)
        except psycopg.errors.TooManyConnections:
            raise
        except psycopg.OperationalError as error:
            if tenant.is_alive():
                raise DatabaseFailure(f"making a database: {describe(error)}") from error
        tenant, template = self._open()
        try:
            return Clone(tenant, template, self._limits)
        except psycopg.OperationalError as error:
            raise DatabaseFailure(f"making a database: {describe(error)}") from error

    def _open(self) -> tuple[Tenant, Template]:
        with self._lock:
            if self._place is None or self._place[0].closed:
                try:
                    tenant = self._tenants()
                    self._place = tenant, Template(tenant, self._domain)
                except psycopg.errors.TooManyConnections:
                    raise
                except psycopg.OperationalError as error:
                    raise DatabaseFailure(f"opening the server: {describe(error)}") from error
            return self._place

    def close(self) -> None:
        """Give up the template; the last process to do so drops it."""
        with self._lock:
            place, self._place = self._place, None
        if place is not None and not place[0].closed:
            with contextlib.suppress(psycopg.Error):
                place[1].release()


class PrivateSource:
    """A server of its own for each clone, which ends with it."""

    def __init__(
        self, start_server: Callable[[], Server], domain: Domain, limits: SessionLimits
    ) -> None:
        self._start_server = start_server
        self._domain = domain
        self._limits = limits

    def make(self) -> Clone:
        """Start a server, and put the domain's database on it."""
        server = self._start_server()
        try:
            tenant = Tenant(server)
            template = Template(tenant, self._domain)
            return Clone(tenant, template, self._limits, on_close=tenant.close)
        except psycopg.OperationalError as error:
            server.release()
            raise DatabaseFailure(f"making a database: {describe(error)}") from error
        except BaseException:
            server.release()
            raise

    def close(self) -> None:
        """Nothing is held beyond the clones."""
