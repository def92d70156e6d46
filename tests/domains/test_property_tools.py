from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

PROPERTY = load_domain("property")


@pytest.fixture
def desk(database_choice: str) -> Iterator[Desk]:
    """The property desk as the seed leaves it, on Wednesday 2026-03-18 at ten."""
    yield from open_desk(PROPERTY, database_choice)


def test_a_visit_is_booked_once_and_only_for_its_trade(desk: Desk) -> None:
    job = desk.call(
        "report_repair",
        lease_id="LSE-4000",
        trade_code="TRD-PLUMB",
        urgency_code="URG-C",
        fault="Tap drips",
    )
    assert (job["id"], job["status"]) == ("JOB-8001", "reported")
    said = desk.refused("book_visit", job_id="JOB-8001", visit_id="VSL-6101")
    assert said == "VSL-6101 is not a free coming visit of the trade TRD-PLUMB."
    assert desk.call("book_visit", job_id="JOB-8001", visit_id="VSL-6202")["status"] == "booked"
    assert "not a free coming visit" in desk.refused(
        "book_visit", job_id="JOB-8001", visit_id="VSL-6202"
    )


def test_a_moved_visit_frees_the_old_one(desk: Desk) -> None:
    desk.call(
        "report_repair",
        lease_id="LSE-4000",
        trade_code="TRD-PLUMB",
        urgency_code="URG-C",
        fault="Tap drips",
    )
    desk.call("book_visit", job_id="JOB-8001", visit_id="VSL-6202")
    desk.call("book_visit", job_id="JOB-8001", visit_id="VSL-6203")
    free = [slot["id"] for slot in desk.call("find_visits", trade_code="TRD-PLUMB")]
    assert "VSL-6202" in free
    assert "VSL-6203" not in free


def test_no_more_is_kept_of_a_deposit_than_was_held(desk: Desk) -> None:
    said = desk.refused(
        "deduct_from_deposit", deposit_id="DPS-4000", reason_code="DED-DAMAGE", amount=801
    )
    assert said == "Only 800.00 of DPS-4000 is left."


def test_a_second_notice_is_refused_while_one_runs(desk: Desk) -> None:
    given = {"lease_id": "LSE-4000", "ends_on": "2026-06-30", "forwarding_address": "1 New Road"}
    assert desk.call("record_notice", **given)["id"] == "NTC-6001"
    assert "without a running notice" in desk.refused("record_notice", **given)


def test_an_unknown_code_is_answered_with_those_that_exist(desk: Desk) -> None:
    said = desk.refused("add_charge", lease_id="LSE-4000", kind_code="FEE-X", amount=5)
    assert "expected one of FEE-KEY, FEE-LATE" in said


def test_nobody_complains_about_their_own_home(desk: Desk) -> None:
    complaint = {"lease_id": "LSE-4000", "kind_code": "CPK-SMOKE", "happened_on": "2026-03-15"}
    assert desk.call("open_complaint", about_unit="UNT-3016", **complaint)["id"] == "CPL-1001"
    said = desk.refused("open_complaint", about_unit="UNT-3000", **complaint)
    assert said == "There is no lease LSE-4000 or no other home UNT-3000."


def test_a_space_that_has_an_end_is_not_ended_again(desk: Desk) -> None:
    space = {"space_id": "SPC-3005", "lease_id": "LSE-4005"}
    assert desk.call("end_space_let", ends_on="2026-06-30", **space)["ends_on"] == "2026-06-30"
    said = desk.refused("end_space_let", ends_on="2026-05-31", **space)
    assert said == "SPC-3005 is not let to LSE-4005 without an end."


def test_only_a_served_rise_can_be_cancelled(desk: Desk) -> None:
    said = desk.refused("cancel_rent_adjustment", adjustment_id="ADJ-2004", reason_code="CAN-YEAR")
    assert said == "There is no adjustment ADJ-2004 that was served and is not in force."
