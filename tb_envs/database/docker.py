"""A PostgreSQL server in a container, started through testcontainers.

All processes of an OS user share one container per image. It lives as long as any of them (see
``keeper``), so that a process that is killed leaves none behind; the data lie in memory.
"""

import hashlib
import logging
import os
import secrets
import shutil
import socket
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, cast

import psycopg

from tb_envs.database import remove
from tb_envs.database.home import Home, locked, runtime_root
from tb_envs.database.server import ENVIRONMENT, SETTINGS, Server
from tb_envs.errors import DatabaseFailure

logger = logging.getLogger(__name__)

DEFAULT_IMAGE = "postgres:18"
LABEL = "thinkingbox.home"
MACHINE_LABEL = "thinkingbox.machine"
PORT = 5432
SUPERUSER = "postgres"
ENGINE_TIMEOUT_S = 10
ALREADY_GOING = (404, 409)
"""What the engine answers when somebody else removes a container: its keeper, most likely."""


def image_name() -> str:
    """The image to run: ``TB_POSTGRES_IMAGE``, else PostgreSQL's own."""
    return os.environ.get("TB_POSTGRES_IMAGE") or DEFAULT_IMAGE


@cache
def docker_problem() -> str | None:
    """Say why Docker cannot be used, or None: its engine answers, and the image can be had."""
    import docker
    from docker.errors import DockerException, ImageNotFound

    image = image_name()
    try:
        client = docker.from_env(timeout=ENGINE_TIMEOUT_S)
        try:
            client.images.get(image)
        except ImageNotFound:
            client.images.get_registry_data(image)
    except (DockerException, OSError) as error:
        lines = str(error).splitlines()
        return f"{image}: {lines[0] if lines else type(error).__name__}"
    return None


def open_docker(*, private: bool = False) -> Server:
    """Use this machine's container, starting it if need be; ``private`` starts one of one's own.

    Raises:
        DatabaseFailure: the engine does not answer, or the container does not start.
    """
    engine = f"{image_name()} {os.environ.get('DOCKER_HOST', '')}"
    name = f"docker-{hashlib.sha256(engine.encode()).hexdigest()[:8]}"
    root = runtime_root(f"{name}{'-private' if private else ''}")
    if private:
        return _start(Home.create(root))
    with locked(root):
        while (found := Home.running(root)) is not None:
            home, state = found
            server = _describe(home, state)
            try:
                server.admin().close()
            except psycopg.OperationalError:
                home.forget()
                continue
            return server
        _sweep()
        return _start(Home.create(root))


def _start(home: Home) -> Server:
    from docker.errors import DockerException

    began = time.monotonic()
    label = f"{LABEL}={home.path}"
    try:
        home.spawn_keeper("container", [sys.executable, "-I", remove.__file__, label])
        server, state = _run(home)
    except (DockerException, TimeoutError, OSError, psycopg.OperationalError) as error:
        home.release()
        raise DatabaseFailure(f"the container of {image_name()} did not start: {error}") from error
    home.publish(state)
    logger.info("started a container of %s (%.1f s)", image_name(), time.monotonic() - began)
    return server


def _run(home: Home) -> tuple[Server, dict[str, Any]]:
    """Run the container and find the shortest way to it."""
    from testcontainers.community.postgres import PostgresContainer
    from testcontainers.core.config import testcontainers_config

    password = secrets.token_hex(16)
    container = PostgresContainer(
        image_name(), username=SUPERUSER, password=password, dbname="postgres", driver=None
    )
    container.with_command(
        [
            "postgres",
            *(part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")),
        ]
    )
    container.with_envs(**ENVIRONMENT)
    container.tmpfs = {"/var/lib/postgresql": ""}
    container.with_kwargs(labels={LABEL: str(home.path), MACHINE_LABEL: socket.gethostname()})
    # Our keeper removes the container; the reaper of testcontainers would need an image of its own.
    before = testcontainers_config.ryuk_disabled
    testcontainers_config.ryuk_disabled = True
    try:
        container.start()
    finally:
        testcontainers_config.ryuk_disabled = before
    mapped = (container.get_container_host_ip(), int(container.get_exposed_port(PORT)))
    ways = [mapped]
    if sys.platform == "linux" and not os.environ.get("DOCKER_HOST"):
        bridge = container.get_docker_client().bridge_ip(container.get_container_id())
        ways.insert(0, (bridge, PORT))
    for host, port in ways:
        state = {"host": host, "port": port, "mapped": mapped, "password": password}
        server = _describe(home, state)
        try:
            with server.admin() as admin:
                if admin.info.server_version >= 160000:
                    admin.execute("ALTER SYSTEM SET scram_iterations = 1")
                    admin.execute("SELECT pg_reload_conf()")
        except psycopg.OperationalError as error:
            logger.debug("the container cannot be reached at %s:%d: %s", host, port, error)
        else:
            return server, state
    raise DatabaseFailure(f"the container of {image_name()} cannot be reached at {ways}")


def _describe(home: Home, state: dict[str, Any]) -> Server:
    mapped_host, mapped_port = state["mapped"]
    return Server(
        kind="docker",
        host=state["host"],
        port=state["port"],
        user=SUPERUSER,
        password=state["password"],
        maintenance="postgres",
        url_host=mapped_host,
        url_port=mapped_port,
        ours=True,
        release=home.release,
    )


def _sweep() -> None:
    """Remove containers of this machine whose keeper was killed: their home is in nobody's use."""
    import docker
    from docker.errors import APIError, DockerException

    try:
        client = docker.from_env(timeout=ENGINE_TIMEOUT_S)
        label = f"{MACHINE_LABEL}={socket.gethostname()}"
        for container in client.containers.list(
            all=True, filters={"label": label}, ignore_removed=True
        ):
            home = Path(cast(str, container.labels[LABEL]))
            if not Home.is_unused(home):
                continue
            try:
                container.remove(force=True, v=True)
            except APIError as error:
                if error.status_code not in ALREADY_GOING:
                    raise
            shutil.rmtree(home, ignore_errors=True)
    except DockerException as error:
        raise DatabaseFailure(f"docker: {error}") from error
