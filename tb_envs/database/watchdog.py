"""Enforce the sessions' limits from outside.

A session's own ``statement_timeout`` is a setting that any role may change. So each process looks
at what its agents' sessions do, and ends what takes longer than they may.
"""

import logging
import threading
from collections.abc import Mapping

import psycopg

from tb_envs.database.limits import SessionLimits
from tb_envs.database.server import DictConnection

logger = logging.getLogger(__name__)

INTERVAL_S = 0.5
GRACE_S = 0.5

LOOK = """
SELECT pid, usename AS role, state, query_start, state_change,
       extract(epoch FROM clock_timestamp() - query_start)::float8 AS running_s,
       extract(epoch FROM clock_timestamp() - state_change)::float8 AS idle_s
FROM pg_stat_activity
WHERE starts_with(usename, %s) AND state <> 'idle'
"""
CANCEL = """
SELECT pg_cancel_backend(pid) FROM pg_stat_activity
WHERE pid = %(pid)s AND state = 'active' AND query_start = %(query_start)s
"""
TERMINATE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid = %(pid)s AND state_change = %(state_change)s
"""


class Watchdog:
    """A thread that watches the sessions of one process's agents.

    ``limits`` maps the agents' roles to what they may; others may change it meanwhile. ``lost`` is
    set once the server no longer answers.
    """

    def __init__(
        self,
        connection: DictConnection,
        prefix: str,
        limits: Mapping[str, SessionLimits],
    ) -> None:
        self._connection = connection
        self._prefix = prefix
        self._limits = limits
        self._stop = threading.Event()
        self.lost = False
        self._thread = threading.Thread(target=self._run, name="tb-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and wait for it."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(INTERVAL_S):
            try:
                self.look()
            except psycopg.Error as error:
                self.lost = True
                logger.debug("the watchdog lost the server: %s", error)
                return

    def look(self) -> None:
        """End what runs or idles for too long."""
        for row in self._connection.execute(LOOK, (self._prefix,)).fetchall():
            limits = self._limits.get(row["role"])
            if limits is None:
                continue
            if row["state"] == "active":
                if row["running_s"] > limits.statement_s + GRACE_S:
                    logger.warning("cancelling a statement after %.1f s", row["running_s"])
                    self._connection.execute(CANCEL, row)
            elif row["idle_s"] > limits.idle_s + GRACE_S:
                logger.warning("ending a transaction idle for %.1f s", row["idle_s"])
                self._connection.execute(TERMINATE, row)
