"""What can be booked: types of appointment, free slots, the waiting list."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Clinic = Literal["Quayside", "Millfield", "Northgate"]


@tool
def get_appointment_type(db: Db, type_code: str) -> Row:
    """Show a type of appointment: length, price, and what it needs.

    Args:
        type_code: The type, such as GP-VISIT.
    """
    known = db.one(
        "SELECT code, name, discipline, kind, minutes, price, needs_referral,"
        " needs_authorisation, privilege, equipment, vaccine, vaccine_doses,"
        " vaccine_interval_days, vaccine_min_age_months, vaccine_live FROM appointment_types"
        " WHERE code = %(code)s",
        code=type_code,
    )
    if known is None:
        codes = db.all("SELECT code FROM appointment_types ORDER BY code")
        raise ToolRefusal(
            f"There is no type {type_code}; expected one of "
            f"{', '.join(str(row['code']) for row in codes)}."
        )
    return known


@tool
def find_slots(
    db: Db,
    type_code: str,
    clinic: Clinic | None = None,
    practitioner_id: str | None = None,
    from_date: dt.date | None = None,
    to_date: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 12,
) -> list[Row]:
    """List free slots of the right discipline and length, the earliest first.

    Reserved slots are listed too, and slots whose practitioner or room lacks what the type needs.

    Args:
        type_code: The type of appointment, such as GP-VISIT.
        clinic: Only at this clinic.
        practitioner_id: Only with this practitioner, such as PRA-11.
        from_date: Only on this day or later.
        to_date: Only on this day or earlier.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT slots.id, starts_at, slots.minutes, reserved_for, clinic, room_id, step_free,"
        " rooms.equipment, equipment_out_until, practitioner_id, practitioners.full_name AS"
        " practitioner, practitioners.status AS practitioner_status, back_on AS"
        " practitioner_back_on, (SELECT coalesce(json_agg("
        "  json_build_object('code', code, 'valid_until', valid_until) ORDER BY code), '[]')"
        "  FROM privileges WHERE practitioner_id = practitioners.id) AS privileges"
        " FROM slots JOIN rooms ON rooms.id = room_id"
        " JOIN practitioners ON practitioners.id = practitioner_id"
        " JOIN appointment_types AS wanted ON wanted.code = %(type)s"
        "  AND wanted.discipline = practitioners.discipline AND wanted.minutes <= slots.minutes"
        " WHERE slots.status = 'free' AND starts_at > clock_now()"
        " AND (%(clinic)s::text IS NULL OR clinic = %(clinic)s)"
        " AND (%(practitioner)s::text IS NULL OR practitioner_id = %(practitioner)s)"
        " AND (%(start)s::date IS NULL OR starts_at >= %(start)s)"
        " AND (%(end)s::date IS NULL OR starts_at < %(end)s + 1)"
        " ORDER BY starts_at, slots.id LIMIT %(limit)s",
        type=type_code,
        clinic=clinic,
        practitioner=practitioner_id,
        start=from_date,
        end=to_date,
        limit=limit,
    )


@tool
def list_waitlist(
    db: Db,
    patient_id: str | None = None,
    type_code: str | None = None,
    clinic: Clinic | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 12,
) -> list[Row]:
    """List entries of the waiting list, whatever their status, the oldest first.

    Args:
        patient_id: Only this patient's.
        type_code: Only for this type of appointment.
        clinic: Only for this clinic.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT id, patient_id, type_code, clinic, priority, status, added_at, offered_slot,"
        " offered_at FROM waitlist_entries"
        " WHERE (%(patient)s::text IS NULL OR patient_id = %(patient)s)"
        " AND (%(type)s::text IS NULL OR type_code = %(type)s)"
        " AND (%(clinic)s::text IS NULL OR clinic = %(clinic)s)"
        " ORDER BY added_at, id LIMIT %(limit)s",
        patient=patient_id,
        type=type_code,
        clinic=clinic,
        limit=limit,
    )


@tool(writes=True)
def join_waitlist(
    db: Db,
    patient_id: str,
    type_code: str,
    clinic: Clinic,
    priority: Literal["routine", "soon"] = "routine",
) -> Row:
    """Put a patient on the waiting list of a type of appointment at a clinic.

    Args:
        patient_id: The patient, such as PAT-2004.
        type_code: The type of appointment, such as DERM-CONSULT.
        clinic: Where.
        priority: How soon.
    """
    return db.require(
        f"There is no patient {patient_id}.",
        "INSERT INTO waitlist_entries (patient_id, type_code, clinic, priority)"
        " SELECT id, %(type)s, %(clinic)s, %(priority)s FROM patients WHERE id = %(id)s"
        " RETURNING id, patient_id, type_code, clinic, priority, status",
        id=patient_id,
        type=type_code,
        clinic=clinic,
        priority=priority,
    )


TOOLS = (get_appointment_type, find_slots, list_waitlist, join_waitlist)
