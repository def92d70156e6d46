import re
from typing import Any

import pytest

from tb_envs.specs import load_domain
from tb_envs.specs.catalog import all_tasks
from tb_envs.tools import load_toolset
from tests.domains.conftest import Desk
from tests.domains.test_retail_tools import shop as shop

RETAIL = load_domain("retail")
TASKS = all_tasks(domain="retail")
RULES = [int(number) for number in re.findall(r"^(\d+)\. ", RETAIL.policy, re.MULTILINE)]


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


def test_rules_are_numbered_without_gaps() -> None:
    assert list(range(1, len(RULES) + 1)) == RULES
    assert 40 <= len(RULES) <= 80


def test_every_code_that_the_policy_names_exists(shop: Desk) -> None:
    named = set(
        re.findall(
            r"\b(?:TEAM|HOLD|RES|APV|REF|RPL|RSN|CXL|EXC|OUT|FLT|MSG)-[A-Z-]+\b", RETAIL.policy
        )
    )
    known = {row["code"] for row in shop.rows("SELECT code FROM codes")}
    assert named - known == set()


def test_the_policy_names_no_tool() -> None:
    tools = {tool.name for tool in load_toolset(RETAIL.toolsets)}
    assert not [name for name in tools if name in RETAIL.policy]


def test_every_writing_tool_is_called_by_some_oracle() -> None:
    writing = {tool.name for tool in load_toolset(RETAIL.toolsets) if tool.writes}
    called = {step.call for task in TASKS for step in task.variant.oracle}
    assert writing - called == set()


def test_families_differ_in_their_right_ends() -> None:
    families: dict[str, list[Any]] = {}
    for task in TASKS:
        families.setdefault(task.family, []).append(task.variant.right_end)
    few = {name: ends for name, ends in families.items() if len(set(ends)) < 3}
    assert few == {}


def test_half_of_the_tasks_take_ten_calls_or_more() -> None:
    calls = sorted(sum(step.call is not None for step in task.variant.oracle) for task in TASKS)
    assert calls[len(calls) // 2] >= 10
    assert sum(count >= 12 for count in calls) >= len(calls) / 10


def test_every_task_has_at_least_two_traps() -> None:
    assert [task.id for task in TASKS if len(task.variant.traps) < 2] == []
