"""Drop what dead processes left on a server, and only that."""

import logging
import re
from typing import LiteralString

import psycopg
from psycopg import sql

from tb_envs.database.server import DictConnection
from tb_envs.database.tenant import LIFE, TEMPLATE_USE, lock_number

logger = logging.getLogger(__name__)

EPISODE = re.compile(r"tb_ep_([0-9a-f]{8})_[0-9]+")
LOGIN = re.compile(r"tb_[ao]_([0-9a-f]{8})(_[0-9]+)?")
TEMPLATE = re.compile(r"tb_template_.*_([0-9a-f]{12})(_new)?")


def drop_database(admin: DictConnection, name: str) -> None:
    """Drop a database, whoever is connected to it."""
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def drop_role(admin: DictConnection, name: str) -> None:
    """Drop a role that owns nothing any more."""
    admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))


def reap(admin: DictConnection) -> int:
    """Drop the databases, templates and roles of processes that are dead; return how many."""
    dropped = 0
    databases = _names(admin, "SELECT datname AS name FROM pg_database")
    roles = _names(admin, "SELECT rolname AS name FROM pg_roles")
    episodes = [(found[1], name) for name in databases if (found := EPISODE.fullmatch(name))]
    logins = [(found[1], name) for name in roles if (found := LOGIN.fullmatch(name))]
    for key in {key for key, _ in (*episodes, *logins)}:
        if not _try_lock(admin, LIFE, key):
            continue
        try:
            for owner, name in episodes:
                if owner == key:
                    drop_database(admin, name)
                    dropped += 1
            for owner, name in logins:
                if owner == key:
                    drop_role(admin, name)
        finally:
            _unlock(admin, LIFE, key)
    for name in databases:
        if found := TEMPLATE.fullmatch(name):
            dropped += drop_unused_template(admin, name, found[1])
    if dropped:
        logger.info("dropped %d databases that ended processes had left", dropped)
    return dropped


def drop_unused_template(admin: DictConnection, name: str, key: str) -> bool:
    """Drop a template if no process holds it in use."""
    if not _try_lock(admin, TEMPLATE_USE, key):
        return False
    try:
        drop_database(admin, name)
    except psycopg.errors.ObjectInUse:
        return False
    finally:
        _unlock(admin, TEMPLATE_USE, key)
    return True


def _names(admin: DictConnection, query: LiteralString) -> list[str]:
    return [row["name"] for row in admin.execute(query)]


def _try_lock(admin: DictConnection, space: int, key: str) -> bool:
    row = admin.execute(
        "SELECT pg_try_advisory_lock(%s, %s) AS taken", (space, lock_number(key))
    ).fetchone()
    return bool(row and row["taken"])


def _unlock(admin: DictConnection, space: int, key: str) -> None:
    admin.execute("SELECT pg_advisory_unlock(%s, %s)", (space, lock_number(key)))
