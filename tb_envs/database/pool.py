"""A pool of fresh databases for one domain: clones are made ahead, and used again once proven.

``close`` of an episode's database hands the clone to a background thread, which undoes the episode
and proves that the clone equals its template. A clone that does not is dropped, and another made.
"""

import logging
import queue
import threading
import time
from collections import deque

import psycopg

from tb_envs.database.clone import Clone
from tb_envs.database.episode_database import EpisodeDatabase
from tb_envs.database.sources import CloneSource
from tb_envs.errors import DatabaseFailure

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
    """

    def __init__(self, source: CloneSource, *, warm: int) -> None:
        self._source = source
        self._warm = warm
        self._state = threading.Condition()
        self._ready: deque[Clone] = deque()
        self._lent: set[Clone] = set()
        self._total = 0
        self._recycling = 0
        self._waiting = 0
        self._closed = False
        self._known_checks: set[str] = set()
        self._returned: queue.SimpleQueue[Clone | None] = queue.SimpleQueue()
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
            clone = self._take(deadline) or self._make(deadline)
            if clone is None:
                continue
            if clone.is_cut:
                self._discard(clone)
                continue
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
        self._returned.put(None)
        self._worker.join()
        for clone in (*self._ready, *self._lent):
            self._discard(clone)
        self._ready.clear()
        self._lent.clear()
        self._source.close()

    def _take(self, deadline: float) -> Clone | None:
        """Take a ready clone; None says that the caller may make one, and counts it."""
        with self._state:
            while not self._ready:
                if self._closed:
                    raise DatabaseFailure("the pool of databases is closed")
                # What is being undone is ready sooner than what is yet to be made.
                if self._recycling <= self._waiting:
                    self._total += 1
                    return None
                self._wait(deadline)
            clone = self._ready.popleft()
            if len(self._ready) < self._warm:
                self._returned.put(None)
            return clone

    def _make(self, deadline: float) -> Clone | None:
        """Make a clone that is counted already; None after waiting on a server without room."""
        try:
            return self._source.make()
        except psycopg.errors.TooManyConnections:
            self._forget()
            with self._state:
                self._wait(deadline, at_most_s=FULL_WAIT_S)
            return None
        except BaseException:
            self._forget()
            raise

    def _wait(self, deadline: float, at_most_s: float = float("inf")) -> None:
        """Wait for something to change, with the state's lock held."""
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise DatabaseFailure(
                f"no database became free in time: {len(self._lent)} are in use, and the server "
                "has no room for more; close environments, run fewer at once, or raise the "
                "server's max_connections (two an episode)"
            )
        self._waiting += 1
        self._state.wait(min(remaining, at_most_s))
        self._waiting -= 1

    def _give_back(self, clone: Clone) -> None:
        with self._state:
            self._lent.discard(clone)
            self._recycling += 1
        self._returned.put(clone)

    def _run(self) -> None:
        """Recycle what comes back, and keep some clones ahead; None asks to look only."""
        while not self._closed:
            clone = self._returned.get()
            if clone is not None:
                self._recycle(clone)
            self._refill()

    def _recycle(self, clone: Clone) -> None:
        problem = "it served often enough" if clone.uses >= MAX_USES else clone.recycle()
        with self._state:
            self._recycling -= 1
            if problem is None:
                self._ready.append(clone)
                self._state.notify()
                return
        logger.debug("%s is not used again: %s", clone.name, problem)
        self._discard(clone)

    def _refill(self) -> None:
        """Make clones while few are ready and nothing else is to be done."""
        while self._returned.empty():
            with self._state:
                if self._closed or len(self._ready) + self._recycling >= self._warm:
                    return
                self._total += 1
            try:
                clone = self._source.make()
            except (DatabaseFailure, psycopg.Error) as error:
                # Nobody asked for this one; whoever does gets the error.
                logger.debug("could not make a database ahead: %s", error)
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
