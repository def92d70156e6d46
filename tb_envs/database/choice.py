"""Which server to use: what the user asked for, or what the machine offers."""

import logging
import os

from tb_envs.database.docker import docker_problem, open_docker
from tb_envs.database.dsn import open_dsn
from tb_envs.database.embedded import open_embedded
from tb_envs.database.server import Server
from tb_envs.errors import DatabaseFailure, UsageError

logger = logging.getLogger(__name__)


def requested(database: str | None) -> str:
    """The choice in words: the argument, else ``TB_DATABASE``, else ``auto``.

    Raises:
        UsageError: it is none of the words and no address.
    """
    choice = database or os.environ.get("TB_DATABASE") or "auto"
    if choice in {"auto", "docker", "embedded"} or choice.startswith(
        ("postgresql://", "postgres://")
    ):
        return choice
    raise UsageError(
        f"database={choice!r}; expected 'auto', 'docker', 'embedded' or a postgresql:// address"
    )


def resolve(choice: str) -> str:
    """Settle ``auto``: Docker when its engine and image are there, else the embedded server."""
    if choice != "auto":
        return choice
    problem = docker_problem()
    if problem is None:
        logger.info("database: docker, since its engine answers and the image is there")
        return "docker"
    logger.info("database: embedded PostgreSQL, since docker cannot be used: %s", problem)
    return "embedded"


def title(choice: str) -> str:
    """A choice for messages: an address may hold a password."""
    return "postgresql" if "://" in choice else choice


def start_server(choice: str, *, private: bool = False) -> Server:
    """Open the server of a settled choice; ``private`` starts one that nobody shares.

    Raises:
        DatabaseFailure: the server does not start.
        UsageError: an address is not valid, or its server cannot be used.
        psycopg.OperationalError: the server cannot be reached.
    """
    try:
        if choice == "docker":
            return open_docker(private=private)
        if choice == "embedded":
            return open_embedded(private=private)
        return open_dsn(choice)
    except OSError as error:
        raise DatabaseFailure(f"starting {title(choice)}: {error}") from error
