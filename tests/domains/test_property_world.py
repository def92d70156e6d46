import re

from tb_envs.specs import load_domain
from tb_envs.specs.catalog import all_tasks
from tb_envs.tools import load_toolset
from tests.domains.conftest import Desk
from tests.domains.test_property_tools import desk as desk

PROPERTY = load_domain("property")
TASKS = all_tasks(domain="property")
RULES = [int(number) for number in re.findall(r"^(\d+)\. ", PROPERTY.policy, re.MULTILINE)]


def test_the_world_has_the_size_of_a_small_company(desk: Desk) -> None:
    names = [
        row["relname"]
        for row in desk.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: desk.value(f"SELECT count(*) FROM {name}") for name in names}
    assert [name for name, count in counts.items() if count == 0] == ["identity_checks"]
    assert 300 <= sum(counts.values()) <= 1500


def test_rules_are_numbered_without_gaps() -> None:
    assert list(range(1, len(RULES) + 1)) == RULES
    assert 40 <= len(RULES) <= 80


def test_every_code_that_the_policy_names_exists(desk: Desk) -> None:
    named = set(
        re.findall(
            r"\b(?:TEAM|HOLD|RES|APV|REF|FEE|WVR|DED|TRD|URG|PER|CAN|CPK|MSG)-[A-Z-]+\b",
            PROPERTY.policy,
        )
    )
    known = {row["code"] for row in desk.rows("SELECT code FROM codes")}
    assert named - known == set()


def test_the_policy_names_no_tool() -> None:
    tools = {tool.name for tool in load_toolset(PROPERTY.toolsets)}
    assert not [name for name in tools if name in PROPERTY.policy]


def test_every_writing_tool_is_called_by_some_oracle() -> None:
    writing = {tool.name for tool in load_toolset(PROPERTY.toolsets) if tool.writes}
    called = {step.call for task in TASKS for step in task.variant.oracle}
    assert writing - called == set()


def test_every_task_has_at_least_two_traps() -> None:
    assert [task.id for task in TASKS if len(task.variant.traps) < 2] == []
