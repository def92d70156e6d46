import pytest

from tests.domains.conftest import Desk
from tests.domains.test_retail_tools import shop as shop


def test_the_world_has_the_size_of_a_small_company(shop: Desk) -> None:
    names = [
        row["relname"]
        for row in shop.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: shop.value(f"SELECT count(*) FROM {name}") for name in names}
    assert 12 <= len(names) <= 22
    assert [name for name, count in counts.items() if count == 0] == ["identity_checks"]
    assert 300 <= sum(counts.values()) <= 1500


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("shipments", "shipment_status"),
        ("order_lines", "line_status"),
        ("payments", "payment_status"),
        ("returns", "return_status"),
        ("refunds", "refund_status"),
        ("gift_cards", "gift_card_status"),
        ("tickets", "ticket_status"),
        ("customers", "customer_status"),
        ("carrier_exceptions", "exception_status"),
    ],
)
def test_every_status_occurs(shop: Desk, table: str, kind: str) -> None:
    missing = shop.rows(
        f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
        f" WHERE value NOT IN (SELECT status FROM {table})"
    )
    assert missing == []


def test_payments_add_up_to_what_was_ordered_but_for_the_two_charged_twice(shop: Desk) -> None:
    odd = shop.rows(
        "SELECT number FROM orders WHERE kind = 'sale' AND shipping_fee"
        " + (SELECT sum((unit_price - unit_discount) * quantity) FROM order_lines"
        "    WHERE order_number = number)"
        " <> (SELECT sum(amount) FROM payments WHERE order_number = number AND status <> 'failed')"
        " ORDER BY 1"
    )
    # ORD-49215 has an authorisation beside its charge.
    assert [row["number"] for row in odd] == ["ORD-49204", "ORD-49215", "ORD-49262"]


def test_no_payment_was_given_back_more_than_once(shop: Desk) -> None:
    assert not shop.rows(
        "SELECT payment_id FROM refunds JOIN payments ON payments.id = payment_id"
        " WHERE refunds.status <> 'failed' GROUP BY payment_id, payments.amount"
        " HAVING sum(refunds.amount) > payments.amount"
    )


def test_nothing_happened_after_now(shop: Desk) -> None:
    for table, column in (
        ("orders", "placed_at"),
        ("shipments", "delivered_at"),
        ("shipments", "last_scan_at"),
        ("returns", "received_at"),
        ("carrier_exceptions", "opened_at"),
        ("payments", "paid_at"),
    ):
        late = shop.value(f"SELECT count(*) FROM {table}, clock WHERE {column} > now")
        assert late == 0, (table, column)
