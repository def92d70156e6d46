"""An expectation that cannot be graded is refused before an agent works for it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tb_envs.database import EpisodeDatabase, open_pool
from tb_envs.errors import SpecError
from tb_envs.grading import refuse_unsound
from tb_envs.specs import Task, find_task
from tb_envs.specs.models import Check, Expectation, Verification

HOTEL = find_task("hotel-downgrade")


@pytest.fixture
def hotel(database_choice: str) -> Iterator[EpisodeDatabase]:
    database = open_pool(HOTEL.domain, database=database_choice).acquire(timeout_s=60)
    yield database
    database.close()


def expecting(**expect: Any) -> Task:
    """The hotel task with another expectation."""
    checks = [{"name": "true", "sql": "SELECT true"}]
    expectation = Expectation.model_validate({"checks": checks} | expect)
    variant = HOTEL.variant.model_copy(update={"expect": expectation})
    return replace(HOTEL, variant=variant, hash=repr(expect))


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT 1", "one SELECT of one boolean"),
        ("SELECT true, false", "one SELECT of one boolean"),
        ("SELECT true; SELECT true", "one SELECT of one boolean"),
        ("DELETE FROM tickets RETURNING true", "read-only"),
        ("SELECT set_config('a.b', 'c', false) = 'c' AND nextval('ticket_numbers') > 0", ""),
        ("SELECT missing FROM tickets", "missing"),
    ],
)
def test_a_check_that_is_no_predicate_or_writes_is_refused(
    sql: str, message: str, hotel: EpisodeDatabase
) -> None:
    task = expecting(checks=[{"name": "odd one", "sql": sql}])
    with pytest.raises(SpecError, match="odd one") as caught:
        refuse_unsound(task, hotel)
    assert message in str(caught.value)
    assert caught.value.path == HOTEL.path


@pytest.mark.parametrize(
    ("verification", "message"),
    [
        ({"table": "identity_cheks"}, "no table 'identity_cheks'; expected one of"),
        ({"may_precede": ["tickts"]}, "no table 'tickts'; expected one of"),
        ({"may_begin_before": ["tickts"]}, "no table 'tickts'; expected one of"),
        ({"table": "tickets"}, "tickets has no column 'passed'"),
    ],
)
def test_a_verification_that_no_table_holds_is_refused(
    verification: dict[str, Any], message: str, hotel: EpisodeDatabase
) -> None:
    fields = {"table": "identity_checks", "row": {"passed": True}} | verification
    domain = replace(HOTEL.domain, verification=Verification(**fields))
    with pytest.raises(SpecError, match=message) as caught:
        refuse_unsound(replace(HOTEL, domain=domain, hash=repr(fields)), hotel)
    assert caught.value.path == HOTEL.path.parents[1] / "domain.yaml"


def test_a_check_of_the_domain_is_refused_in_the_domain_s_file(hotel: EpisodeDatabase) -> None:
    domain = replace(HOTEL.domain, checks=(Check(name="odd one", sql="SELECT 1"),))
    with pytest.raises(SpecError, match="odd one") as caught:
        refuse_unsound(replace(HOTEL, domain=domain, hash="odd one"), hotel)
    assert "one SELECT of one boolean" in str(caught.value)
    assert caught.value.path == HOTEL.path.parents[1] / "domain.yaml"


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ({"changes": [{"insert": "tickts"}]}, "no table 'tickts'; expected one of"),
        ({"changes": [{"insert": "tickets", "row": {"state": "open"}}]}, "no column 'state'"),
        ({"changes": [{"update": "tickets", "where": {"nr": 1}}]}, "no column 'nr'"),
        ({"changes": [{"delete": "tickets", "where": {"nr": 1}}]}, "no column 'nr'"),
        ({"records": [{"table": "tickets", "key": {"id": "T"}, "row": {"x": 1}}]}, "column 'x'"),
    ],
)
def test_a_rule_about_something_that_does_not_exist_is_refused(
    expect: dict[str, Any], message: str, hotel: EpisodeDatabase
) -> None:
    with pytest.raises(SpecError, match=message):
        refuse_unsound(expecting(**expect), hotel)


def test_the_hotel_task_is_sound(hotel: EpisodeDatabase) -> None:
    hotel.prepare(HOTEL.variant.start, HOTEL.now)
    refuse_unsound(HOTEL, hotel)
