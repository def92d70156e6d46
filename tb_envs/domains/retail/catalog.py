"""What the shop sells, what is in stock, and its promotions. Reading only."""

from typing import Annotated

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def find_products(
    db: Db,
    name: str | None = None,
    sku: str | None = None,
    product_id: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List variants of products with today's price and stock. All criteria given must match.

    Products of different years or makers can have nearly the same name.

    Args:
        name: A part of the product's name.
        sku: The variant's article number, such as KET-GLASS-17.
        product_id: The product, such as PRD-114.
        limit: How many to return at most.
    """
    if name is None and sku is None and product_id is None:
        raise ToolRefusal("Give at least one of name, sku and product_id.")
    return db.all(
        "SELECT sku, product_id, name, brand, variant, category, return_class, warranty_months,"
        " price, on_hand, restock_on, discontinued FROM variants JOIN products"
        " ON products.id = product_id"
        " WHERE (%(name)s::text IS NULL OR strpos(lower(name), lower(%(name)s)) > 0)"
        " AND (%(sku)s::text IS NULL OR sku = upper(%(sku)s))"
        " AND (%(product_id)s::text IS NULL OR product_id = %(product_id)s)"
        " ORDER BY name, sku LIMIT %(limit)s",
        name=name,
        sku=sku,
        product_id=product_id,
        limit=limit,
    )


@tool
def get_promotion(db: Db, code: str) -> Row:
    """Show a promotion: what it gives, to whom, and when.

    Args:
        code: The code that customers type in, such as WINTER10.
    """
    return db.require(
        f"There is no promotion {code}.",
        "SELECT code, description, kind, value, minimum_subtotal, category, tiers,"
        " once_per_customer, starts_on, ends_on FROM promotions WHERE code = upper(%(code)s)",
        code=code,
    )


TOOLS = (find_products, get_promotion)
