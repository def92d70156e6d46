"""The tasks in numbers, a column a domain: ``stats``."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tb_envs.cli.tasks import SplitOption
from tb_envs.specs.models import RIGHT_ENDS, TRAITS
from tb_envs.statistics import DomainStatistics, domain_statistics

console = Console()


def stats(
    split: SplitOption = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a Markdown table, for docs.")
    ] = False,
) -> None:
    """Count what the task files hold, domain by domain."""
    domains = domain_statistics(split)
    head, rows = ("", *(domain.name for domain in domains)), table_rows(domains)
    if markdown:
        for row in (head, ("---",) * len(head), *rows):
            typer.echo(f"| {' | '.join(row)} |")
        return
    table = Table(*head)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for domain in domains:
        if domain.tools_unused:
            console.print(f"{domain.name}: in no oracle: {', '.join(domain.tools_unused)}")
        if domain.rules_unused:
            numbers = ", ".join(map(str, domain.rules_unused))
            console.print(f"{domain.name}: cited by no task: rules {numbers}", highlight=False)


def table_rows(domains: Sequence[DomainStatistics]) -> list[tuple[str, ...]]:
    """The table's rows: a name, then what each domain has."""

    def shares(counts: Sequence[int]) -> list[str]:
        return [f"{one.share(n):.0%}" for one, n in zip(domains, counts, strict=True)]

    rows: dict[str, list[str]] = {
        "tasks": [str(one.tasks) for one in domains],
        "families": [str(one.families) for one in domains],
        "oracle's calls, median": [f"{one.median_calls:g}" for one in domains],
        "oracle's calls, 90th percentile": [str(one.calls_at(0.9)) for one in domains],
        "oracle's calls, most": [str(one.calls[-1]) for one in domains],
    }
    for end in RIGHT_ENDS:
        rows[f"right end: {end}"] = shares([one.right_ends.get(end, 0) for one in domains])
    for trait in TRAITS:
        name = f"trait: {trait.replace('_', ' ')}"
        rows[name] = shares([one.traits.get(trait, 0) for one in domains])
    rows |= {
        "user has facts to ask for": shares([one.asked for one in domains]),
        "user presses on": shares([one.pressed for one in domains]),
        "traps a task": [f"{one.traps / one.tasks:.1f}" for one in domains],
        "tasks with a rubric": [str(one.rubrics) for one in domains],
        "tables, its own, named": [
            f"{one.tables}, {one.tables_own}, {one.tables_named}" for one in domains
        ],
        "tools, its own, unused": [
            f"{one.tools}, {one.tools_own}, {len(one.tools_unused)}" for one in domains
        ],
        "rules, of these uncited": [f"{one.rules}, {len(one.rules_unused)}" for one in domains],
        "prompt, thousand characters": [f"{one.prompt_characters / 1000:.0f}" for one in domains],
    }
    return [(name, *cells) for name, cells in rows.items()]
