"""Patients: who they are, who speaks for them, and their records."""

import datetime as dt
from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def find_patients(
    db: Db,
    customer_id: str | None = None,
    name: str | None = None,
    date_of_birth: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """Find patients: those of an account (own and as proxy), or by name or date of birth.

    All criteria that are given must match.

    Args:
        customer_id: An account, such as CUS-1004; finds its own patient and whom it is proxy of.
        name: The full name or a part of it.
        date_of_birth: The patient's date of birth.
        limit: How many to return at most.
    """
    if customer_id is None and name is None and date_of_birth is None:
        raise ToolRefusal("Give at least one of customer_id, name and date_of_birth.")
    return db.all(
        "SELECT id, full_name, customer_id AS own_account, status,"
        " extract(year FROM age(clock_now()::date, date_of_birth))::int AS age FROM patients"
        " WHERE (%(customer_id)s::text IS NULL OR customer_id = %(customer_id)s OR id IN"
        "  (SELECT patient_id FROM proxies WHERE proxies.customer_id = %(customer_id)s))"
        " AND (%(name)s::text IS NULL OR strpos(lower(full_name), lower(%(name)s)) > 0)"
        " AND (%(born)s::date IS NULL OR date_of_birth = %(born)s)"
        " ORDER BY id LIMIT %(limit)s",
        customer_id=customer_id,
        name=name,
        born=date_of_birth,
        limit=limit,
    )


@tool
def get_patient(db: Db, patient_id: str) -> Row:
    """Show a patient with proxies, consents, vaccinations and record requests.

    Age is in completed years and months on the day that the clock shows.

    Args:
        patient_id: The patient, such as PAT-2004.
    """
    patient = db.require(
        f"There is no patient {patient_id}.",
        "SELECT id, full_name, customer_id AS own_account, payer, cover_until,"
        " interpreter_language, mobility, alert, status, last_visit_on,"
        " extract(year FROM age(clock_now()::date, date_of_birth))::int AS age_years,"
        " extract(month FROM age(clock_now()::date, date_of_birth))::int AS age_months_beyond,"
        " (date_of_birth + interval '16 years')::date AS turns_16_on, clock_now() AS now"
        " FROM patients WHERE id = %(id)s",
        id=patient_id,
    )
    patient["proxies"] = db.all(
        "SELECT proxies.id, customer_id, full_name, kind, scope, paper, valid_from, valid_until"
        " FROM proxies JOIN customers ON customers.id = customer_id"
        " WHERE patient_id = %(id)s ORDER BY proxies.id",
        id=patient_id,
    )
    patient["consents"] = db.all(
        "SELECT id, form, type_code, signed_by, signed_on, status FROM consents"
        " WHERE patient_id = %(id)s ORDER BY signed_on, id",
        id=patient_id,
    )
    patient["vaccinations"] = db.all(
        "SELECT vaccine, dose, given_on FROM vaccinations WHERE patient_id = %(id)s"
        " ORDER BY vaccine, dose",
        id=patient_id,
    )
    patient["record_requests"] = db.all(
        "SELECT id, kind, detail, status, opened_on, due_on FROM record_requests"
        " WHERE patient_id = %(id)s ORDER BY opened_on, id",
        id=patient_id,
    )
    return patient


@tool
def list_referrals(db: Db, patient_id: str) -> Row:
    """List a patient's referrals, and the authorisations that payers were asked for.

    Visits left are those allowed less the appointments that name it and were not cancelled.

    Args:
        patient_id: The patient, such as PAT-2004.
    """
    referrals = db.all(
        "SELECT id, discipline, referrer, urgency, issued_on, valid_until, status, visits_allowed,"
        " visits_allowed - (SELECT count(*) FROM appointments WHERE referral_id = referrals.id"
        "  AND appointments.status <> 'cancelled') AS visits_left"
        " FROM referrals WHERE patient_id = %(id)s ORDER BY issued_on, id",
        id=patient_id,
    )
    authorisations = db.all(
        "SELECT id, payer, type_code, referral_id, status, requested_at, decided_on, valid_from,"
        " valid_until, visits_allowed - (SELECT count(*) FROM appointments"
        "  WHERE authorisation_id = authorisations.id AND appointments.status <> 'cancelled')"
        " AS visits_left FROM authorisations WHERE patient_id = %(id)s ORDER BY requested_at, id",
        id=patient_id,
    )
    return {"referrals": referrals, "authorisations": authorisations}


@tool(writes=True)
def request_authorisation(
    db: Db, patient_id: str, type_code: str, referral_id: str | None = None
) -> Row:
    """Ask a patient's payer to cover a type of appointment. It books nothing.

    Args:
        patient_id: The patient, such as PAT-2004.
        type_code: The type of appointment, such as DERM-BIOPSY.
        referral_id: The referral behind it, such as RFR-3004.
    """
    patient = db.require(
        f"There is no patient {patient_id}.",
        "SELECT payer FROM patients WHERE id = %(id)s",
        id=patient_id,
    )
    if patient["payer"] is None:
        raise ToolRefusal(f"{patient_id} has no payer that could be asked.")
    return db.require(
        "The request could not be filed.",
        "INSERT INTO authorisations (patient_id, payer, type_code, referral_id) VALUES"
        " (%(id)s, %(payer)s, %(type)s, %(referral)s)"
        " RETURNING id, patient_id, payer, type_code, referral_id, status",
        id=patient_id,
        payer=patient["payer"],
        type=type_code,
        referral=referral_id,
    )


@tool(writes=True)
def open_record_request(db: Db, patient_id: str, kind: str, detail: str) -> Row:
    """File a request about a patient's records with the records office.

    Args:
        patient_id: The patient, such as PAT-2004.
        kind: A REQ code.
        detail: What is asked for, in a sentence.
    """
    require_code(db, kind, "REQ")
    return db.require(
        f"There is no patient {patient_id}.",
        "INSERT INTO record_requests (patient_id, kind, detail)"
        " SELECT id, %(kind)s, %(detail)s FROM patients WHERE id = %(id)s"
        " RETURNING id, patient_id, kind, status, due_on",
        id=patient_id,
        kind=kind,
        detail=detail,
    )


TOOLS = (find_patients, get_patient, list_referrals, request_authorisation, open_record_request)
