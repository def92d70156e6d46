import json
from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

CONSULTING = load_domain("consulting")


@pytest.fixture
def helpdesk(database_choice: str) -> Iterator[Desk]:
    """The service desk as the seed leaves it, on Tuesday 2026-03-17 at half past nine."""
    yield from open_desk(CONSULTING, database_choice)


def test_a_person_is_found_by_an_earlier_address_too(helpdesk: Desk) -> None:
    helpdesk.call(
        "change_name",
        employee_id="EMP-2342",
        full_name="Maria Lind",
        email="maria.lind2@aldermoor.example",
    )
    found = helpdesk.call("find_employees", email="maria.hallgren@aldermoor.example")
    assert [(row["id"], row["full_name"]) for row in found] == [("EMP-2342", "Maria Lind")]


def test_accents_do_not_hide_anybody(helpdesk: Desk) -> None:
    for name, number in (("sibel yalcin", "EMP-2185"), ("Wisniewski", "EMP-1020")):
        found = helpdesk.call("find_employees", name=name)
        assert [row["id"] for row in found] == [number]


def test_nobody_gets_the_address_of_somebody_else(helpdesk: Desk) -> None:
    said = helpdesk.refused(
        "change_name",
        employee_id="EMP-2342",
        full_name="Maria Lind",
        email="maria.lind@aldermoor.example",
    )
    assert said == "maria.lind@aldermoor.example belongs to somebody else; choose another address."


def test_a_check_compares_with_the_record_and_shows_nothing_of_it(helpdesk: Desk) -> None:
    arguments = {"ticket_id": "TCK-4101", "employee_id": "EMP-2026", "method": "date_of_birth"}
    born = str(helpdesk.value("SELECT date_of_birth FROM customers WHERE id = 'EMP-2026'"))
    assert helpdesk.call("verify_employee", answer=born, **arguments)["passed"]
    assert not helpdesk.call("verify_employee", answer="1900-01-01", **arguments)["passed"]
    shown = json.dumps(
        [
            helpdesk.call("get_employee", employee_id="EMP-2026"),
            helpdesk.call("find_employees", name="Lena"),
        ]
    )
    assert born not in shown


def test_only_a_locked_account_is_unlocked_and_only_a_pending_one_activated(
    helpdesk: Desk,
) -> None:
    assert helpdesk.call("unlock_account", employee_id="EMP-2021")["status"] == "active"
    assert (
        helpdesk.refused("unlock_account", employee_id="EMP-2021")
        == "The account of EMP-2021 is active, not locked."
    )
    assert "not pending" in helpdesk.refused("activate_account", employee_id="EMP-2021")


def test_a_membership_is_active_once(helpdesk: Desk) -> None:
    arguments = {"group_code": "GRP-INTRANET", "employee_id": "EMP-1101"}
    made = helpdesk.call("grant_membership", expires_on="2026-04-16", **arguments)
    assert (made["id"], made["expires_on"]) == ("MEM-8001", "2026-04-16")
    assert "active member" in helpdesk.refused("grant_membership", **arguments)


def test_no_seat_is_given_beyond_the_licence(helpdesk: Desk) -> None:
    arguments = {"licence_code": "LIC-LINGUA", "employee_id": "EMP-1101"}
    assert helpdesk.refused("assign_seat", **arguments) == "LIC-LINGUA has no free seat."
    helpdesk.call("release_seat", seat_id="SEA-5902", reason_code="REL-UNUSED")
    assert helpdesk.call("assign_seat", **arguments)["id"] == "SEA-6001"


def test_seats_are_listed_with_the_longest_unused_first(helpdesk: Desk) -> None:
    seats = helpdesk.call("list_seats", licence_code="LIC-LINGUA", status="active")
    assert [(row["id"], row["last_used_on"]) for row in seats[:3]] == [
        ("SEA-5901", "2025-12-04"),
        ("SEA-5902", "2026-01-15"),
        ("SEA-5903", "2026-01-16"),
    ]


def test_a_device_is_handed_out_from_stock_only(helpdesk: Desk) -> None:
    helpdesk.call("hand_out_device", tag="DEV-1102", employee_id="EMP-1101")
    said = helpdesk.refused("hand_out_device", tag="DEV-1102", employee_id="EMP-1102")
    assert said == "DEV-1102 is assigned, not in stock."
    assert "nobody has it" in helpdesk.refused(
        "take_back_device", tag="DEV-1101", new_status="retired"
    )


def test_a_missing_device_keeps_its_holder_until_it_is_taken_back(helpdesk: Desk) -> None:
    helpdesk.call("report_device_missing", tag="DEV-2201", reason_code="LOS-STOLEN")
    assert helpdesk.call("find_devices", tag="DEV-2201")[0]["holder_id"] == "EMP-2161"
    helpdesk.call("take_back_device", tag="DEV-2201", new_status="repair")
    assert helpdesk.call("find_devices", tag="DEV-2201")[0]["holder_id"] is None


def test_leave_counts_working_days_and_does_not_overlap(helpdesk: Desk) -> None:
    arguments = {"employee_id": "EMP-2241", "kind": "annual"}
    made = helpdesk.call("record_leave", starts_on="2026-05-08", ends_on="2026-05-18", **arguments)
    assert (made["id"], made["working_days"]) == ("LVE-3001", 7)
    said = helpdesk.refused(
        "record_leave", starts_on="2026-05-18", ends_on="2026-05-20", **arguments
    )
    assert said == "It overlaps with LVE-3001; cancel that first."


def test_a_claim_is_decided_once_and_with_a_reason_where_it_is_not_paid(helpdesk: Desk) -> None:
    assert "Give reason_code" in helpdesk.refused(
        "decide_expense", claim_id="EXP-3901", decision="returned"
    )
    helpdesk.call("decide_expense", claim_id="EXP-3901", decision="approved")
    said = helpdesk.refused("decide_expense", claim_id="EXP-3901", decision="approved")
    assert said == "There is no submitted claim EXP-3901."


def test_invoiced_hours_are_not_corrected(helpdesk: Desk) -> None:
    said = helpdesk.refused(
        "correct_timesheet", entry_id="TSH-3921", hours=20, reason_code="TSC-TYPO"
    )
    assert said == "TSH-3921 is invoiced and cannot be changed here."


def test_freezes_that_have_ended_are_not_listed(helpdesk: Desk) -> None:
    notices = helpdesk.call("list_service_notices")
    assert [freeze["id"] for freeze in notices["change_freezes"]] == ["FRZ-202"]
    assert [incident["id"] for incident in notices["incidents"]] == [
        "INC-303",
        "INC-302",
        "INC-301",
    ]


def test_codes_of_another_kind_are_refused_with_the_right_ones(helpdesk: Desk) -> None:
    said = helpdesk.refused("revoke_membership", membership_id="MEM-7901", reason_code="REL-LEFT")
    assert "RVK-CONFLICT, RVK-LEFT, RVK-NO-NEED, RVK-WALL" in said
