"""Parcels on their way, and what the carriers or the desk reported about them."""

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_shipments(db: Db, order_number: str) -> list[Row]:
    """List the parcels of an order with their exceptions and the lines inside.

    Args:
        order_number: The order, such as ORD-48210.
    """
    parcels = db.all(
        "SELECT id, carrier, tracking_number, status, shipped_at, promised_on, last_scan_at,"
        " last_scan, delivered_at, signed_by FROM shipments WHERE order_number = %(number)s"
        " ORDER BY id",
        number=order_number,
    )
    for parcel in parcels:
        parcel["lines"] = db.all(
            "SELECT line, sku FROM order_lines WHERE shipment_id = %(id)s ORDER BY line",
            id=parcel["id"],
        )
        parcel["exceptions"] = db.all(
            "SELECT id, code, reported_by, status, detail, outcome, opened_at, resolved_at"
            " FROM carrier_exceptions WHERE shipment_id = %(id)s ORDER BY opened_at, id",
            id=parcel["id"],
        )
    return parcels


@tool
def list_customer_exceptions(db: Db, customer_id: str) -> list[Row]:
    """List the exceptions of all parcels of a customer's orders, the newest first.

    Args:
        customer_id: The customer, such as CUS-1204.
    """
    return db.all(
        "SELECT carrier_exceptions.id, shipment_id, order_number, code, reported_by,"
        " carrier_exceptions.status, outcome, opened_at FROM carrier_exceptions"
        " JOIN shipments ON shipments.id = shipment_id"
        " JOIN orders ON orders.number = order_number WHERE customer_id = %(customer_id)s"
        " ORDER BY opened_at DESC, carrier_exceptions.id DESC LIMIT 25",
        customer_id=customer_id,
    )


@tool(writes=True)
def open_carrier_exception(
    db: Db, shipment_id: str, exception_code: str, detail: str | None = None
) -> Row:
    """Report to the carrier that something is wrong with a parcel.

    Args:
        shipment_id: The parcel, such as SHP-61204.
        exception_code: An EXC code.
        detail: What the carrier should know.
    """
    require_code(db, exception_code, "EXC")
    db.require(
        f"There is no shipment {shipment_id}.",
        "SELECT id FROM shipments WHERE id = %(shipment_id)s FOR UPDATE",
        shipment_id=shipment_id,
    )
    return db.require(
        "The exception could not be opened.",
        "INSERT INTO carrier_exceptions (shipment_id, code, detail)"
        " VALUES (%(shipment_id)s, %(code)s, %(detail)s)"
        " RETURNING id, shipment_id, code, status",
        shipment_id=shipment_id,
        code=exception_code,
        detail=detail,
    )


@tool(writes=True)
def resolve_carrier_exception(db: Db, exception_id: int, outcome: str) -> Row:
    """Close an exception: nothing is asked of the carrier or the customer any more.

    Args:
        exception_id: The exception's number.
        outcome: An OUT code.
    """
    require_code(db, outcome, "OUT")
    found = db.require(
        f"There is no exception {exception_id}.",
        "SELECT status, outcome FROM carrier_exceptions WHERE id = %(id)s FOR UPDATE",
        id=exception_id,
    )
    if found["status"] == "resolved":
        raise ToolRefusal(f"Exception {exception_id} was resolved with {found['outcome']}.")
    return db.require(
        "The exception could not be resolved.",
        "UPDATE carrier_exceptions SET status = 'resolved', outcome = %(outcome)s,"
        " resolved_at = clock_now() WHERE id = %(id)s"
        " RETURNING id, shipment_id, code, status, outcome",
        id=exception_id,
        outcome=outcome,
    )


TOOLS = (
    list_shipments,
    list_customer_exceptions,
    open_carrier_exception,
    resolve_carrier_exception,
)
