"""Looking at tasks and proving them: ``list``, ``show``, ``validate``, ``schema``."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer
import yaml
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from tb_envs.mutation import mutate_tasks
from tb_envs.specs import Task, all_tasks, find_task, resolve_tasks
from tb_envs.specs.models import DomainSpec, FamilySpec, Split
from tb_envs.validation import prove_tasks

console = Console()

SplitOption = Annotated[Split | None, typer.Option(help="Only tasks of this split.")]
DomainOption = Annotated[str | None, typer.Option(help="Only tasks of this domain.")]
DatabaseOption = Annotated[
    str | None, typer.Option(help="auto, docker, embedded or a postgresql:// URL.")
]


def list_tasks(split: SplitOption = None, domain: DomainOption = None) -> None:
    """List the tasks, with what is right in each."""
    tasks = all_tasks(split, domain)
    table = Table("task", "domain", "split", "right end", "summary")
    for task in tasks:
        variant = task.variant
        summary = escape(variant.summary.strip())
        table.add_row(task.id, task.domain.name, task.split, variant.right_end, summary)
    console.print(table)
    console.print(f'{len(tasks)} tasks; gymnasium.make("ThinkingBox/<task>-v0")')


def show(
    task_id: Annotated[str, typer.Argument(help="<family> or <family>.<variant>")],
    policy: Annotated[
        bool, typer.Option("--policy", help="Print the domain's policy too.")
    ] = False,
) -> None:
    """Show a task as its author wrote it: user, start, oracle, traps, expectation."""
    task = find_task(task_id)
    console.print(f"[bold]{task.id}[/]  ({task.domain.name}, {task.split})  {task.path.name}")
    content = task.variant.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    console.print(
        yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100),
        highlight=False,
        markup=False,
    )
    if policy:
        console.print(Markdown(task.domain.policy))


def validate(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Tasks or families; all if none.")
    ] = None,
    split: SplitOption = None,
    domain: DomainOption = None,
    database: DatabaseOption = None,
    jobs: Annotated[int, typer.Option(help="Episodes at once.")] = 2 * (os.cpu_count() or 1),
    mutate: Annotated[
        bool, typer.Option("--mutate", help="Also spoil each right end, and see that it fails.")
    ] = False,
) -> None:
    """Prove tasks: oracle passes, idleness fails, every trap fails, twice the same end."""
    named = resolve_tasks(tasks) if tasks else all_tasks(split, domain)
    chosen = tuple({task.id: task for task in named}.values())
    failed = _prove(chosen, database, jobs)
    console.print(f"{len(chosen) - failed} of {len(chosen)} tasks proven")
    survived = _mutate(chosen, database, jobs) if mutate and not failed else 0
    raise typer.Exit(1 if failed or survived or not chosen else 0)


def _prove(tasks: tuple[Task, ...], database: str | None, jobs: int) -> int:
    failed = 0
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("proving", total=len(tasks))
        for proof in prove_tasks(tasks, database=database, concurrency=jobs):
            progress.advance(bar)
            if proof.problems:
                failed += 1
                console.print(f"[bold red]not proven[/] {proof.task_id}", highlight=False)
                for problem in proof.problems:
                    console.print(f"  {problem}", highlight=False, markup=False)
    return failed


def _mutate(tasks: tuple[Task, ...], database: str | None, jobs: int) -> int:
    killed = survived = 0
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("mutating", total=len(tasks))
        for report in mutate_tasks(tasks, database=database, concurrency=jobs):
            progress.advance(bar)
            killed += report.killed
            survived += len(report.survivors)
            if report.survivors:
                console.print(f"[bold red]passes when spoilt[/] {report.task_id}", highlight=False)
                for survivor in report.survivors:
                    console.print(f"  {survivor}", highlight=False, markup=False)
    total = killed + survived
    share = f" ({killed / total:.1%})" if total else ""
    console.print(f"{killed} of {total} mutants failed as they must{share}")
    return survived


def schema(
    folder: Annotated[Path, typer.Argument(help="Where to write the two files.")] = Path("schemas"),
) -> None:
    """Write JSON schemas of domain.yaml and of task files, for editors."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in (("domain", DomainSpec), ("family", FamilySpec)):
        path = folder / f"{name}.schema.json"
        path.write_text(json.dumps(model.model_json_schema(), indent=2) + "\n", encoding="utf-8")
        console.print(f"wrote {path}")
