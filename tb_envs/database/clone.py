"""One cloned database with its two connections, used by one episode after the other."""

import os
import secrets
import select
import socket
from collections.abc import Callable

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

from tb_envs.database.limits import SessionLimits
from tb_envs.database.reaper import drop_database, drop_role
from tb_envs.database.server import DictConnection
from tb_envs.database.template import Template
from tb_envs.database.tenant import Tenant
from tb_envs.errors import DatabaseFailure

AGENT_CONNECTIONS = 8


class Clone:
    """A database of our own, equal to its template.

    Attributes:
        agent: the tools' connection.
        owner: the connection for start records, change log and grading.
        spent: why it can never be used again, if so.
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
        self.uses = 0
        self.spent = "it has a server of its own" if on_close else ""
        self._recycled = 0
        self._on_close = on_close
        tenant.limits[self.role] = limits
        try:
            self._create(template)
            self.owner: DictConnection = self._connect(tenant.owner, tenant.owner_password)
            self.owner.execute("SELECT tb.enrol(%s)", (self.role,))
            self.agent: DictConnection = self._connect(self.role, self.password)
            self._warm_up()
        except BaseException:
            self._drop()
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

    def _warm_up(self) -> None:
        """Let the owner's session plan what it will run, so that no episode waits for that."""
        self.owner.execute("SELECT tb.prepare((SELECT now::text FROM clock), '[]')")
        if problem := self.recycle():
            if self.spent:
                return
            raise DatabaseFailure(f"a new database differs from its template: {problem}")

    @property
    def url(self) -> str:
        """The agent's address of this database, for a program of its own."""
        self.spent = "its address was given to another program"
        return self.tenant.server.url(self.name, self.role, self.password, self.limits.options)

    def recycle(self) -> str | None:
        """Undo the episode and prove it undone; return None, or why this database is spent."""
        if self.spent:
            return self.spent
        try:
            for connection in (self.agent, self.owner):
                if connection.info.transaction_status != TransactionStatus.IDLE:
                    connection.rollback()
            listening = self.agent.execute("SELECT FROM pg_listening_channels()").rowcount
            # psycopg forgets its prepared statements only when it has not seen the command's text
            # before, so the text is a new one each time.
            self._recycled += 1
            self.agent.execute(sql.SQL("DISCARD ALL /* {} */").format(sql.Literal(self._recycled)))
            row = self.owner.execute("SELECT tb.recycle() AS problem").fetchone()
            self.owner.execute("RESET ALL")
        except psycopg.Error as error:
            return f"it broke: {error}"
        if listening:
            return "its agent listened for notifications"
        return row["problem"] if row else "it gave no proof"

    @property
    def is_cut(self) -> bool:
        """Whether the server ended a connection: then its socket has something to read."""
        if self.agent.closed or self.owner.closed:
            return True
        sockets = [self.agent.fileno(), self.owner.fileno()]
        readable, _, _ = select.select(sockets, [], [], 0)
        return bool(readable)

    def cut(self) -> None:
        """End both connections at once, from any thread: who waits for an answer gets an error."""
        for connection in (self.agent, self.owner):
            if not connection.closed:
                with socket.socket(fileno=os.dup(connection.fileno())) as line:
                    line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close both connections and drop the database and its role."""
        self.agent.close()
        self.owner.close()
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
