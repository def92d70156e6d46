"""Shipments and parcel shops: looking them up."""

from typing import Annotated, Literal, LiteralString

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Status = Literal[
    "announced",
    "in_transit",
    "out_for_delivery",
    "held",
    "at_shop",
    "delivered",
    "returning",
    "returned",
    "lost",
    "stopped",
]


@tool
def find_shipments(
    db: Db,
    consignee_id: str | None = None,
    contract_id: str | None = None,
    consignee_name: str | None = None,
    status: Status | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List shipments, those due last first. All criteria given must match.

    Args:
        consignee_id: Only shipments to this customer, such as CUS-2104.
        contract_id: Only shipments of this shipper's contract, such as CTR-310.
        consignee_name: A part of the receiver's name on the label.
        status: Only shipments in this status.
        limit: How many to return at most.
    """
    if consignee_id is None and contract_id is None and consignee_name is None:
        raise ToolRefusal("Give at least one of consignee_id, contract_id and consignee_name.")
    return db.all(
        "SELECT shipments.id, contract_id, shipper, consignee_name, postal_code, city,"
        " service_code, shipments.status, due_on FROM shipments"
        " JOIN contracts ON contracts.id = contract_id"
        " WHERE (%(consignee)s::text IS NULL OR consignee_id = %(consignee)s)"
        " AND (%(contract)s::text IS NULL OR contract_id = %(contract)s)"
        " AND (%(name)s::text IS NULL OR strpos(lower(consignee_name), lower(%(name)s)) > 0)"
        " AND (%(status)s::text IS NULL OR shipments.status = %(status)s::shipment_status)"
        " ORDER BY due_on DESC, shipments.id DESC LIMIT %(limit)s",
        consignee=consignee_id,
        contract=contract_id,
        name=consignee_name,
        status=status,
        limit=limit,
    )


@tool
def get_shipment(db: Db, shipment_id: str) -> Row:
    """Show a shipment with all that is on record for it, the terms of its service, and the time.

    Args:
        shipment_id: The shipment, such as MFL-48011.
    """
    shipment = db.require(
        f"There is no shipment {shipment_id}.",
        "SELECT shipments.*, liability_limit, max_attempts, express, identity_check, perishable,"
        " clock_now() AS now FROM shipments JOIN services ON code = service_code"
        " WHERE id = %(id)s",
        id=shipment_id,
    )
    shown = {name: value for name, value in shipment.items() if value is not None}
    return {**shown, **{name: db.all(query, id=shipment_id) for name, query in _PARTS.items()}}


_PARTS: dict[str, LiteralString] = {
    "parcels": "SELECT id, content, content_class, dangerous_goods, declared_kg, weighed_kg"
    " FROM parcels WHERE shipment_id = %(id)s ORDER BY id",
    "scans": "SELECT depot_id, code, scanned_at FROM scans WHERE shipment_id = %(id)s"
    " ORDER BY scanned_at DESC, id DESC LIMIT 8",
    "attempts": "SELECT attempted_on, outcome, remark FROM attempts WHERE shipment_id = %(id)s"
    " ORDER BY attempted_on, id",
    "stop": "SELECT route, driver, position, stop_on FROM stops WHERE shipment_id = %(id)s",
    "driver_notes": "SELECT id, code, detail FROM driver_notes WHERE shipment_id = %(id)s"
    " ORDER BY id",
    "documents": "SELECT id, kind, amount, received_on FROM documents"
    " WHERE shipment_id = %(id)s ORDER BY id",
    "customs": "SELECT id, status, missing_paper, submitted_document, terms, billed_to, duties,"
    " handling_fee, assessed_on, deadline_on FROM customs_entries WHERE shipment_id = %(id)s",
    "traces": "SELECT id, code, status, opened_on FROM traces WHERE shipment_id = %(id)s"
    " ORDER BY opened_on, id",
    "claims": "SELECT id, code, amount, status, paid_amount, approval_id, reject_code, opened_on"
    " FROM claims WHERE shipment_id = %(id)s ORDER BY opened_on, id",
    "fees": "SELECT id, code, amount FROM fees WHERE shipment_id = %(id)s ORDER BY id",
}


@tool
def find_shops(
    db: Db,
    postal_code: str | None = None,
    city: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List parcel shops with what they take, open ones and closed ones.

    Args:
        postal_code: The whole postal code or its first digits.
        city: The town.
        limit: How many to return at most.
    """
    if postal_code is None and city is None:
        raise ToolRefusal("Give a postal_code or a city.")
    return db.all(
        "SELECT id, name, street, postal_code, city, max_weight_kg, takes_cod, status FROM shops"
        " WHERE (%(code)s::text IS NULL OR starts_with(postal_code, %(code)s))"
        " AND (%(city)s::text IS NULL OR lower(city) = lower(%(city)s))"
        " ORDER BY postal_code, id LIMIT %(limit)s",
        code=postal_code,
        city=city,
        limit=limit,
    )


TOOLS = (find_shipments, get_shipment, find_shops)
