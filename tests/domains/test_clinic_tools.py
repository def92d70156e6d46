import json
from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

CLINIC = load_domain("clinic")


@pytest.fixture
def clinic(database_choice: str) -> Iterator[Desk]:
    """The clinics' front desk as the seed leaves it, on Wednesday 2026-02-11 at nine."""
    yield from open_desk(CLINIC, database_choice)


def one(clinic: Desk, name: str) -> str:
    """The number of the patient of this name."""
    (patient,) = clinic.call("find_patients", name=name)
    return str(patient["id"])


def test_a_booking_takes_the_slot_and_settles_the_entry_of_the_waiting_list(clinic: Desk) -> None:
    patient = one(clinic, "Breda Ní Chonaill")
    (entry,) = clinic.call("list_waitlist", patient_id=patient)
    made = clinic.call(
        "book_appointment",
        patient_id=patient,
        type_code="DERM-CONSULT",
        slot_id="SLT-2101",
        waitlist_id=entry["id"],
    )
    assert (made["id"], made["status"]) == ("APT-9001", "booked")
    assert clinic.call("list_waitlist", patient_id=patient)[0]["status"] == "booked"
    said = clinic.refused(
        "book_appointment", patient_id=patient, type_code="DERM-CONSULT", slot_id="SLT-2101"
    )
    assert said == "SLT-2101 is not free; look for another slot."


def test_a_slot_must_suit_the_type_in_discipline_and_length(clinic: Desk) -> None:
    patient = one(clinic, "Niamh Tarrant")
    said = clinic.refused(
        "book_appointment", patient_id=patient, type_code="DERM-BIOPSY", slot_id="SLT-2103"
    )
    assert "(30 of 40 minutes)" in said
    assert "does not suit" in clinic.refused(
        "book_appointment", patient_id=patient, type_code="GP-VISIT", slot_id="SLT-2103"
    )


def test_nobody_is_booked_on_the_referral_of_somebody_else(clinic: Desk) -> None:
    other = clinic.call("list_referrals", patient_id=one(clinic, "Bartosz Milewski"))
    said = clinic.refused(
        "book_appointment",
        patient_id=one(clinic, "Niamh Tarrant"),
        type_code="DERM-CONSULT",
        slot_id="SLT-2103",
        referral_id=other["referrals"][0]["id"],
    )
    assert "is not a referral of" in said


def test_a_booking_uses_up_a_visit_of_its_referral_until_it_is_cancelled(clinic: Desk) -> None:
    patient = one(clinic, "Malachy Ronayne")
    (referral,) = clinic.call("list_referrals", patient_id=patient)["referrals"]
    assert referral["visits_left"] == 1
    made = clinic.call(
        "book_appointment",
        patient_id=patient,
        type_code="DERM-CONSULT",
        slot_id="SLT-2103",
        referral_id=referral["id"],
    )
    assert clinic.call("list_referrals", patient_id=patient)["referrals"][0]["visits_left"] == 0
    clinic.call("cancel_appointment", appointment_id=made["id"], reason_code="CXL-TIME")
    assert clinic.call("list_referrals", patient_id=patient)["referrals"][0]["visits_left"] == 1


def test_only_moves_by_the_patient_are_counted_and_the_old_slot_is_free_again(
    clinic: Desk,
) -> None:
    patient = one(clinic, "Solveig Haugen")
    (coming,) = clinic.call("find_appointments", patient_id=patient, status="booked")
    (before,) = clinic.call("find_appointments", appointment_id=coming["id"])
    arguments = {"appointment_id": coming["id"]}
    moved = clinic.call(
        "reschedule_appointment", slot_id="SLT-2005", moved_by="clinic", **arguments
    )
    assert moved["moves"] == before["moves"] == 2
    assert clinic.value(f"SELECT status FROM slots WHERE id = '{before['slot_id']}'") == "free"
    moved = clinic.call(
        "reschedule_appointment", slot_id="SLT-2006", moved_by="patient", **arguments
    )
    assert moved["moves"] == 3


def test_what_was_cancelled_or_missed_cannot_change(clinic: Desk) -> None:
    missed = clinic.value("SELECT min(id) FROM appointments WHERE status = 'no_show'")
    assert "is no_show" in clinic.refused(
        "cancel_appointment", appointment_id=missed, reason_code="CXL-ILL"
    )


def test_a_result_is_released_once_and_never_while_pending(clinic: Desk) -> None:
    patient = one(clinic, "Thaddeus Mulcahy")
    ready, pending = clinic.call("list_lab_results", patient_id=patient)
    account = clinic.value(f"SELECT customer_id FROM patients WHERE id = '{patient}'")
    clinic.call("release_result", result_id=ready["id"], customer_id=account)
    assert "released already" in clinic.refused(
        "release_result", result_id=ready["id"], customer_id=account
    )
    assert "is pending" in clinic.refused(
        "release_result", result_id=pending["id"], customer_id=account
    )


def test_only_an_open_invoice_is_waived(clinic: Desk) -> None:
    (fee, _) = clinic.call("list_invoices", patient_id=one(clinic, "Dawit Tesfaye"))
    waived = clinic.call("waive_invoice", invoice_id=fee["id"], reason_code="WAV-FIRST")
    assert (waived["status"], waived["amount"]) == ("waived", 50)
    said = clinic.refused("waive_invoice", invoice_id=fee["id"], reason_code="WAV-FIRST")
    assert said == f"{fee['id']} is waived; only an open one can be waived."


def test_no_more_goes_back_than_was_paid(clinic: Desk) -> None:
    (invoice,) = clinic.call("list_invoices", patient_id=one(clinic, "Cheng Wei-Lin"))
    arguments = {"payment_id": invoice["payments"][0]["id"], "reason_code": "REF-CANCELLED"}
    assert clinic.call("issue_refund", amount=105, **arguments)["id"] == "RBT-3001"
    assert "Only 35.00" in clinic.refused("issue_refund", amount=35.01, **arguments)


def test_money_of_a_payer_does_not_go_back_to_the_patient(clinic: Desk) -> None:
    payment = clinic.value("SELECT min(id) FROM payments WHERE method = 'payer'")
    assert "came from a payer" in clinic.refused(
        "issue_refund", payment_id=payment, amount=1, reason_code="REF-DUPLICATE"
    )


def test_a_patient_without_payer_needs_no_request(clinic: Desk) -> None:
    patient = one(clinic, "Kwabena Asamoah")
    said = clinic.refused("request_authorisation", patient_id=patient, type_code="DERM-BIOPSY")
    assert said == f"{patient} has no payer that could be asked."


def test_a_stopped_prescription_is_not_repeated(clinic: Desk) -> None:
    current, stopped = clinic.call(
        "list_prescriptions", patient_id=one(clinic, "Gretel Aufderheide")
    )
    arguments = {"prescriber_id": "PRA-11", "kind": "standard", "pharmacy": "Lisnagar Pharmacy"}
    assert "no active prescription" in clinic.refused(
        "request_repeat", prescription_id=stopped["id"], **arguments
    )
    made = clinic.call("request_repeat", prescription_id=current["id"], **arguments)
    assert made["id"] == "RPT-2001"


def test_codes_of_another_kind_are_refused_with_the_right_ones(clinic: Desk) -> None:
    said = clinic.refused(
        "charge_fee", patient_id=one(clinic, "Niamh Tarrant"), fee_code="REF-FEE", amount=10
    )
    assert "FEE-COPY, FEE-LATE-CANCEL, FEE-NO-SHOW, FEE-VISIT" in said


def test_no_tool_shows_what_verifies_a_person(clinic: Desk) -> None:
    patient = one(clinic, "Niamh Tarrant")
    shown = json.dumps(
        [
            clinic.call("find_customers", name="Tarrant"),
            clinic.call("find_patients", name="Tarrant"),
            clinic.call("get_patient", patient_id=patient),
        ]
    )
    assert "1988-06-02" not in shown
    assert "T12 KD48" not in shown
