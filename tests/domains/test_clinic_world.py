import re

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk
from tests.domains.test_clinic_tools import clinic as clinic

CLINIC = load_domain("clinic")


def test_the_world_has_the_size_of_a_small_company(clinic: Desk) -> None:
    names = [
        row["relname"]
        for row in clinic.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: clinic.value(f"SELECT count(*) FROM {name}") for name in names}
    assert [name for name, count in counts.items() if count == 0] == ["identity_checks"]
    assert 300 <= sum(counts.values()) <= 1500


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("appointments", "appointment_status"),
        ("authorisations", "authorisation_status"),
        ("customers", "customer_status"),
        ("invoices", "invoice_status"),
        ("lab_results", "result_status"),
        ("patients", "patient_status"),
        ("record_requests", "record_request_status"),
        ("repeat_requests", "repeat_status"),
        ("refunds", "refund_status"),
        ("slots", "slot_status"),
        ("tickets", "ticket_status"),
    ],
)
def test_every_status_occurs(clinic: Desk, table: str, kind: str) -> None:
    missing = clinic.rows(
        f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
        f" WHERE value NOT IN (SELECT status FROM {table})"
    )
    assert missing == []


@pytest.mark.parametrize("column", ["practitioner_id", "room_id"])
def test_nobody_and_no_room_is_in_two_appointments_at_once(clinic: Desk, column: str) -> None:
    assert not clinic.rows(
        f"SELECT one.id, two.id FROM slots AS one JOIN slots AS two USING ({column})"
        " WHERE one.id < two.id AND (one.starts_at, make_interval(mins => one.minutes))"
        " OVERLAPS (two.starts_at, make_interval(mins => two.minutes))"
    )


def test_slots_and_appointments_agree(clinic: Desk) -> None:
    assert not clinic.rows(
        "SELECT slots.id FROM slots JOIN appointments ON slot_id = slots.id"
        " WHERE (appointments.status = 'cancelled') = (slots.status = 'booked')"
    )
    assert not clinic.rows(
        "SELECT slots.id FROM slots WHERE status = 'booked'"
        " AND NOT EXISTS (SELECT FROM appointments WHERE slot_id = slots.id)"
    )


def test_past_and_coming_appointments_have_the_status_of_their_time(clinic: Desk) -> None:
    assert not clinic.rows(
        "SELECT appointments.id FROM appointments JOIN slots ON slots.id = slot_id, clock"
        " WHERE (appointments.status = 'booked' AND starts_at <= now)"
        " OR (appointments.status IN ('completed', 'no_show') AND starts_at > now)"
        " OR booked_at > least(starts_at, now) OR cancelled_at > now"
    )


def test_paid_invoices_were_paid_in_full_and_one_of_them_twice(clinic: Desk) -> None:
    odd = clinic.rows(
        "SELECT full_name FROM invoices JOIN patients ON patients.id = patient_id"
        " WHERE (invoices.status = 'paid') <> (amount = (SELECT sum(amount) FROM payments"
        "  WHERE invoice_id = invoices.id)) IS TRUE"
    )
    assert [row["full_name"] for row in odd] == ["Oluwaseun Balogun"]


def test_nothing_happened_after_now(clinic: Desk) -> None:
    for table, column in (
        ("payments", "paid_at"),
        ("refunds", "created_at"),
        ("lab_results", "reviewed_on"),
        ("prescriptions", "last_issued_on"),
        ("invoices", "issued_on"),
        ("consents", "signed_on"),
        ("vaccinations", "given_on"),
        ("waitlist_entries", "added_at"),
    ):
        late = clinic.value(f"SELECT count(*) FROM {table}, clock WHERE {column} > now")
        assert late == 0, (table, column)


def test_every_type_that_the_policy_names_exists(clinic: Desk) -> None:
    named = set(re.findall(r"\b(?:GP|MED|RESULT|NURSE)-[A-Z]{3,}\b", CLINIC.policy))
    known = {row["code"] for row in clinic.rows("SELECT code FROM appointment_types")}
    assert named
    assert named - known == set()
