"""Repairs: what was reported, who can come when, the visit."""

from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_repairs(db: Db, lease_id: str) -> list[Row]:
    """List the repairs reported for a lease with their visits, the newest first.

    Args:
        lease_id: The lease, such as LSE-2004.
    """
    return db.all(
        "SELECT repair_jobs.id, trade, urgency, fault, status, reported_at, slot_id, contractor_id,"
        " starts_at AS visit_at, clock_now() AS now FROM repair_jobs"
        " LEFT JOIN contractor_slots ON contractor_slots.id = slot_id"
        " WHERE lease_id = %(id)s ORDER BY reported_at DESC, repair_jobs.id",
        id=lease_id,
    )


@tool
def find_visits(
    db: Db, trade_code: str, limit: Annotated[int, Field(ge=1, le=25)] = 15
) -> list[Row]:
    """List the coming free visits of a trade, the earliest first, with who would come.

    Args:
        trade_code: A TRD code.
        limit: How many to return at most.
    """
    require_code(db, trade_code, "TRD")
    return db.all(
        "SELECT contractor_slots.id, starts_at, contractor_id, name, price, insured_until, active,"
        " clock_now() AS now FROM contractor_slots JOIN contractors ON contractors.id ="
        " contractor_id WHERE trade = %(trade)s AND NOT taken AND starts_at > clock_now()"
        " ORDER BY starts_at, contractor_slots.id LIMIT %(limit)s",
        trade=trade_code,
        limit=limit,
    )


@tool(writes=True)
def report_repair(
    db: Db,
    lease_id: str,
    trade_code: str,
    urgency_code: str,
    fault: Annotated[str, Field(min_length=3, max_length=300)],
) -> Row:
    """Log a fault in the home of a lease. Nobody is sent yet.

    Args:
        lease_id: The lease, such as LSE-2004.
        trade_code: A TRD code.
        urgency_code: An URG code.
        fault: What is broken.
    """
    require_code(db, trade_code, "TRD")
    require_code(db, urgency_code, "URG")
    return db.require(
        f"There is no lease {lease_id}.",
        "INSERT INTO repair_jobs (lease_id, trade, urgency, fault) SELECT id, %(trade)s,"
        " %(urgency)s, %(fault)s FROM leases WHERE id = %(id)s"
        " RETURNING id, lease_id, trade, urgency, status",
        id=lease_id,
        trade=trade_code,
        urgency=urgency_code,
        fault=fault,
    )


@tool(writes=True)
def book_visit(db: Db, job_id: str, visit_id: str) -> Row:
    """Book a free visit for a repair, or move the repair's visit there.

    Args:
        job_id: The repair, such as JOB-7104.
        visit_id: The free visit, such as VSL-6104.
    """
    job = db.require(
        f"There is no repair {job_id}.",
        "SELECT status, trade, slot_id FROM repair_jobs WHERE id = %(id)s FOR UPDATE",
        id=job_id,
    )
    if job["status"] in ("done", "cancelled"):
        raise ToolRefusal(f"{job_id} is {job['status']}; report the fault anew.")
    db.require(
        f"{visit_id} is not a free coming visit of the trade {job['trade']}.",
        "UPDATE contractor_slots SET taken = true FROM contractors"
        " WHERE contractors.id = contractor_id AND trade = %(trade)s AND NOT taken"
        " AND starts_at > clock_now() AND contractor_slots.id = %(id)s"
        " RETURNING contractor_slots.id",
        id=visit_id,
        trade=job["trade"],
    )
    db.execute(
        "UPDATE contractor_slots SET taken = false WHERE id = %(id)s AND starts_at > clock_now()",
        id=job["slot_id"],
    )
    return db.require(
        "The visit could not be booked.",
        "UPDATE repair_jobs SET status = 'booked', slot_id = %(visit)s WHERE id = %(id)s"
        " RETURNING id, status, slot_id",
        id=job_id,
        visit=visit_id,
    )


TOOLS = (list_repairs, find_visits, report_repair, book_visit)
