"""Beginning something of one's own: ``new-task`` and ``new-domain``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tb_envs.scaffold import new_domain, new_task

console = Console()


def new_task_command(
    family: Annotated[str, typer.Argument(help="The task family's name, such as lost-parcel.")],
    domain: Annotated[str, typer.Option(help="The domain that it plays in.")] = "travel",
) -> None:
    """Write a task that is valid and passes, for you to edit."""
    _tell(new_task(family, domain), family)


def new_domain_command(
    name: Annotated[str, typer.Argument(help="The domain's name, such as library.")],
) -> None:
    """Write a small domain with tools, policy and two tasks, for you to edit."""
    paths = new_domain(name)
    _tell(paths, paths[-1].stem)


def _tell(paths: list[Path], family: str) -> None:
    for path in paths:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    console.print(f"Prove it: tb-envs validate {family}", highlight=False)
    console.print(f"Watch it: tb-envs play {family}", highlight=False)
