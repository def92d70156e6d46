"""Traces of parcels that went missing, and claims for loss, damage and delay."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Amount = Annotated[Decimal, Field(gt=0, le=99_999, decimal_places=2)]


@tool(writes=True)
def open_trace(db: Db, shipment_id: str, trace_code: str) -> Row:
    """Have the depots look for a shipment, or ask the driver where it was left.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        trace_code: A TRC code.
    """
    require_code(db, trace_code, "TRC")
    _require_shipment(db, shipment_id)
    return db.require(
        "The trace could not be opened.",
        "INSERT INTO traces (shipment_id, code) VALUES (%(id)s, %(code)s)"
        " RETURNING id, shipment_id, code, status",
        id=shipment_id,
        code=trace_code,
    )


@tool(writes=True)
def open_claim(db: Db, shipment_id: str, claim_code: str, amount: Amount) -> Row:
    """Open a claim; nothing is paid yet.

    Args:
        shipment_id: The shipment, such as MFL-48011.
        claim_code: A CLM code.
        amount: What the rules grant, or what is claimed where nothing is granted yet.
    """
    require_code(db, claim_code, "CLM")
    _require_shipment(db, shipment_id)
    return db.require(
        "The claim could not be opened.",
        "INSERT INTO claims (shipment_id, code, amount) VALUES (%(id)s, %(code)s, %(amount)s)"
        " RETURNING id, shipment_id, code, amount, status",
        id=shipment_id,
        code=claim_code,
        amount=amount,
    )


@tool(writes=True)
def pay_claim(db: Db, claim_id: str, amount: Amount, approval_id: str | None = None) -> Row:
    """Pay an open claim to the shipper and close it.

    Args:
        claim_id: The claim, such as CLA-7101.
        amount: What is paid.
        approval_id: The approval that covers it, such as APR-2107.
    """
    _open_claim(db, claim_id)
    return db.require(
        "The claim could not be paid.",
        "UPDATE claims SET status = 'paid', paid_amount = %(amount)s, approval_id = %(approval)s"
        " WHERE id = %(id)s RETURNING id, shipment_id, status, paid_amount, approval_id",
        id=claim_id,
        amount=amount,
        approval=approval_id,
    )


@tool(writes=True)
def reject_claim(db: Db, claim_id: str, reject_code: str) -> Row:
    """Reject an open claim and close it.

    Args:
        claim_id: The claim, such as CLA-7101.
        reject_code: A REJ code.
    """
    require_code(db, reject_code, "REJ")
    _open_claim(db, claim_id)
    return db.require(
        "The claim could not be rejected.",
        "UPDATE claims SET status = 'rejected', reject_code = %(code)s WHERE id = %(id)s"
        " RETURNING id, shipment_id, status, reject_code",
        id=claim_id,
        code=reject_code,
    )


def _require_shipment(db: Db, shipment_id: str) -> None:
    db.require(
        f"There is no shipment {shipment_id}.",
        "SELECT id FROM shipments WHERE id = %(id)s",
        id=shipment_id,
    )


def _open_claim(db: Db, claim_id: str) -> None:
    claim = db.require(
        f"There is no claim {claim_id}.",
        "SELECT status FROM claims WHERE id = %(id)s FOR UPDATE",
        id=claim_id,
    )
    if claim["status"] != "open":
        raise ToolRefusal(f"{claim_id} is {claim['status']}; only an open claim can be settled.")


TOOLS = (open_trace, open_claim, pay_claim, reject_claim)
