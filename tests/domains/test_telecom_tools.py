import json
from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

TELECOM = load_domain("telecom")


@pytest.fixture
def care(database_choice: str) -> Iterator[Desk]:
    """The care desk as the seed leaves it, on Tuesday 2026-03-17 at half past nine."""
    yield from open_desk(TELECOM, database_choice)


def test_an_esim_works_at_once_and_retires_the_card(care: Desk) -> None:
    made = care.call(
        "issue_sim", subscription_id="SUB-7101", kind="esim", reason_code="SWP-ESIM", fee=0
    )
    assert (made["id"], made["status"]) == ("SIM-90001", "active")
    sims = care.call("get_subscription", subscription="SUB-7101")["sims"]
    assert [sim["status"] for sim in sims] == ["retired", "active"]


def test_a_card_leaves_the_old_sim_active(care: Desk) -> None:
    care.call(
        "issue_sim", subscription_id="SUB-7101", kind="physical", reason_code="SWP-ESIM", fee=0
    )
    sims = care.call("get_subscription", subscription="SUB-7101")["sims"]
    assert [sim["status"] for sim in sims] == ["active", "shipped"]


def test_a_plan_without_esim_gives_none(care: Desk) -> None:
    said = care.refused(
        "issue_sim", subscription_id="SUB-5102", kind="esim", reason_code="SWP-ESIM", fee=0
    )
    assert said == "The plan of SUB-5102 allows no eSIM."


def test_a_number_leaves_only_from_its_own_line_and_once(care: Desk) -> None:
    number = care.value("SELECT number FROM subscriptions WHERE id = 'SUB-5401'")
    arguments = {"subscription_id": "SUB-5401", "direction": "out", "other_operator": "Vantel"}
    assert "not 07700 900999" in care.refused(
        "create_port_request", number="07700 900999", **arguments
    )
    assert care.call("create_port_request", number=number, **arguments)["pac"] == "LKW700101"
    assert "is under way" in care.refused("create_port_request", number=number, **arguments)


def test_a_number_that_comes_in_needs_the_code_of_the_other_operator(care: Desk) -> None:
    said = care.refused(
        "create_port_request",
        subscription_id="SUB-5301",
        direction="in",
        number="07700 900002",
        other_operator="Vantel",
    )
    assert said.startswith("Give a pac")


def test_a_completed_move_of_a_number_cannot_be_stopped(care: Desk) -> None:
    said = care.refused("cancel_port_request", port_request_id="PRT-5901")
    assert said == "PRT-5901 is completed and cannot be stopped."


def test_a_restriction_stands_once_and_is_lifted_once(care: Desk) -> None:
    placed = care.call("place_restriction", subscription_id="SUB-5201", code="RST-LOST")
    assert "stands on SUB-5201" in care.refused(
        "place_restriction", subscription_id="SUB-5201", code="RST-LOST"
    )
    care.call("lift_restriction", restriction_id=placed["id"])
    assert care.refused("lift_restriction", restriction_id=placed["id"]) == (
        f"There is no restriction {placed['id']} that stands."
    )


def test_only_an_unpaid_invoice_is_reduced_and_only_a_paid_one_paid_out(care: Desk) -> None:
    unpaid = {
        "account_id": "ACC-3801",
        "reason_code": "CRE-BILLING-ERROR",
        "reference": "INV-70801",
    }
    assert "INV-70801 is open" in care.refused(
        "issue_credit", amount=6, destination="pay_out", **unpaid
    )
    assert "Only 34.00" in care.refused(
        "issue_credit", amount=34.01, destination="invoice", **unpaid
    )
    made = care.call("issue_credit", amount=6, destination="invoice", **unpaid)
    assert made["id"] == "CRD-9001"


def test_an_invoice_of_another_account_is_not_credited(care: Desk) -> None:
    said = care.refused(
        "issue_credit",
        account_id="ACC-3802",
        amount=6,
        reason_code="CRE-BILLING-ERROR",
        reference="INV-70801",
        destination="invoice",
    )
    assert said == "INV-70801 is not an invoice of ACC-3802."


def test_a_promise_is_for_an_unpaid_invoice_and_a_day_to_come(care: Desk) -> None:
    paid = care.value("SELECT min(id) FROM invoices WHERE status = 'paid'")
    assert care.refused("record_promise", invoice_id=paid, pay_by="2026-03-20") == (
        f"{paid} is paid."
    )
    assert "has passed" in care.refused(
        "record_promise", invoice_id="INV-70801", pay_by="2026-03-16"
    )


def test_a_plan_changes_now_or_with_the_next_bill(care: Desk) -> None:
    later = care.call(
        "change_plan", subscription_id="SUB-5501", plan_code="MOB-60", effective="next_bill"
    )
    assert (later["plan_code"], later["next_plan_code"]) == ("MOB-20", "MOB-60")
    now = care.call("change_plan", subscription_id="SUB-5501", plan_code="MOB-60", effective="now")
    assert (now["plan_code"], now["next_plan_code"]) == ("MOB-60", None)


def test_a_pass_ends_by_itself_and_does_not_overlap(care: Desk) -> None:
    arguments = {"subscription_id": "SUB-5607", "addon_code": "PASS-Z3", "action": "add"}
    added = care.call("change_addon", on_date="2026-03-28", **arguments)
    assert added["ends_on"] == "2026-04-03"
    assert "already" in care.refused("change_addon", on_date="2026-04-03", **arguments)
    assert care.call("change_addon", on_date="2026-04-04", **arguments)["ends_on"] == "2026-04-10"


def test_settling_a_device_bills_what_is_left(care: Desk) -> None:
    device = care.value(
        "SELECT id FROM devices WHERE model = 'Orba 8 Pro' AND instalments_paid = 9"
    )
    assert care.call("settle_device", device_id=device)["settled_amount"] == 742.5
    assert "is settled" in care.refused("settle_device", device_id=device)


def test_a_line_ends_once_and_not_in_the_past(care: Desk) -> None:
    arguments = {"subscription_id": "SUB-6401", "reason_code": "END-CUSTOMER", "early_fee": 70}
    assert "has passed" in care.refused("end_subscription", ends_on="2026-03-16", **arguments)
    assert care.call("end_subscription", ends_on="2026-04-16", **arguments)["status"] == "active"
    assert "ends on 2026-04-16" in care.refused(
        "end_subscription", ends_on="2026-04-20", **arguments
    )


def test_a_line_that_ends_today_has_ended(care: Desk) -> None:
    ended = care.call(
        "end_subscription",
        subscription_id="SUB-6402",
        ends_on="2026-03-17",
        reason_code="END-COOLING-OFF",
        early_fee=0,
    )
    assert ended["status"] == "ended"
    assert "ended on 2026-03-17" in care.refused(
        "change_plan", subscription_id="SUB-6402", plan_code="MOB-5", effective="now"
    )


def test_engineers_come_from_the_first_free_day_on_and_not_on_sundays(care: Desk) -> None:
    arguments = {"subscription_id": "SUB-6102", "fault_code": "FLT-NO-SYNC", "slot": "am"}
    assert "2026-03-19" in care.refused("book_visit", visit_on="2026-03-18", **arguments)
    assert "Sunday" in care.refused("book_visit", visit_on="2026-03-22", **arguments)
    assert care.call("book_visit", visit_on="2026-03-19", **arguments)["id"] == "VIS-9001"
    assert "cancel it first" in care.refused("book_visit", visit_on="2026-03-20", **arguments)


def test_a_new_router_makes_the_old_one_due_in_three_weeks(care: Desk) -> None:
    sent = care.call(
        "replace_router",
        subscription_id="SUB-6101",
        model="Nest 6",
        reason_code="RTR-FAULTY",
        fee=0,
    )
    assert sent["new"]["id"] == "BOX-90001"
    assert sent["old"]["return_due_on"] == "2026-04-07"


def test_a_line_moves_only_where_its_technology_is(care: Desk) -> None:
    arguments = {
        "subscription_id": "SUB-6502",
        "street": "1 Callestick Vean",
        "postal_code": "TR4 9LD",
        "city": "Truro",
        "move_on": "2026-03-28",
    }
    assert care.refused("move_service", **arguments) == "fibre cannot be had at TR4 9LD."
    care.call("change_plan", subscription_id="SUB-6502", plan_code="COP-40", effective="next_bill")
    assert care.call("move_service", **arguments)["moving_on"] == "2026-03-28"


def test_the_owner_keeps_the_role_and_a_user_needs_a_line(care: Desk) -> None:
    owner = care.value(
        "SELECT customer_id FROM account_contacts WHERE account_id = 'ACC-4605' AND role = 'owner'"
    )
    assert "owns ACC-4605" in care.refused(
        "set_account_contact", account_id="ACC-4605", customer_id=owner, role="none"
    )
    assert "subscription_id" in care.refused(
        "set_account_contact", account_id="ACC-4605", customer_id="CUS-2101", role="user"
    )


def test_codes_of_another_kind_are_refused_with_the_right_ones(care: Desk) -> None:
    said = care.refused("place_restriction", subscription_id="SUB-5201", code="SWP-LOST")
    assert "RST-FRAUD, RST-LOST, RST-UNPAID" in said


def test_no_tool_shows_what_identifies_a_customer(care: Desk) -> None:
    shown = json.dumps(
        [
            care.call("find_customers", name="Aldous"),
            care.call("find_accounts", customer_id="CUS-2101"),
            care.call("get_account", account_id="ACC-3101"),
        ]
    )
    assert "1986-04-02" not in shown
    assert "LS6 2QT" not in shown
