"""Orders: find them, cancel lines, change where they go, send a replacement."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

OrderKind = Literal["sale", "replacement"]
Line = Annotated[int, Field(ge=1, le=99)]
Quantity = Annotated[int, Field(ge=1, le=99)]


@tool
def find_orders(
    db: Db,
    customer_id: str | None = None,
    gift_recipient_id: str | None = None,
    sku: str | None = None,
    kind: OrderKind | None = None,
    placed_from: dt.date | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List orders, the newest first. All criteria that are given must match.

    Args:
        customer_id: Who placed it, such as CUS-1204.
        gift_recipient_id: The customer to whom it was given.
        sku: Only orders that hold this variant.
        kind: Only sales, or only replacements.
        placed_from: Only orders of this day or later.
        limit: How many to return at most.
    """
    if customer_id is None and gift_recipient_id is None:
        raise ToolRefusal("Give customer_id or gift_recipient_id.")
    return db.all(
        "SELECT number, customer_id, gift_recipient_id, kind, placed_at, promotion_code,"
        " (SELECT array_agg(sku ORDER BY line) FROM order_lines"
        "  WHERE order_number = number) AS skus FROM orders"
        " WHERE (%(customer_id)s::text IS NULL OR customer_id = %(customer_id)s)"
        " AND (%(recipient)s::text IS NULL OR gift_recipient_id = %(recipient)s)"
        " AND (%(kind)s::text IS NULL OR kind = %(kind)s::order_kind)"
        " AND (%(placed_from)s::date IS NULL OR placed_at >= %(placed_from)s)"
        " AND (%(sku)s::text IS NULL OR EXISTS (SELECT FROM order_lines"
        "  WHERE order_number = number AND order_lines.sku = %(sku)s))"
        " ORDER BY placed_at DESC, number LIMIT %(limit)s",
        customer_id=customer_id,
        recipient=gift_recipient_id,
        sku=sku,
        kind=kind,
        placed_from=placed_from,
        limit=limit,
    )


@tool
def get_order(db: Db, order_number: str) -> Row:
    """Show an order with its lines and delivery address, and today's date and time.

    Payments, parcels and returns are listed by their own tools.

    Args:
        order_number: The order, such as ORD-48210.
    """
    order = db.require(
        f"There is no order {order_number}.",
        "SELECT number, customer_id, full_name AS customer_name, gift_recipient_id, kind,"
        " replaces_order, replacement_reason, approval_id, placed_at, shipping_service,"
        " shipping_fee, promotion_code, ship_name, ship_street, ship_postal_code, ship_city,"
        " ship_country, clock_now() AS now FROM orders JOIN customers ON customers.id = customer_id"
        " WHERE number = %(number)s",
        number=order_number,
    )
    order["lines"] = db.all(
        "SELECT line, sku, name, variant, quantity, cancelled_quantity, unit_price, unit_discount,"
        " order_lines.status, shipment_id, cancel_reason FROM order_lines"
        " JOIN variants USING (sku) JOIN products ON products.id = product_id"
        " WHERE order_number = %(number)s ORDER BY line",
        number=order_number,
    )
    return order


@tool(writes=True)
def cancel_order_line(
    db: Db, order_number: str, line: Line, quantity: Quantity, reason_code: str
) -> Row:
    """Cancel a line or a part of its quantity. It refunds nothing by itself.

    Args:
        order_number: The order, such as ORD-48210.
        line: The line's number in the order.
        quantity: How many to cancel.
        reason_code: A CXL code.
    """
    require_code(db, reason_code, "CXL")
    found = _lock_line(db, order_number, line)
    if found["status"] in ("shipped", "delivered", "cancelled"):
        raise ToolRefusal(f"Line {line} of {order_number} is {found['status']}.")
    left = found["quantity"] - found["cancelled_quantity"]
    if quantity > left:
        raise ToolRefusal(f"Only {left} of line {line} are left to cancel.")
    db.execute(
        "UPDATE variants SET on_hand = on_hand + %(quantity)s WHERE sku = %(sku)s",
        quantity=quantity,
        sku=found["sku"],
    )
    return db.require(
        "The line could not be cancelled.",
        "UPDATE order_lines SET cancelled_quantity = cancelled_quantity + %(quantity)s,"
        " cancel_reason = %(reason)s,"
        " status = CASE WHEN %(quantity)s = %(left)s THEN 'cancelled' ELSE status END"
        " WHERE order_number = %(number)s AND line = %(line)s"
        " RETURNING order_number, line, sku, quantity, cancelled_quantity, status",
        number=order_number,
        line=line,
        quantity=quantity,
        left=left,
        reason=reason_code,
    )


@tool(writes=True)
def change_delivery_address(
    db: Db,
    order_number: str,
    name: str,
    street: str,
    postal_code: str,
    city: str,
    country: Annotated[str, Field(pattern="^[A-Z]{2}$")],
) -> Row:
    """Change where an order goes. Give the whole address, also the parts that stay.

    Args:
        order_number: The order, such as ORD-48210.
        name: The name at the door.
        street: Street and house number.
        postal_code: The postal code.
        city: The town.
        country: Two letters, such as DE.
    """
    return db.require(
        f"There is no order {order_number}.",
        "UPDATE orders SET ship_name = %(name)s, ship_street = %(street)s,"
        " ship_postal_code = %(postal_code)s, ship_city = %(city)s, ship_country = %(country)s,"
        " updated_at = clock_now() WHERE number = %(number)s"
        " RETURNING number, ship_name, ship_street, ship_postal_code, ship_city, ship_country",
        number=order_number,
        name=name,
        street=street,
        postal_code=postal_code,
        city=city,
        country=country,
    )


@tool(writes=True)
def create_replacement(
    db: Db,
    order_number: str,
    line: Line,
    quantity: Quantity,
    reason_code: str,
    replacement_order: str | None = None,
    approval_id: str | None = None,
) -> Row:
    """Send an ordered item again, free of charge, to the order's address.

    It makes a replacement order, or adds a line to one that was just made for the same order.

    Args:
        order_number: The order that is replaced, such as ORD-48210.
        line: The line's number in that order.
        quantity: How many to send.
        reason_code: An RPL code.
        replacement_order: The replacement order to add to; a new one if left out.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "RPL")
    found = _lock_line(db, order_number, line)
    if quantity > found["quantity"] - found["cancelled_quantity"]:
        raise ToolRefusal(f"Line {line} of {order_number} does not hold {quantity}.")
    stock = db.require(
        f"There is no variant {found['sku']}.",
        "SELECT on_hand, restock_on FROM variants WHERE sku = %(sku)s FOR UPDATE",
        sku=found["sku"],
    )
    if stock["on_hand"] < quantity:
        raise ToolRefusal(f"{found['sku']} is not in stock: {stock['on_hand']} left.")
    db.execute(
        "UPDATE variants SET on_hand = on_hand - %(quantity)s WHERE sku = %(sku)s",
        quantity=quantity,
        sku=found["sku"],
    )
    number = replacement_order or _new_replacement(db, order_number, reason_code, approval_id)
    return _add_line(db, number, order_number, found["sku"], quantity)


def _new_replacement(db: Db, order_number: str, reason_code: str, approval_id: str | None) -> str:
    made = db.require(
        f"There is no order {order_number}.",
        "INSERT INTO orders (customer_id, gift_recipient_id, kind, replaces_order,"
        " replacement_reason, approval_id, ship_name, ship_street, ship_postal_code, ship_city,"
        " ship_country) SELECT customer_id, gift_recipient_id, 'replacement', number, %(reason)s,"
        " %(approval_id)s, ship_name, ship_street, ship_postal_code, ship_city, ship_country"
        " FROM orders WHERE number = %(number)s RETURNING number",
        number=order_number,
        reason=reason_code,
        approval_id=approval_id,
    )
    return str(made["number"])


def _add_line(db: Db, number: str, order_number: str, sku: str, quantity: int) -> Row:
    db.require(
        f"{number} is not a replacement for {order_number}.",
        "SELECT number FROM orders WHERE number = %(number)s AND replaces_order = %(origin)s"
        " AND placed_at = clock_now()",
        number=number,
        origin=order_number,
    )
    return db.require(
        "The line could not be added.",
        "INSERT INTO order_lines (order_number, line, sku, quantity, unit_price)"
        " SELECT %(number)s, count(*) + 1, %(sku)s, %(quantity)s, 0 FROM order_lines"
        " WHERE order_number = %(number)s"
        " RETURNING order_number AS replacement_order, line, sku, quantity, status",
        number=number,
        sku=sku,
        quantity=quantity,
    )


def _lock_line(db: Db, order_number: str, line: int) -> Row:
    return db.require(
        f"There is no line {line} in {order_number}.",
        "SELECT sku, quantity, cancelled_quantity, status FROM order_lines"
        " WHERE order_number = %(number)s AND line = %(line)s FOR UPDATE",
        number=order_number,
        line=line,
    )


TOOLS = (
    find_orders,
    get_order,
    cancel_order_line,
    change_delivery_address,
    create_replacement,
)
