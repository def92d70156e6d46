"""Appointments: find them, book, move, cancel, arrange an interpreter."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Status = Literal["booked", "completed", "cancelled", "no_show"]


@tool
def find_appointments(
    db: Db,
    patient_id: str | None = None,
    appointment_id: str | None = None,
    status: Status | None = None,
    type_code: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List appointments with time, room and practitioner, the latest first.

    Give patient_id or appointment_id. All criteria that are given must match.

    Args:
        patient_id: The patient, such as PAT-2004.
        appointment_id: One appointment, such as APT-8104.
        status: Only in this status.
        type_code: Only of this type.
        limit: How many to return at most.
    """
    if patient_id is None and appointment_id is None:
        raise ToolRefusal("Give patient_id or appointment_id.")
    return db.all(
        "SELECT appointments.id, patient_id, type_code, appointment_types.kind,"
        " appointments.status, slot_id, starts_at, clinic, room_id, step_free, practitioner_id,"
        " practitioners.full_name AS practitioner, practitioners.status AS practitioner_status,"
        " back_on AS practitioner_back_on, referral_id, authorisation_id, self_pay, waitlist_id,"
        " moves, interpreter_language, interpreter_mode, booked_at, reminder_sent_at,"
        " cancelled_at, cancel_reason, clock_now() AS now FROM appointments"
        " JOIN appointment_types ON code = type_code JOIN slots ON slots.id = slot_id"
        " JOIN rooms ON rooms.id = room_id JOIN practitioners ON practitioners.id = practitioner_id"
        " WHERE (%(patient)s::text IS NULL OR patient_id = %(patient)s)"
        " AND (%(id)s::text IS NULL OR appointments.id = %(id)s)"
        " AND (%(status)s::text IS NULL OR appointments.status = %(status)s::appointment_status)"
        " AND (%(type)s::text IS NULL OR type_code = %(type)s)"
        " ORDER BY starts_at DESC, appointments.id LIMIT %(limit)s",
        patient=patient_id,
        id=appointment_id,
        status=status,
        type=type_code,
        limit=limit,
    )


@tool(writes=True)
def book_appointment(
    db: Db,
    patient_id: str,
    type_code: str,
    slot_id: str,
    referral_id: str | None = None,
    authorisation_id: str | None = None,
    self_pay: bool = False,
    waitlist_id: str | None = None,
) -> Row:
    """Book a free slot for a patient.

    Args:
        patient_id: The patient, such as PAT-2004.
        type_code: The type of appointment, such as GP-VISIT.
        slot_id: The slot, such as SLT-2003.
        referral_id: The referral that it uses, such as RFR-3004.
        authorisation_id: The payer's authorisation that it uses, such as AUT-4004.
        self_pay: Whether a patient with a payer pays this one alone.
        waitlist_id: The entry of the waiting list that it settles, such as WTL-3304.
    """
    _take_slot(db, slot_id, type_code)
    if referral_id is not None:
        _require_referral(db, referral_id, patient_id, type_code)
    if authorisation_id is not None:
        _require_authorisation(db, authorisation_id, patient_id, type_code)
    if waitlist_id is not None:
        _settle_waitlist(db, waitlist_id, patient_id, type_code)
    return db.require(
        f"There is no patient {patient_id}.",
        "INSERT INTO appointments (patient_id, type_code, slot_id, referral_id, authorisation_id,"
        " self_pay, waitlist_id) SELECT id, %(type)s, %(slot)s, %(referral)s, %(authorisation)s,"
        " %(self_pay)s, %(waitlist)s FROM patients WHERE id = %(patient)s"
        " RETURNING id, patient_id, type_code, slot_id, status",
        patient=patient_id,
        type=type_code,
        slot=slot_id,
        referral=referral_id,
        authorisation=authorisation_id,
        self_pay=self_pay,
        waitlist=waitlist_id,
    )


@tool(writes=True)
def reschedule_appointment(
    db: Db, appointment_id: str, slot_id: str, moved_by: Literal["patient", "clinic"]
) -> Row:
    """Move a booked appointment to another free slot; all else about it stays.

    Args:
        appointment_id: The appointment, such as APT-8104.
        slot_id: The new slot, such as SLT-2003.
        moved_by: On whose account; only moves by the patient are counted.
    """
    found = _lock_booked(db, appointment_id)
    _take_slot(db, slot_id, str(found["type_code"]))
    _free_slot(db, str(found["slot_id"]))
    return db.require(
        "The appointment could not be moved.",
        "UPDATE appointments SET slot_id = %(slot)s,"
        " moves = moves + CASE WHEN %(moved_by)s = 'patient' THEN 1 ELSE 0 END"
        " WHERE id = %(id)s RETURNING id, slot_id, status, moves",
        id=appointment_id,
        slot=slot_id,
        moved_by=moved_by,
    )


@tool(writes=True)
def cancel_appointment(db: Db, appointment_id: str, reason_code: str) -> Row:
    """Cancel a booked appointment and free its slot. It charges and refunds nothing.

    Args:
        appointment_id: The appointment, such as APT-8104.
        reason_code: A CXL code.
    """
    require_code(db, reason_code, "CXL")
    found = _lock_booked(db, appointment_id)
    _free_slot(db, str(found["slot_id"]))
    return db.require(
        "The appointment could not be cancelled.",
        "UPDATE appointments SET status = 'cancelled', cancelled_at = clock_now(),"
        " cancel_reason = %(reason)s WHERE id = %(id)s RETURNING id, status, cancel_reason",
        id=appointment_id,
        reason=reason_code,
    )


@tool(writes=True)
def arrange_interpreter(
    db: Db,
    appointment_id: str,
    language: Annotated[str, Field(min_length=2, max_length=40)],
    mode: Literal["in_person", "phone"],
) -> Row:
    """Order an interpreter for a booked appointment, or change the order.

    Args:
        appointment_id: The appointment, such as APT-8104.
        language: The language, in English, such as Polish.
        mode: Whether the interpreter comes or is on the telephone.
    """
    _lock_booked(db, appointment_id)
    return db.require(
        "The interpreter could not be ordered.",
        "UPDATE appointments SET interpreter_language = %(language)s, interpreter_mode = %(mode)s"
        " WHERE id = %(id)s RETURNING id, interpreter_language, interpreter_mode",
        id=appointment_id,
        language=language,
        mode=mode,
    )


def _lock_booked(db: Db, appointment_id: str) -> Row:
    found = db.require(
        f"There is no appointment {appointment_id}.",
        "SELECT appointments.status, type_code, slot_id, starts_at > clock_now() AS ahead"
        " FROM appointments JOIN slots ON slots.id = slot_id WHERE appointments.id = %(id)s"
        " FOR UPDATE OF appointments",
        id=appointment_id,
    )
    if found["status"] != "booked" or not found["ahead"]:
        state = "in the past" if found["status"] == "booked" else found["status"]
        raise ToolRefusal(f"{appointment_id} is {state}; only a coming one can change.")
    return found


def _take_slot(db: Db, slot_id: str, type_code: str) -> None:
    slot = db.require(
        f"There is no slot {slot_id}, or no type {type_code}.",
        "SELECT slots.status, starts_at > clock_now() AS ahead, slots.minutes, wanted.minutes AS"
        " needed, wanted.discipline = practitioners.discipline AS fits FROM slots"
        " JOIN practitioners ON practitioners.id = practitioner_id"
        " JOIN appointment_types AS wanted ON wanted.code = %(type)s"
        " WHERE slots.id = %(id)s FOR UPDATE OF slots",
        id=slot_id,
        type=type_code,
    )
    if slot["status"] != "free" or not slot["ahead"]:
        raise ToolRefusal(f"{slot_id} is not free; look for another slot.")
    if not slot["fits"] or slot["minutes"] < slot["needed"]:
        raise ToolRefusal(
            f"{slot_id} does not suit {type_code}: discipline or length ({slot['minutes']} of"
            f" {slot['needed']} minutes)."
        )
    db.execute("UPDATE slots SET status = 'booked' WHERE id = %(id)s", id=slot_id)


def _free_slot(db: Db, slot_id: str) -> None:
    db.execute("UPDATE slots SET status = 'free' WHERE id = %(id)s", id=slot_id)


def _require_referral(db: Db, referral_id: str, patient_id: str, type_code: str) -> None:
    db.require(
        f"{referral_id} is not a referral of {patient_id} for the discipline of {type_code}.",
        "SELECT id FROM referrals WHERE id = %(id)s AND patient_id = %(patient)s AND discipline ="
        " (SELECT discipline FROM appointment_types WHERE code = %(type)s)",
        id=referral_id,
        patient=patient_id,
        type=type_code,
    )


def _require_authorisation(db: Db, authorisation_id: str, patient_id: str, type_code: str) -> None:
    db.require(
        f"{authorisation_id} is not an approved authorisation of {patient_id} for {type_code}.",
        "SELECT id FROM authorisations WHERE id = %(id)s AND patient_id = %(patient)s"
        " AND type_code = %(type)s AND status = 'approved'",
        id=authorisation_id,
        patient=patient_id,
        type=type_code,
    )


def _settle_waitlist(db: Db, waitlist_id: str, patient_id: str, type_code: str) -> None:
    db.require(
        f"{waitlist_id} is not an open entry of {patient_id} for {type_code}.",
        "UPDATE waitlist_entries SET status = 'booked' WHERE id = %(id)s"
        " AND patient_id = %(patient)s AND type_code = %(type)s"
        " AND status IN ('waiting', 'offered') RETURNING id",
        id=waitlist_id,
        patient=patient_id,
        type=type_code,
    )


TOOLS = (
    find_appointments,
    book_appointment,
    reschedule_appointment,
    cancel_appointment,
    arrange_interpreter,
)
