"""A pool of fresh databases for one domain: clones are made ahead, and used again once proven.

``close`` of an episode's database hands the clone to a background thread, which undoes the episode
and proves that the clone equals its template. A clone that does not is dropped, and another made.
"""

import contextlib
import logging
import queue
import select
import threading
import time
from collections import deque
from collections.abc import Callable

import psycopg

from tb_envs.database.clone import Clone
from tb_envs.database.episode_database import EpisodeDatabase
from tb_envs.database.failures import describe
from tb_envs.database.limits import SessionLimits
from tb_envs.database.template import Template
from tb_envs.database.tenant import Tenant
from tb_envs.errors import DatabaseFailure
from tb_envs.specs.domain import Domain

logger = logging.getLogger(__name__)

WARM = 2
MAX_USES = 200
"""Recycling leaves dead rows behind, and nothing vacuums: after this many episodes a clone is
dropped, before that costs anything."""


class DatabasePool:
    """Databases of one domain on one server, for any number of threads."""

    def __init__(
        self, tenants: Callable[[], Tenant], domain: Domain, limits: SessionLimits, max_open: int
    ) -> None:
        self.domain = domain
        self.limits = limits
        self.max_open = max_open
        self._tenants = tenants
        self._state = threading.Condition()
        self._ready: deque[Clone] = deque()
        self._total = 0
        self._recycling = 0
        self._waiting = 0
        self._closed = False
        self._tenant: Tenant | None = None
        self._template: Template | None = None
        self._template_lock = threading.Lock()
        self._known_checks: set[str] = set()
        self._work: queue.SimpleQueue[Clone | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._run, name="tb-databases", daemon=True)
        self._worker.start()

    def acquire(self, *, timeout_s: float) -> EpisodeDatabase:
        """Lend a fresh database; waits when the server holds as many as it can.

        Raises:
            DatabaseFailure: the server is gone and cannot be started, or none became free in time.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            clone = self._take(deadline)
            if clone is None:
                clone = self._make_counted()
            elif _is_cut(clone.agent) or _is_cut(clone.owner):
                self._discard(clone)
                continue
            clone.uses += 1
            return EpisodeDatabase(clone, self._known_checks, self._give_back)

    def close(self) -> None:
        """Drop every database of the pool that is not lent, and stop."""
        with self._state:
            self._closed = True
            self._state.notify_all()
        self._work.put(None)
        if threading.current_thread() is not self._worker:
            self._worker.join()
        while self._ready:
            self._discard(self._ready.pop())
        if self._template is not None:
            with contextlib.suppress(psycopg.Error):
                self._template.release()

    def _take(self, deadline: float) -> Clone | None:
        """Take a ready clone; None means that the caller may make one, which is counted already."""
        with self._state:
            while not self._ready:
                if self._closed:
                    raise DatabaseFailure("the pool of databases is closed")
                if self._total < self.max_open and self._recycling <= self._waiting:
                    self._total += 1
                    return None
                self._waiting += 1
                remaining = deadline - time.monotonic()
                in_time = remaining > 0 and self._state.wait(remaining)
                self._waiting -= 1
                if not in_time and not self._ready:
                    raise DatabaseFailure(
                        f"no database became free in time: {self._total} of at most {self.max_open} "
                        "are in use; close environments or run fewer at once"
                    )
            clone = self._ready.popleft()
            if len(self._ready) < WARM:
                self._work.put(None)
            return clone

    def _make_counted(self) -> Clone:
        try:
            return self._make()
        except BaseException:
            self._forget()
            raise

    def _make(self) -> Clone:
        """Clone the template; a server that died meanwhile is opened again, once."""
        for attempt in (1, 2):
            tenant, template = self._open()
            try:
                return Clone(tenant, template, self.limits)
            except psycopg.OperationalError as error:
                if attempt == 2 or tenant.is_alive():
                    raise DatabaseFailure(f"making a database: {describe(error)}") from error
                tenant.closed = True
        raise AssertionError("unreachable")

    def _open(self) -> tuple[Tenant, Template]:
        with self._template_lock:
            if self._tenant is None or self._template is None or self._tenant.closed:
                try:
                    self._tenant = self._tenants()
                    self._template = Template(self._tenant, self.domain)
                except psycopg.OperationalError as error:
                    raise DatabaseFailure(f"opening the server: {describe(error)}") from error
            return self._tenant, self._template

    def _give_back(self, clone: Clone) -> None:
        with self._state:
            self._recycling += 1
        self._work.put(clone)

    def _run(self) -> None:
        """Recycle what comes back, and keep some clones ahead (None asks for that)."""
        while True:
            clone = self._work.get()
            if clone is not None:
                self._recycle(clone)
            elif self._closed:
                return
            self._refill()

    def _recycle(self, clone: Clone) -> None:
        problem = "it served often enough" if clone.uses >= MAX_USES else clone.recycle()
        with self._state:
            self._recycling -= 1
            if problem is None and not self._closed:
                self._ready.append(clone)
                self._state.notify()
                return
        logger.debug("%s is not used again: %s", clone.name, problem)
        self._discard(clone)

    def _refill(self) -> None:
        """Make clones while nobody waits and few are ready; a failure shows in ``acquire``."""
        while True:
            with self._state:
                enough = len(self._ready) + self._recycling >= WARM
                if self._closed or enough or self._total >= self.max_open or not self._work.empty():
                    return
                self._total += 1
            try:
                clone = self._make()
            except (DatabaseFailure, psycopg.Error) as error:
                logger.warning("could not make a database ahead: %s", error)
                self._forget()
                return
            with self._state:
                self._ready.append(clone)
                self._state.notify()

    def _discard(self, clone: Clone) -> None:
        try:
            clone.close()
        except psycopg.Error as error:
            logger.debug("could not drop %s: %s", clone.name, error)
        self._forget()

    def _forget(self) -> None:
        with self._state:
            self._total -= 1
            self._state.notify()


def _is_cut(connection: "psycopg.Connection[dict[str, object]]") -> bool:
    """Whether an idle connection was ended by the server: its socket has something to read."""
    if connection.closed:
        return True
    readable, _, _ = select.select([connection.fileno()], [], [], 0)
    return bool(readable)
