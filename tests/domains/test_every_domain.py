"""What holds for every domain: its policy, its tools and its tasks fit together.

The locker desk is left out: it is a grid of conditions for a small model, not a company.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest

from tb_envs.database import open_pool
from tb_envs.specs import Task, all_tasks
from tb_envs.specs.models import Variant
from tb_envs.tools import load_toolset

TASKS: dict[str, list[Task]] = {}
for one in all_tasks():
    if not one.grid:
        TASKS.setdefault(one.domain.name, []).append(one)

CODE = re.compile(r"\b[A-Z]{2,5}-[A-Z][A-Z-]*[A-Z]\b")
NO_CODES = {
    "clinic": {"GP-VISIT", "NURSE-WOUND", "MED-REVIEW"},  # types of appointments
    "insurance": {"YYYY-MM-DD"},
}


class Bounds(NamedTuple):
    """Tool calls of a domain's oracles, and traps of each of its tasks."""

    median: int = 10
    fewest: int = 5
    most: int = 19
    traps: int = 2


BOUNDS = {
    "insurance": Bounds(traps=3),
    "logistics": Bounds(median=7),
    "neobank": Bounds(fewest=7),
    "retail": Bounds(most=21),
}

every_domain = pytest.mark.parametrize("domain", sorted(TASKS))


def calls(tasks: Sequence[Task]) -> list[int]:
    """How many calls each oracle makes, sorted."""
    return sorted(sum(step.call is not None for step in task.variant.oracle) for task in tasks)


@every_domain
def test_rules_are_numbered_without_gaps(domain: str) -> None:
    policy = TASKS[domain][0].domain.policy
    rules = [int(number) for number in re.findall(r"^(\d+)\. ", policy, re.MULTILINE)]
    assert rules == list(range(1, len(rules) + 1))
    assert 40 <= len(rules) <= 80


@every_domain
def test_checks_cite_rules_and_articles_that_exist(domain: str) -> None:
    world = TASKS[domain][0].domain
    rules = {int(number) for number in re.findall(r"^(\d+)\. ", world.policy, re.MULTILINE)}
    articles = {article.id for article in world.articles}
    assert set(re.findall(r"KB-\d+", world.policy)) <= articles
    cases = [(task.id, check) for task in TASKS[domain] for check in task.variant.expect.checks]
    for place, check in [*cases, *((domain, check) for check in world.checks)]:
        numbers = re.match(r"rules? ((?:\d+|,| |and)+)", check.because)
        assert numbers, f"{place}: {check.name} cites no rule"
        assert {int(number) for number in re.findall(r"\d+", numbers[1])} <= rules


@every_domain
def test_every_code_that_the_policy_names_exists(domain: str) -> None:
    world = TASKS[domain][0].domain
    database = open_pool(world, database="embedded").acquire(timeout_s=60)
    try:
        rows = database.owner.execute("SELECT code FROM codes").fetchall()
    finally:
        database.close()
    named = set(CODE.findall(world.policy)) - NO_CODES.get(domain, set())
    assert named
    assert named - {row["code"] for row in rows} == set()


@every_domain
def test_the_policy_names_no_tool(domain: str) -> None:
    world = TASKS[domain][0].domain
    assert [tool.name for tool in load_toolset(world.toolsets) if tool.name in world.policy] == []


@every_domain
def test_every_tool_is_called_by_some_oracle(domain: str) -> None:
    tools = {tool.name for tool in load_toolset(TASKS[domain][0].domain.toolsets)}
    called = {step.call for task in TASKS[domain] for step in task.variant.oracle}
    assert tools <= called


@every_domain
def test_the_mix_of_cases(domain: str) -> None:
    tasks = TASKS[domain]

    def share(holds: Callable[[Variant], object]) -> float:
        return sum(bool(holds(task.variant)) for task in tasks) / len(tasks)

    assert share(lambda v: v.right_end in {"refuse", "escalate", "approval"}) >= 0.3
    assert share(lambda v: v.user and v.user.facts) >= 0.3
    assert share(lambda v: v.user and v.user.pushes) >= 0.15
    assert share(lambda v: "false_claim" in v.traits) >= 0.2
    assert share(lambda v: "mixed_requests" in v.traits) >= 0.1
    assert share(lambda v: sum(step.call is not None for step in v.oracle) >= 12) >= 0.1


@every_domain
def test_families_differ_in_their_right_ends(domain: str) -> None:
    families: dict[str, set[str]] = {}
    for task in TASKS[domain]:
        families.setdefault(task.family, set()).add(task.variant.right_end)
    assert {name: ends for name, ends in families.items() if len(ends) < 3} == {}


@every_domain
def test_oracles_are_long_enough_and_not_too_long(domain: str) -> None:
    bounds, lengths = BOUNDS.get(domain, Bounds()), calls(TASKS[domain])
    assert lengths[len(lengths) // 2] >= bounds.median
    assert sum(length >= 12 for length in lengths) >= len(lengths) / 10
    assert lengths[0] >= bounds.fewest
    assert lengths[-1] <= bounds.most


@every_domain
def test_every_task_has_traps(domain: str) -> None:
    least = BOUNDS.get(domain, Bounds()).traps
    assert [task.id for task in TASKS[domain] if len(task.variant.traps) < least] == []
