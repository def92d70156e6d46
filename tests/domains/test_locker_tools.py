from collections.abc import Iterator
from itertools import combinations

import pytest

from tb_envs.specs import Task, load_domain
from tb_envs.specs.catalog import all_tasks
from tests.domains.conftest import Desk, open_desk

LOCKERS = load_domain("lockers")
TASKS = {
    family: [task for task in all_tasks(domain="lockers") if task.family == family]
    for family in ("locker-request", "locker-request-unseen")
}


@pytest.fixture
def lockers(database_choice: str) -> Iterator[Desk]:
    """The locker desk as the seed leaves it."""
    yield from open_desk(LOCKERS, database_choice)


def test_reading_shows_what_decides_and_changes_nothing(lockers: Desk) -> None:
    assert lockers.call("request", id="R09") == {
        "ask": "unlock", "member": "M09", "locker": "L08", "manager": "none",
    }  # fmt: skip
    assert lockers.call("request", id="R08")["manager"] == "denied"
    assert lockers.call("member", id="M07") == {"status": "blocked", "tier": "gold"}
    assert lockers.call("locker", id="L08", member="M09") == {"sealed": False, "rent": "paid"}
    assert lockers.call("locker", id="L08", member="M01")["rent"] == "none"
    assert lockers.call("locker", id="L04", member="M05")["rent"] == "none", "it has ended"
    assert lockers.changed() == []


def test_each_end_leaves_its_own_rows(lockers: Desk) -> None:
    lockers.call("unlock", request="R09")
    assert lockers.changed() == [("insert", "openings"), ("update", "requests")]


@pytest.mark.parametrize(
    ("tool", "column", "value"), [("extend", "days", 21), ("release", "rent", "ended")]
)
def test_a_rental_is_extended_or_ended(
    lockers: Desk, tool: str, column: str, value: object
) -> None:
    assert lockers.call(tool, request="R09") == {"status": "done"}
    assert lockers.value(f"SELECT {column} FROM rentals WHERE locker_id = 'L08'") == value


def test_who_is_asked_is_written_down(lockers: Desk) -> None:
    assert lockers.call("ask", request="R09", whom="security") == {"status": "waiting"}
    asked = lockers.rows("SELECT decider, status FROM approvals WHERE request_id = 'R09'")
    assert asked == [{"decider": "security", "status": "pending"}]


def test_a_refusal_needs_one_of_the_reasons(lockers: Desk) -> None:
    assert "expected one of" in lockers.refused("refuse", request="R09", reason="rude")
    assert lockers.call("refuse", request="R09", reason="stranger") == {"status": "refused"}


def test_a_settled_request_stays_as_it_is(lockers: Desk) -> None:
    assert "done already" in lockers.refused("unlock", request="R01")
    assert "no request R99" in lockers.refused("ask", request="R99", whom="manager")


def test_what_nobody_rents_can_neither_be_extended_nor_released(lockers: Desk) -> None:
    lockers.database.owner.execute("UPDATE requests SET locker_id = 'L09' WHERE id = 'R09'")
    assert "Nobody rents" in lockers.refused("extend", request="R09")
    assert "Nobody rents" in lockers.refused("release", request="R09")


def test_unseen_tasks_share_no_id_and_no_name_with_trained_ones() -> None:
    trained, unseen = (_names(family) for family in TASKS)
    assert trained
    assert trained & unseen == set()


def test_no_trained_task_combines_the_conditions_of_an_unseen_one() -> None:
    trained = {_conditions(task) for task in TASKS["locker-request"]}
    unseen = [_conditions(task) for task in TASKS["locker-request-unseen"]]
    assert len(set(unseen)) == len(unseen)
    assert trained & set(unseen) == set()


def test_every_two_conditions_of_an_unseen_task_were_seen_together() -> None:
    seen = {pair for task in TASKS["locker-request"] for pair in _pairs(task)}
    assert [task.id for task in TASKS["locker-request-unseen"] if not _pairs(task) <= seen] == []


def _names(family: str) -> set[str]:
    rows = [row for task in TASKS[family] for row in _inserted(task)]
    own = {value for row in rows for value in (row.get("id"), row.get("full_name"))}
    return {str(value) for value in own if not isinstance(value, int)} - {"None"}


def _inserted(task: Task) -> list[dict[str, object]]:
    return [row for rows in task.variant.start.insert.values() for row in rows]


def _conditions(task: Task) -> tuple[tuple[str, str], ...]:
    start = task.variant.start.insert
    (member,), (locker,) = start["members"], start["lockers"]
    (rental,), (request,) = start["rentals"], start["requests"]
    approvals = start.get("approvals", [])
    rents = rental["member_id"] == member["id"]
    return (
        ("kind", request["kind"]),
        ("member", member["status"]),
        ("tier", member["tier"]),
        ("sealed", str(locker["sealed"])),
        ("rent", rental["rent"] if rents else "none"),
        ("manager", approvals[0]["status"] if approvals else "none"),
    )


def _pairs(task: Task) -> set[tuple[tuple[str, str], ...]]:
    return set(combinations(_conditions(task), 2))
