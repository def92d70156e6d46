"""A pool of fresh databases for one domain: clones are made ahead, and used again once proven.

``close`` of an episode's database asks the server to undo the episode and to prove that the clone
equals its template again; the next ``acquire`` reads the answer. Nobody waits in between. A clone
that is not as its template is dropped, and another made.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable

import psycopg

from tb_envs.database.clone import Clone
from tb_envs.database.episode_database import EpisodeDatabase
from tb_envs.database.failures import describe
from tb_envs.database.sources import CloneSource
from tb_envs.errors import DatabaseFailure, ThinkingBoxError

logger = logging.getLogger(__name__)

MAX_USES = 200
"""Recycling leaves dead rows behind, and nothing vacuums: after this many episodes a clone is
dropped, before that costs anything."""

FULL_WAIT_S = 0.5


class DatabasePool:
    """Databases of one domain, for any number of threads.

    Args:
        source: makes clones.
        warm: how many fresh clones to keep ready beyond those in use.
        make_room: drops a clone that lies idle elsewhere on the same server; False if there is
            none.
    """

    def __init__(
        self, source: CloneSource, *, warm: int, make_room: Callable[[], bool] = lambda: False
    ) -> None:
        self._source = source
        self._warm = warm
        self._make_room = make_room
        self._state = threading.Condition()
        self._ready: deque[Clone] = deque()
        self._lent: set[Clone] = set()
        self._closed = False
        self._known_checks: set[str] = set()
        self._process = os.getpid()
        self._wanted = threading.Event()
        self._worker = threading.Thread(target=self._run, name="tb-databases", daemon=True)
        self._worker.start()

    def acquire(self, *, timeout_s: float) -> EpisodeDatabase:
        """Lend a fresh database; waits while the server has no room for another.

        Raises:
            DatabaseFailure: the server is gone and does not come back, or no database became free
                in time.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            clone = self._take() or self._make(deadline)
            if clone is None:
                continue
            if self._is_fresh(clone):
                break
            if time.monotonic() > deadline:
                raise DatabaseFailure("no database proved equal to its template in time")
        clone.uses += 1
        with self._state:
            self._lent.add(clone)
        return EpisodeDatabase(clone, self._known_checks, self._give_back)

    def close(self) -> None:
        """Drop every database of the pool, the lent ones too, and stop."""
        with self._state:
            if self._closed:
                return
            self._closed = True
            self._state.notify_all()
        self._wanted.set()
        self._worker.join()
        for clone in (*self._ready, *self._lent):
            self._discard(clone)
        self._ready.clear()
        self._lent.clear()
        self._source.close()

    def shed(self) -> bool:
        """Drop a clone that lies idle; False if there is none."""
        with self._state:
            clone = self._ready.popleft() if self._ready else None
        if clone is not None:
            self._discard(clone)
        return clone is not None

    def _take(self) -> Clone | None:
        """Take the clone that came back first; None says that the caller may make one."""
        with self._state:
            if self._closed:
                raise DatabaseFailure("the pool of databases is closed")
            clone = self._ready.popleft() if self._ready else None
            if len(self._ready) < self._warm:
                self._wanted.set()
            return clone

    def _is_fresh(self, clone: Clone) -> bool:
        """Read the proof that a clone equals its template; without one, drop it."""
        try:
            problem = clone.problem()
            if problem is None and not clone.is_cut:
                return True
        except psycopg.Error as error:
            problem = describe(error)
        logger.debug("%s is not used again: %s", clone.name, problem)
        self._discard(clone)
        return False

    def _make(self, deadline: float) -> Clone | None:
        """Make a clone; None after making room, or waiting for it, on a server without any."""
        try:
            return self._source.make()
        except psycopg.errors.TooManyConnections:
            if not self._make_room():
                with self._state:
                    self._wait(deadline)
            return None

    def _wait(self, deadline: float) -> None:
        """Wait for a clone to come back, with the state's lock held; not long, others may close."""
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise DatabaseFailure(
                f"no database became free in time: {len(self._lent)} are in use, and the server "
                "has no room for more; close environments, run fewer at once, or raise the "
                "server's max_connections"
            )
        self._state.wait(min(remaining, FULL_WAIT_S))

    def _give_back(self, clone: Clone) -> None:
        if os.getpid() != self._process:
            return  # a forked child lets its copy go; the session is its parent's
        spent = clone.uses >= MAX_USES or not clone.send_recycle()
        with self._state:
            self._lent.discard(clone)
            if not spent and not self._closed:
                self._ready.append(clone)
            self._state.notify()
        if spent:
            self._discard(clone)

    def _run(self) -> None:
        """Keep some clones ahead."""
        while self._wanted.wait():
            self._wanted.clear()
            while not self._closed and len(self._ready) < self._warm:
                try:
                    clone = self._source.make()
                except (ThinkingBoxError, psycopg.Error) as error:
                    # Nobody asked for this one; whoever does gets the error.
                    logger.debug("could not make a database ahead: %s", error)
                    break
                with self._state:
                    self._ready.append(clone)
                    self._state.notify()
            if self._closed:
                return

    def _discard(self, clone: Clone) -> None:
        try:
            clone.close()
        except psycopg.Error as error:
            logger.debug("could not drop %s: %s", clone.name, error)
