"""Whether this machine is ready: ``doctor``."""

import importlib.util
import platform
import time
from collections.abc import Iterator
from importlib.metadata import version
from typing import get_args

import typer
from rich.console import Console
from rich.markup import escape

from tb_envs.cli.tasks import DatabaseOption
from tb_envs.database import open_pool
from tb_envs.database.choice import requested, resolve, title
from tb_envs.database.docker import docker_problem
from tb_envs.endpoints import Endpoint, EndpointRole
from tb_envs.errors import SystemFailure, UsageError
from tb_envs.registration import env_id
from tb_envs.specs import all_tasks, find_task

console = Console()

Finding = tuple[bool | None, str, str]
"""Good, bad, or neither (None); what was looked at; what was found."""

EXTRAS = {"train": ("torch", "transformers"), "gpu": ("vllm", "deepspeed"), "bench": ("scipy",)}


def doctor(database: DatabaseOption = None) -> None:
    """Look at this machine: Python, PostgreSQL, Docker, endpoints, and what is installed."""
    ready = True
    for good, subject, text in _findings(database):
        mark = {True: "[green]ok[/]  ", False: "[bold red]bad[/] ", None: "[dim]--[/]  "}[good]
        console.print(f"{mark} [bold]{subject}[/]: {escape(text)}", highlight=False)
        ready = ready and good is not False
    raise typer.Exit(0 if ready else 1)


def _findings(database: str | None) -> Iterator[Finding]:
    yield True, "python", f"{platform.python_version()}, thinkingbox {version('thinkingbox')}"
    yield True, "tasks", f"{len(all_tasks())}"
    problem = docker_problem()
    yield (None, "docker", problem) if problem else (True, "docker", "the engine answers")
    yield _database(database)
    for role in get_args(EndpointRole):
        yield _endpoint(role)
    for extra, modules in EXTRAS.items():
        missing = [name for name in modules if importlib.util.find_spec(name) is None]
        text = f"not installed: pip install 'thinkingbox[{extra}]'" if missing else "installed"
        yield (None if missing else True), f"extra {extra}", text


def _database(database: str | None) -> Finding:
    """Play what an episode needs: a server, a template, a fresh database."""
    choice = title(resolve(requested(database)))
    task = find_task("hotel-downgrade")
    started = time.monotonic()
    try:
        lease = open_pool(task.domain, database=database).acquire(timeout_s=120)
    except (SystemFailure, UsageError) as failure:
        return False, f"database {choice}", f"{failure} (needed for {env_id(task.id)})"
    try:
        row = lease.owner.execute("SHOW server_version").fetchone()
        found = row["server_version"] if row else "?"
    finally:
        lease.close()
    took = time.monotonic() - started
    return True, f"database {choice}", f"PostgreSQL {found}, first database after {took:.1f} s"


def _endpoint(role: EndpointRole) -> Finding:
    try:
        endpoint = Endpoint.from_environment(role)
    except UsageError as error:
        return None, f"endpoint {role}", str(error)
    return True, f"endpoint {role}", str(endpoint)
