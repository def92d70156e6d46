"""Repeat prescriptions, laboratory results and urgent calls."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_prescriptions(db: Db, patient_id: str) -> list[Row]:
    """List a patient's prescriptions with who prescribes them now and the repeats asked for.

    Args:
        patient_id: The patient, such as PAT-2004.
    """
    return db.all(
        "SELECT prescriptions.id, drug, strength, controlled, supply_days, repeats_left,"
        " last_issued_on, review_due_on, prescriptions.status, practitioner_id,"
        " practitioners.full_name AS prescriber, practitioners.status AS prescriber_status,"
        " back_on AS prescriber_back_on, covered_by AS prescriber_covered_by, (SELECT"
        "  coalesce(json_agg(json_build_object('id', asked.id, 'kind', kind, 'status',"
        "  asked.status, 'requested_at', requested_at, 'pharmacy', pharmacy)"
        "  ORDER BY requested_at, asked.id), '[]') FROM repeat_requests AS asked"
        "  WHERE prescription_id = prescriptions.id) AS repeat_requests"
        " FROM prescriptions JOIN practitioners ON practitioners.id = practitioner_id"
        " WHERE patient_id = %(id)s ORDER BY prescriptions.id",
        id=patient_id,
    )


@tool(writes=True)
def request_repeat(
    db: Db,
    prescription_id: str,
    prescriber_id: str,
    kind: Literal["standard", "travel", "bridge"],
    pharmacy: Annotated[str, Field(min_length=2, max_length=120)],
) -> Row:
    """Ask a prescriber to repeat a prescription. The prescriber decides.

    Args:
        prescription_id: The prescription, such as RXP-5004.
        prescriber_id: Who is asked, such as PRA-11.
        kind: Standard; travel, for an early one; bridge, for a few days until a review.
        pharmacy: Where the patient wants to collect it.
    """
    return db.require(
        f"There is no active prescription {prescription_id}.",
        "INSERT INTO repeat_requests (prescription_id, prescriber_id, kind, pharmacy)"
        " SELECT id, %(prescriber)s, %(kind)s, %(pharmacy)s FROM prescriptions"
        " WHERE id = %(id)s AND status = 'active'"
        " RETURNING id, prescription_id, prescriber_id, kind, pharmacy, status",
        id=prescription_id,
        prescriber=prescriber_id,
        kind=kind,
        pharmacy=pharmacy,
    )


@tool
def list_lab_results(db: Db, patient_id: str) -> list[Row]:
    """List a patient's laboratory tests and who ordered them; the desk sees no values.

    Args:
        patient_id: The patient, such as PAT-2004.
    """
    return db.all(
        "SELECT lab_results.id, test, sensitive, lab_results.status, ordered_by,"
        " practitioners.status AS orderer_status, covered_by AS orderer_covered_by, collected_on,"
        " resulted_on, reviewed_on, release_by, replaces, released_at, released_to"
        " FROM lab_results JOIN practitioners ON practitioners.id = ordered_by"
        " WHERE patient_id = %(id)s ORDER BY collected_on DESC, lab_results.id DESC",
        id=patient_id,
    )


@tool(writes=True)
def release_result(db: Db, result_id: str, customer_id: str) -> Row:
    """Open a laboratory result to an account, which can read it from then on.

    Args:
        result_id: The result, such as LAB-7004.
        customer_id: The account, such as CUS-1004.
    """
    found = db.require(
        f"There is no result {result_id}.",
        "SELECT status, released_at FROM lab_results WHERE id = %(id)s FOR UPDATE",
        id=result_id,
    )
    if found["status"] == "pending":
        raise ToolRefusal(f"{result_id} is pending: there is nothing to release.")
    if found["released_at"] is not None:
        raise ToolRefusal(f"{result_id} was released already.")
    return db.require(
        f"There is no account {customer_id}.",
        "UPDATE lab_results SET released_at = clock_now(), released_to = %(customer)s"
        " WHERE id = %(id)s RETURNING id, test, released_to",
        id=result_id,
        customer=customer_id,
    )


@tool(writes=True)
def log_triage_call(
    db: Db,
    ticket_id: str,
    symptom_code: str,
    level: Literal["emergency", "same_day", "routine"],
    patient_id: str | None = None,
) -> Row:
    """Note a call about symptoms and how urgent it is. It books nothing and alerts nobody.

    Args:
        ticket_id: The ticket on which it came.
        symptom_code: A SYM code.
        level: How urgent it is.
        patient_id: The patient, such as PAT-2004, if known.
    """
    require_code(db, symptom_code, "SYM")
    return db.require(
        f"There is no ticket {ticket_id}.",
        "INSERT INTO triage_calls (ticket_id, patient_id, symptom, level)"
        " SELECT id, %(patient)s, %(symptom)s, %(level)s FROM tickets WHERE id = %(ticket)s"
        " RETURNING id, ticket_id, patient_id, symptom, level",
        ticket=ticket_id,
        patient=patient_id,
        symptom=symptom_code,
        level=level,
    )


TOOLS = (list_prescriptions, request_repeat, list_lab_results, release_result, log_triage_call)
