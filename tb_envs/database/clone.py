"""One cloned database with its session, used by one episode after the other."""

import os
import secrets
import select
import socket
import time
from collections.abc import Callable

import psycopg
from psycopg import sql
from psycopg.pq import ExecStatus, TransactionStatus

from tb_envs.database.limits import SessionLimits
from tb_envs.database.reaper import drop_database, drop_role
from tb_envs.database.server import DictConnection
from tb_envs.database.template import Template
from tb_envs.database.tenant import Tenant
from tb_envs.errors import DatabaseFailure

AGENT_CONNECTIONS = 8
RECYCLE = b"SELECT tb.recycle($1)"


class Clone:
    """A database of our own, equal to its template.

    Attributes:
        agent: the tools' session; ours too, for what asks for the ``secret``.
        uses: how many episodes it has served.
    """

    def __init__(
        self,
        tenant: Tenant,
        template: Template,
        limits: SessionLimits,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        number = tenant.next_number()
        self.tenant = tenant
        self.limits = limits
        self.name = f"tb_ep_{tenant.key}_{number}"
        self.role = f"tb_a_{tenant.key}_{number}"
        self.password = secrets.token_hex(16)
        self.secret = secrets.token_hex(16)
        self.uses = 0
        self._spent = "it has a server of its own" if on_close else ""
        self._on_close = on_close
        self._owner: DictConnection | None = None
        self._owner_used = False
        self._asked = False
        tenant.limits[self.role] = limits
        try:
            self._create(template)
            self.agent: DictConnection = self._connect(self.role, self.password)
        except BaseException:
            self._drop()
            raise
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _create(self, template: Template) -> None:
        name, role = sql.Identifier(self.name), sql.Identifier(self.role)
        options = " WITH INHERIT TRUE, SET FALSE" if self.tenant.version >= 160000 else ""
        with self.tenant.admin() as admin:
            admin.execute(
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} CONNECTION LIMIT {}").format(
                    role, sql.Literal(self.password), sql.Literal(AGENT_CONNECTIONS)
                )
            )
            admin.execute(sql.SQL("GRANT tb_agent TO {}").format(role) + sql.SQL(options))
            admin.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY OWNER tb_owner").format(
                    name, sql.Identifier(template.name)
                )
            )
            admin.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
            admin.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(name, role))

    def _connect(self, user: str, password: str) -> DictConnection:
        return self.tenant.server.connect(
            self.name, user=user, password=password, options=self.limits.options
        )

    def _begin(self) -> None:
        """Take the session into use, and let it plan what it will run for us."""
        self.agent.execute("SELECT tb.enrol(%s)", (self.secret,))
        self.agent.execute(
            "SELECT tb.prepare(%s, (SELECT now::text FROM clock), '[]')", (self.secret,)
        )
        self.send_recycle()
        if problem := self.problem():
            raise DatabaseFailure(f"a new database differs from its template: {problem}")

    @property
    def owner(self) -> DictConnection:
        """A session of the tables' owner, opened when first asked for."""
        self._owner_used = True
        if self._owner is None:
            self._owner = self._connect(self.tenant.owner, self.tenant.owner_password)
            # The session is wiped between episodes, and the driver must not count on what it held.
            self._owner.prepare_threshold = None
        return self._owner

    @property
    def url(self) -> str:
        """The agent's address of this database, for a program of its own."""
        self._spent = "its address was given to another program"
        return self.tenant.server.url(self.name, self.role, self.password, self.limits.options)

    def send_recycle(self) -> bool:
        """Ask the server to undo the episode and prove it undone; False where that cannot be.

        Does not wait: ``problem`` reads the answer, which must come before any other use.
        """
        if self._spent:
            return False
        session = self.agent.pgconn
        try:
            if self._owner is not None and self._owner_used:
                self._owner_used = False
                self._owner.rollback()
                self._owner.execute("DISCARD ALL", prepare=False)
            if session.transaction_status != TransactionStatus.IDLE:
                self.agent.rollback()
            reset = session.exec_(b"RESET ROLE; RESET ALL")
            if reset.status != ExecStatus.COMMAND_OK:
                return False
            session.send_query_params(RECYCLE, [self.secret.encode()])
            session.flush()
        except psycopg.Error:
            return False
        self._asked = True
        return True

    def problem(self, timeout_s: float = 30.0) -> str | None:
        """Wait for the answer to ``send_recycle``, if one is due: None, or why it is spent.

        Raises:
            psycopg.OperationalError: the server is gone, or says nothing for ``timeout_s``.
        """
        if not self._asked:
            return None
        self._asked = False
        session = self.agent.pgconn
        deadline = time.monotonic() + timeout_s
        while session.is_busy():
            if not _is_readable(session.socket, max(0.0, deadline - time.monotonic())):
                raise psycopg.OperationalError("the server does not answer")
            session.consume_input()
        answer = session.get_result()
        while session.get_result() is not None:
            pass
        if answer is None or answer.status != ExecStatus.TUPLES_OK:
            return answer.get_error_message() if answer else "it gave no answer"
        problem = answer.get_value(0, 0)
        return None if problem is None else problem.decode()

    @property
    def is_cut(self) -> bool:
        """Whether the server ended the session: then its idle socket has something to read."""
        return self.agent.closed or _is_readable(self.agent.fileno(), 0.0)

    def cut(self) -> None:
        """End the sessions at once, from any thread: who waits for an answer gets an error."""
        for connection in (self.agent, self._owner):
            if connection is not None and not connection.closed:
                with socket.socket(fileno=os.dup(connection.fileno())) as line:
                    line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the sessions, and drop the database and its role."""
        self.agent.close()
        if self._owner is not None:
            self._owner.close()
        self._drop()

    def _drop(self) -> None:
        self.tenant.limits.pop(self.role, None)
        try:
            if not self.tenant.closed:
                with self.tenant.admin() as admin:
                    drop_database(admin, self.name)
                    drop_role(admin, self.role)
        finally:
            if self._on_close:
                self._on_close()


def _is_readable(line: int, timeout_s: float) -> bool:
    """Wait for something to read; unlike ``select``, for file numbers of any size."""
    poll = select.poll()
    poll.register(line, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))
