import json
from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

RETAIL = load_domain("retail")


@pytest.fixture
def shop(database_choice: str) -> Iterator[Desk]:
    """The shop's desk as the seed leaves it, on Wednesday 2026-01-28 at ten."""
    yield from open_desk(RETAIL, database_choice)


def test_a_replacement_is_an_order_of_its_own_and_takes_from_stock(shop: Desk) -> None:
    made = shop.call(
        "create_replacement",
        order_number="ORD-48110",
        line=1,
        quantity=1,
        reason_code="RPL-LOST",
    )
    assert made == {
        "replacement_order": "ORD-50001",
        "line": 1,
        "sku": "POT-EMBER-28",
        "quantity": 1,
        "status": "open",
    }
    assert shop.value("SELECT on_hand FROM variants WHERE sku = 'POT-EMBER-28'") == 6
    assert shop.value("SELECT ship_street FROM orders WHERE number = 'ORD-50001'") == shop.value(
        "SELECT ship_street FROM orders WHERE number = 'ORD-48110'"
    )


def test_further_lines_join_the_replacement_that_was_just_made(shop: Desk) -> None:
    arguments = {"order_number": "ORD-48110", "reason_code": "RPL-LOST"}
    first = shop.call("create_replacement", line=1, quantity=1, **arguments)
    second = shop.call(
        "create_replacement",
        line=3,
        quantity=2,
        replacement_order=first["replacement_order"],
        **arguments,
    )
    assert (second["replacement_order"], second["line"]) == ("ORD-50001", 2)


def test_a_replacement_does_not_join_the_order_of_somebody_else(shop: Desk) -> None:
    said = shop.refused(
        "create_replacement",
        order_number="ORD-48110",
        line=1,
        quantity=1,
        reason_code="RPL-LOST",
        replacement_order="ORD-48101",
    )
    assert said == "ORD-48101 is not a replacement for ORD-48110."


def test_what_is_not_in_stock_is_not_sent_again(shop: Desk) -> None:
    said = shop.refused(
        "create_replacement",
        order_number="ORD-48166",
        line=1,
        quantity=1,
        reason_code="RPL-LOST",
    )
    assert said == "DIN-PORTO-BLU is not in stock: 0 left."


def test_a_refund_never_exceeds_what_is_left_of_a_payment(shop: Desk) -> None:
    arguments = {"payment_id": "PAY-77216", "reason_code": "REF-RETURN"}
    assert "58.80 left" in shop.refused("issue_refund", amount=58.81, **arguments)
    assert shop.call("issue_refund", amount=58.8, **arguments)["amount"] == 58.8
    assert "0.00 left" in shop.refused("issue_refund", amount=0.01, **arguments)


def test_a_refund_of_a_gift_card_payment_goes_back_on_the_card(shop: Desk) -> None:
    shop.call("issue_refund", payment_id="PAY-78405", amount=85.3, reason_code="REF-RETURN")
    assert shop.call("list_gift_cards", customer_id="CUS-1231")[1]["balance"] == 85.3


def test_an_expired_gift_card_takes_no_money(shop: Desk) -> None:
    said = shop.refused("issue_refund", payment_id="PAY-78449", amount=10, reason_code="REF-RETURN")
    assert said == "The gift card GFT-5405 is expired and takes no money."


def test_an_authorisation_cannot_be_refunded(shop: Desk) -> None:
    said = shop.refused("issue_refund", payment_id="PAY-78607", amount=10, reason_code="REF-CANCEL")
    assert said == "PAY-78607 is authorised: there is nothing to give back."


def test_cancelling_a_part_keeps_the_line_open_and_restocks(shop: Desk) -> None:
    arguments = {"order_number": "ORD-48629", "line": 1, "reason_code": "CXL-ORDER-ERROR"}
    assert shop.call("cancel_order_line", quantity=3, **arguments)["status"] == "open"
    assert shop.value("SELECT on_hand FROM variants WHERE sku = 'TOW-TIDE-L'") == 47
    assert "Only 1" in shop.refused("cancel_order_line", quantity=2, **arguments)
    assert shop.call("cancel_order_line", quantity=1, **arguments)["status"] == "cancelled"


def test_no_more_comes_back_than_was_delivered_and_not_returned_yet(shop: Desk) -> None:
    arguments = {"order_number": "ORD-48323", "line": 1, "reason_code": "RSN-SIZE", "label_fee": 0}
    assert "Only 2 of line 1" in shop.refused("create_return", quantity=3, **arguments)
    assert shop.call("create_return", quantity=2, **arguments)["id"] == "RMA-3001"


def test_a_return_is_settled_once_and_only_after_it_was_received(shop: Desk) -> None:
    shop.call("settle_return", return_id="RMA-2414", decision="accepted")
    said = shop.refused("settle_return", return_id="RMA-2414", decision="rejected")
    assert said == "RMA-2414 is accepted; only a received one is settled."
    assert "only a received" in shop.refused(
        "settle_return", return_id="RMA-2441", decision="accepted"
    )


def test_an_exception_is_resolved_once(shop: Desk) -> None:
    opened = shop.call(
        "open_carrier_exception", shipment_id="SHP-68127", exception_code="EXC-DELAY"
    )
    shop.call("resolve_carrier_exception", exception_id=opened["id"], outcome="OUT-DELIVERED")
    said = shop.refused(
        "resolve_carrier_exception", exception_id=opened["id"], outcome="OUT-NO-FAULT"
    )
    assert said == f"Exception {opened['id']} was resolved with OUT-DELIVERED."


def test_only_a_repair_leaves_a_warranty_claim_open(shop: Desk) -> None:
    arguments = {"order_number": "ORD-49002", "line": 1, "fault_code": "FLT-DEFECT"}
    states = {
        remedy: shop.call("open_warranty_claim", remedy=remedy, **arguments)["status"]
        for remedy in ("repair", "replacement", "refund", "none")
    }
    assert states == {
        "repair": "open",
        "replacement": "replaced",
        "refund": "refunded",
        "none": "rejected",
    }


def test_codes_of_another_kind_are_refused_with_the_right_ones(shop: Desk) -> None:
    said = shop.refused(
        "open_carrier_exception", shipment_id="SHP-68127", exception_code="RSN-DAMAGED"
    )
    assert "EXC-ADDRESS, EXC-DAMAGED, EXC-DELAY, EXC-LOST, EXC-MISDELIVERED" in said


def test_no_tool_shows_what_verifies_a_customer(shop: Desk) -> None:
    shown = json.dumps(
        [
            shop.call("get_customer", customer_id="CUS-1201"),
            shop.call("find_customers", name="Solberg"),
            shop.call("find_orders", customer_id="CUS-1201"),
        ]
    )
    assert "1984-06-02" not in shown
    assert "04109" not in shown
