"""What the task files hold, domain by domain: counts that show how even and how hard they are."""

import json
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tb_envs.specs import Task, all_tasks
from tb_envs.tools import load_toolset

RULE = re.compile(r"^(\d+)\. ", re.MULTILINE)
CITED = re.compile(r"\brules? (\d+(?:(?:, | and | to |, and )\d+)*)", re.IGNORECASE)
TABLE = re.compile(r"^CREATE TABLE (?:public\.)?(\w+)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DomainStatistics:
    """One domain's tasks in numbers.

    Attributes:
        calls: tool calls of each task's oracle, sorted.
        right_ends: how many tasks end in each way.
        traits: how many tasks declare each trait.
        pressed: tasks whose user presses on.
        asked: tasks whose user has facts that must be asked for.
        tables, tables_own, tables_named: tables of the domain, those that it shares with no other,
            and those that an expectation names.
        tools, tools_own: tools that an agent has, and those that only this domain has.
        tools_unused, rules_unused: what no oracle calls, and what no task cites.
        prompt_characters: system prompt and tool schemas as an agent gets them.
    """

    name: str
    families: int
    tasks: int
    calls: tuple[int, ...]
    right_ends: Mapping[str, int]
    traits: Mapping[str, int]
    traps: int
    rubrics: int
    pressed: int
    asked: int
    tables: int
    tables_own: int
    tables_named: int
    tools: int
    tools_own: int
    tools_unused: tuple[str, ...]
    rules: int
    rules_unused: tuple[int, ...]
    prompt_characters: int

    def calls_at(self, share: float) -> int:
        """The number of calls that a share of the tasks does not exceed."""
        return self.calls[min(len(self.calls) - 1, int(share * len(self.calls)))]

    @property
    def median_calls(self) -> float:
        """The median of the oracles' calls."""
        return statistics.median(self.calls)

    def share(self, count: int) -> float:
        """A count as a share of the domain's tasks."""
        return count / self.tasks


def domain_statistics(split: str | None = None) -> list[DomainStatistics]:
    """Count every domain that has tasks of a split (of any, by default), in order of name."""
    domains: dict[str, list[Task]] = {}
    for task in all_tasks():
        if split is None or task.split == split:
            domains.setdefault(task.domain.name, []).append(task)
    return [_count(tasks) for _, tasks in sorted(domains.items())]


def _count(tasks: Sequence[Task]) -> DomainStatistics:
    domain = tasks[0].domain
    variants = [task.variant for task in tasks]
    tools = {tool.name: tool for tool in load_toolset(domain.toolsets)}
    called = {step.call for variant in variants for step in variant.oracle if step.call}
    rules = [int(number) for number in RULE.findall(domain.policy)]
    cited = {number for task in tasks for number in _cited(task)}
    tables = {name for text in domain.schema_sql for name in TABLE.findall(text)}
    schemas = json.dumps([tool.info.openai() for tool in tools.values()])
    return DomainStatistics(
        name=domain.name,
        families=len({task.path for task in tasks}),
        tasks=len(tasks),
        calls=tuple(
            sorted(sum(step.call is not None for step in variant.oracle) for variant in variants)
        ),
        right_ends=Counter(variant.right_end for variant in variants),
        traits=Counter(trait for variant in variants for trait in set(variant.traits)),
        traps=sum(len(variant.traps) for variant in variants),
        rubrics=sum(bool(variant.rubrics) for variant in variants),
        pressed=sum(bool(variant.user and variant.user.pushes) for variant in variants),
        asked=sum(bool(variant.user and variant.user.facts) for variant in variants),
        tables=len(tables),
        tables_own=len(TABLE.findall(domain.schema_sql[-1])),
        tables_named=len(tables & {name for task in tasks for name in _named(task)}),
        tools=len(tools),
        tools_own=sum(f".{domain.name}" in tool.function.__module__ for tool in tools.values()),
        tools_unused=tuple(sorted(tools.keys() - called)),
        rules=len(rules),
        rules_unused=tuple(number for number in rules if number not in cited),
        prompt_characters=len(domain.system_prompt) + len(schemas),
    )


def _named(task: Task) -> Iterator[str]:
    """The tables that a task's expectation names, in rules, records and checks."""
    expect = task.variant.expect
    for rule in expect.changes:
        yield from rule.model_dump(include={"insert", "update", "delete"}).values()
    for record in expect.records:
        yield record.table
    for check in expect.checks:
        yield from re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", check.sql, re.IGNORECASE)


def _cited(task: Task) -> set[int]:
    """The rules that a task's own words cite: its summary, its checks, its traps' mistakes."""
    variant = task.variant
    words = [
        variant.summary,
        *(check.because for check in (*task.domain.checks, *variant.expect.checks)),
        *(trap.mistake for trap in variant.traps),
    ]
    return {number for text in words for number in cited_rules(text)}


def cited_rules(text: str) -> set[int]:
    """The numbers of the rules that a text cites: "rule 3", "rules 3, 4 and 7", "rules 3 to 5"."""
    numbers: set[int] = set()
    for listed in CITED.findall(text):
        for part in re.split(r", and |, | and ", listed):
            first, _, last = part.partition(" to ")
            numbers.update(range(int(first), int(last or first) + 1))
    return numbers
