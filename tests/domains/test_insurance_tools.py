import json
from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

INSURANCE = load_domain("insurance")


@pytest.fixture
def insurer(database_choice: str) -> Iterator[Desk]:
    """The insurer's desk as the seed leaves it, on Tuesday 2026-03-17 at sixteen."""
    yield from open_desk(INSURANCE, database_choice)


def test_a_change_of_a_policy_writes_an_endorsement(insurer: Desk) -> None:
    made = insurer.call(
        "change_coverage",
        vehicle_id="VEH-2002",
        coverage="collision",
        effective_on="2026-03-17",
        deductible=2000,
    )
    assert (made["deductible"], made["endorsement"]) == (2000, "END-7001")
    newest = insurer.call("list_endorsements", policy_number="TMA-20024")[0]
    assert (newest["code"], newest["vehicle_id"]) == ("CHG-COVERAGE", "VEH-2002")


def test_a_coverage_ends_once_and_comes_back_when_it_is_added_again(insurer: Desk) -> None:
    arguments = {"vehicle_id": "VEH-2001", "coverage": "glass"}
    insurer.call("end_coverage", ends_on="2026-03-20", **arguments)
    said = insurer.refused("end_coverage", ends_on="2026-03-21", **arguments)
    assert said == "VEH-2001 has no glass coverage that could end."
    insurer.call("change_coverage", effective_on="2026-03-25", deductible=100, **arguments)
    assert insurer.value(
        "SELECT ended_on IS NULL FROM coverages WHERE vehicle_id = 'VEH-2001' AND kind = 'glass'"
    )


def test_a_policy_that_ends_later_stays_active_until_then(insurer: Desk) -> None:
    arguments = {"policy_number": "TMA-20024", "reason_code": "CXL-MOVED"}
    made = insurer.call("cancel_policy", effective_on="2026-03-18", **arguments)
    assert (made["status"], made["cancelled_on"]) == ("active", "2026-03-18")
    assert "cancelled already" in insurer.refused(
        "cancel_policy", effective_on="2026-03-19", **arguments
    )


def test_only_a_lapsed_policy_is_reinstated_and_not_before_its_lapse(insurer: Desk) -> None:
    assert "only a lapsed one" in insurer.refused(
        "reinstate_policy", policy_number="TMA-20017", effective_on="2026-03-17"
    )
    assert "in force until 2026-01-20" in insurer.refused(
        "reinstate_policy", policy_number="TMA-20048", effective_on="2026-01-19"
    )


def test_a_driver_is_not_set_to_what_he_is(insurer: Desk) -> None:
    said = insurer.refused(
        "set_driver_status", driver_id="DRV-1105", status="excluded", effective_on="2026-03-17"
    )
    assert said == "DRV-1105 is excluded already."


def test_a_fee_is_waived_and_premium_is_not(insurer: Desk) -> None:
    said = insurer.refused("waive_fee", instalment_id="BIL-50043", waiver_code="WVR-COURTESY")
    assert "There is no instalment" in said
    assert "is premium, not a fee" in insurer.refused(
        "waive_fee", instalment_id="BIL-50042", waiver_code="WVR-COURTESY"
    )
    assert "is waived already" in insurer.refused(
        "waive_fee", instalment_id="BIL-50053", waiver_code="WVR-COURTESY"
    )


def test_a_refund_never_exceeds_what_is_left_of_an_instalment(insurer: Desk) -> None:
    arguments = {"instalment_id": "BIL-50021", "reason_code": "RFP-CANCELLATION"}
    insurer.call("refund_premium", amount=1000, **arguments)
    assert "460.00 left" in insurer.refused("refund_premium", amount=460.01, **arguments)
    assert insurer.call("refund_premium", amount=460, **arguments)["id"] == "PRF-4002"


def test_payments_of_a_claim_stay_within_its_reserve(insurer: Desk) -> None:
    arguments = {
        "claim_number": "CLM-21025",
        "coverage": "collision",
        "payee_kind": "shop",
        "reason_code": "PAY-REPAIR",
        "estimate_id": "EST-2001",
    }
    assert "Set the reserve first" in insurer.refused("pay_claim", amount=1500.01, **arguments)
    assert "is submitted, not approved" in insurer.refused("pay_claim", amount=710, **arguments)
    insurer.call("decide_estimate", estimate_id="EST-2001", decision="approved")
    assert insurer.call("pay_claim", amount=710, **arguments)["payee"] == "Sagebrush Auto Body"
    assert "710.00 were paid" in insurer.refused(
        "set_reserve", claim_number="CLM-21025", amount=700
    )


def test_a_bill_is_paid_once_and_to_its_vendor(insurer: Desk) -> None:
    arguments = {
        "claim_number": "CLM-21025",
        "coverage": "collision",
        "payee_kind": "vendor",
        "amount": 185,
        "reason_code": "PAY-TOWING",
        "invoice_id": "INV-2002",
    }
    assert insurer.call("pay_claim", **arguments)["payee"] == "Gemstate Towing"
    assert insurer.value("SELECT status FROM invoices WHERE id = 'INV-2002'") == "paid"
    assert "not an undecided bill" in insurer.refused("pay_claim", **arguments)


def test_nobody_is_paid_who_is_not_there(insurer: Desk) -> None:
    said = insurer.refused(
        "pay_claim",
        claim_number="CLM-21025",
        coverage="collision",
        payee_kind="lienholder",
        amount=100,
        reason_code="PAY-REPAIR",
    )
    assert said.startswith("There is no lienholder to pay")


def test_a_cleared_payment_cannot_be_stopped(insurer: Desk) -> None:
    said = insurer.refused("stop_claim_payment", payment_id="CPY-2001", stop_code="STP-LOST")
    assert said == "CPY-2001 is cleared; only an issued one can be stopped."


def test_nothing_is_paid_on_a_closed_claim_before_it_is_reopened(insurer: Desk) -> None:
    arguments = {
        "claim_number": "CLM-21075",
        "coverage": "collision",
        "payee_kind": "insured",
        "amount": 500,
        "reason_code": "PAY-DEDUCTIBLE",
    }
    assert "is closed, not open" in insurer.refused("pay_claim", **arguments)
    insurer.call("reopen_claim", claim_number="CLM-21075")
    insurer.call("set_reserve", claim_number="CLM-21075", amount=1400)
    assert insurer.call("pay_claim", **arguments)["id"] == "CPY-5001"


def test_a_rental_counts_its_first_day(insurer: Desk) -> None:
    made = insurer.call(
        "authorise_rental",
        claim_number="CLM-21025",
        company="Mesa Car Hire",
        daily_rate=40,
        starts_on="2026-03-17",
        ends_on="2026-03-30",
    )
    assert (made["id"], made["days"]) == ("RNT-3001", 14)
    assert "only an authorised one" in insurer.refused(
        "change_rental_end", rental_id="RNT-2001", ends_on="2026-03-30"
    )


def test_a_card_is_about_one_vehicle_of_the_policy(insurer: Desk) -> None:
    arguments = {
        "policy_number": "TMA-20017",
        "document_code": "DOC-ID-CARD",
        "email": "Alma.Thorsby@cascademail.example",
    }
    assert "give vehicle_id" in insurer.refused("issue_document", **arguments)
    assert insurer.refused("issue_document", vehicle_id="VEH-2002", **arguments) == (
        "VEH-2002 is not on TMA-20017."
    )
    made = insurer.call("issue_document", vehicle_id="VEH-2001", **arguments)
    assert made["email"] == "alma.thorsby@cascademail.example"


def test_a_day_is_given_for_a_confirmation_of_cover_only(insurer: Desk) -> None:
    arguments = {"policy_number": "TMA-20017", "email": "a@cascademail.example"}
    assert "about_day" in insurer.refused(
        "issue_document", document_code="DOC-COVER-DAY", **arguments
    )
    assert "about_day" in insurer.refused(
        "issue_document",
        document_code="DOC-DECLARATIONS",
        about_day="2026-03-01",
        **arguments,
    )


def test_codes_of_another_kind_are_refused_with_the_right_ones(insurer: Desk) -> None:
    said = insurer.refused("close_claim", claim_number="CLM-21025", outcome_code="RES-DONE")
    assert "CLO-BELOW-DEDUCTIBLE, CLO-DENIED, CLO-EXCLUDED-DRIVER" in said


def test_no_tool_shows_what_verifies_a_customer(insurer: Desk) -> None:
    shown = json.dumps(
        [
            insurer.call("get_customer", customer_id="CUS-1101"),
            insurer.call("find_customers", name="Parata"),
            insurer.call("find_policies", holder_id="CUS-1101"),
        ]
    )
    assert "1975-05-02" not in shown
    assert "97330" not in shown
