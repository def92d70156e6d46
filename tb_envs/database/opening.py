"""The process's pools: one for each server and domain, closed when the interpreter ends."""

import atexit
import multiprocessing.util
import os
import threading
from typing import Literal

import psycopg

from tb_envs.database.choice import requested, resolve, start_server, title
from tb_envs.database.failures import describe
from tb_envs.database.limits import SessionLimits
from tb_envs.database.pool import DatabasePool
from tb_envs.database.reaper import reap
from tb_envs.database.server import Server
from tb_envs.database.sources import CloneSource, PrivateSource, SharedSource
from tb_envs.database.tenant import Tenant
from tb_envs.errors import DatabaseFailure, UsageError
from tb_envs.specs.domain import Domain

Isolation = Literal["database", "container"]
PoolKey = tuple[str, str, Isolation, SessionLimits]
"""Which server, the domain's hash, and how its databases are made."""

WARM = 2
_DEFAULT_LIMITS = SessionLimits()


class _Process:
    """What this process has open."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.tenants: dict[str, Tenant] = {}
        self.pools: dict[PoolKey, DatabasePool] = {}

    def tenant(self, choice: str) -> Tenant:
        with self.lock:
            tenant = self.tenants.get(choice)
            if tenant is None or tenant.closed or not tenant.is_alive():
                if tenant is not None:
                    tenant.abandon()
                try:
                    tenant = _settle(start_server(choice))
                except psycopg.errors.TooManyConnections:
                    raise
                except psycopg.OperationalError as error:
                    raise DatabaseFailure(f"opening {title(choice)}: {describe(error)}") from error
                self.tenants[choice] = tenant
                # A child of multiprocessing ends without atexit, but runs its finalizers.
                multiprocessing.util.Finalize(None, close_pools, exitpriority=0)
            return tenant

    def make_room(self, wanting: PoolKey) -> bool:
        """Drop an idle database of another domain: each keeps as many as it once had in use."""
        with self.lock:
            others = [
                pool for key, pool in self.pools.items() if key[0] == wanting[0] and key != wanting
            ]
        return any(pool.shed() for pool in others)

    def close(self) -> None:
        with self.lock:
            pools, tenants = list(self.pools.values()), list(self.tenants.values())
            self.pools.clear()
            self.tenants.clear()
        # Without the lock: a pool's thread may wait for it before it can end.
        for pool in pools:
            pool.close()
        for tenant in tenants:
            tenant.close()


def _settle(server: Server) -> Tenant:
    """Take this process's place on a server, and drop what dead ones left there."""
    try:
        tenant = Tenant(server)
    except BaseException:
        server.release()
        raise
    try:
        with tenant.admin() as admin:
            reap(admin)
    except BaseException:
        tenant.abandon()
        raise
    return tenant


_process = _Process()
_inherited: list[_Process] = []


def _after_fork() -> None:
    """A forked child leaves its parent's connections alone, and opens its own."""
    global _process
    _inherited.append(_process)
    _process = _Process()


os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def close_pools() -> None:
    """Drop all that this process made on servers, and leave them."""
    _process.close()


def open_pool(
    domain: Domain,
    *,
    database: str | None = None,
    isolation: Isolation = "database",
    limits: SessionLimits = _DEFAULT_LIMITS,
) -> DatabasePool:
    """Give this process's pool for a domain; opens nothing until a database is acquired.

    Args:
        domain: the world that its databases hold.
        database: ``auto``, ``docker``, ``embedded`` or ``postgresql://...``; by default what
            ``TB_DATABASE`` says, else ``auto``.
        isolation: ``container`` gives each episode a server of its own.
        limits: how long sessions may hold the server.

    Raises:
        UsageError: ``database`` is something else.
    """
    choice = resolve(requested(database))
    if isolation == "container" and choice not in {"docker", "embedded"}:
        raise UsageError(
            "isolation='container' starts a server for each episode; got database="
            f"{title(choice)!r}, expected 'docker' or 'embedded'"
        )
    process = _process
    with process.lock:
        key: PoolKey = (choice, domain.hash, isolation, limits)
        if key not in process.pools:
            process.pools[key] = DatabasePool(
                _source(process, choice, domain, isolation, limits),
                warm=WARM if isolation == "database" else 0,
                make_room=lambda: process.make_room(key),
            )
        return process.pools[key]


def _source(
    process: _Process,
    choice: str,
    domain: Domain,
    isolation: Isolation,
    limits: SessionLimits,
) -> CloneSource:
    if isolation == "container":
        return PrivateSource(lambda: start_server(choice, private=True), domain, limits)
    return SharedSource(lambda: process.tenant(choice), domain, limits)
