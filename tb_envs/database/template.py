"""A domain's template database: built once a server, cloned for each episode."""

import hashlib
import logging
import re
import time

import psycopg
from psycopg import sql

from tb_envs.database.failures import describe, is_infrastructure
from tb_envs.database.reaper import drop_database, drop_unused_template
from tb_envs.database.server import DictConnection
from tb_envs.database.tenant import (
    SQL,
    TEMPLATE_BUILD,
    TEMPLATE_USE,
    Tenant,
    lock_number,
    sql_file,
)
from tb_envs.errors import SpecError
from tb_envs.specs.domain import Domain

logger = logging.getLogger(__name__)

BEFORE = ("base.sql",)
AFTER = ("changelog.sql", "recycle.sql", "start.sql", "checks.sql")
LAST = "doors.sql"


def template_key(domain: Domain) -> str:
    """Twelve hex digits that stand for the domain's files and for our own SQL."""
    digest = hashlib.sha256(domain.hash.encode())
    for name in (*BEFORE, *AFTER, LAST):
        digest.update((SQL / name).read_bytes())
    return digest.hexdigest()[:12]


class Template:
    """A template database that this process holds in use."""

    def __init__(self, tenant: Tenant, domain: Domain) -> None:
        self._tenant = tenant
        self._key = template_key(domain)
        slug = re.sub(r"[^a-z0-9_]", "_", domain.name.lower())[:30]
        self.name = f"tb_template_{slug}_{self._key}"
        with tenant.admin() as admin:
            number = lock_number(self._key)
            tenant.guard.execute("SELECT pg_advisory_lock_shared(%s, %s)", (TEMPLATE_USE, number))
            admin.execute("SELECT pg_advisory_lock(%s, %s)", (TEMPLATE_BUILD, number))
            try:
                if not self._exists(admin):
                    self._build(admin, domain)
            finally:
                admin.execute("SELECT pg_advisory_unlock(%s, %s)", (TEMPLATE_BUILD, number))

    def release(self) -> None:
        """Give up the use; the last one to do so drops the template."""
        number = lock_number(self._key)
        self._tenant.guard.execute(
            "SELECT pg_advisory_unlock_shared(%s, %s)", (TEMPLATE_USE, number)
        )
        with self._tenant.admin() as admin:
            drop_unused_template(admin, self.name, self._key)

    def _exists(self, admin: DictConnection) -> bool:
        return bool(
            admin.execute("SELECT FROM pg_database WHERE datname = %s", (self.name,)).rowcount
        )

    def _build(self, admin: DictConnection, domain: Domain) -> None:
        began = time.monotonic()
        draft = f"{self.name}_new"
        drop_database(admin, draft)
        admin.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE template0 OWNER tb_owner").format(
                sql.Identifier(draft)
            )
        )
        try:
            with self._tenant.server.connect(draft) as connection:
                fill(connection, domain)
        except BaseException:
            drop_database(admin, draft)
            raise
        admin.execute(
            sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(draft))
        )
        admin.execute(
            sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                sql.Identifier(draft), sql.Identifier(self.name)
            )
        )
        logger.info("built template %s (%.2f s)", self.name, time.monotonic() - began)


def fill(connection: DictConnection, domain: Domain) -> None:
    """Make an empty database the domain's: schema, articles, seed, change log.

    Raises:
        SpecError: the domain's SQL does not run, or a table has no primary key.
    """
    for name in BEFORE:
        connection.execute(sql_file(name))
    connection.execute("SET ROLE tb_owner")
    connection.execute("INSERT INTO clock (now) VALUES (%s)", (domain.now,))
    for number, schema in enumerate(domain.schema_sql):
        _run(connection, domain, schema, f"schema {number + 1}")
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO articles (id, title, body) VALUES (%s, %s, %s)",
            [(article.id, article.title, article.body) for article in domain.articles],
        )
    _run(connection, domain, domain.seed_sql, "seed.sql")
    connection.execute("RESET ROLE")
    for name in AFTER:
        connection.execute(sql_file(name))
    try:
        connection.execute("SELECT tb.install()")
    except psycopg.errors.DatabaseError as error:
        if error.sqlstate != "TB001":
            raise
        raise SpecError(
            f"{error.diag.message_primary}; each needs one, so that its changes can be named",
            field=f"domain {domain.name}",
        ) from error
    connection.execute(sql_file(LAST))
    connection.execute("VACUUM (ANALYZE, FREEZE)")


def _run(connection: DictConnection, domain: Domain, text: str, part: str) -> None:
    try:
        connection.execute(text.encode())
    except psycopg.Error as error:
        if is_infrastructure(error):
            raise
        position = int(error.diag.statement_position or 0)
        line = text.count("\n", 0, position) + 1 if position else None
        raise SpecError(
            describe(error), line=line, field=f"domain {domain.name}, {part}"
        ) from error
