from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

LOGISTICS = load_domain("logistics")
MOVING = "SELECT id FROM shipments WHERE status = 'in_transit' ORDER BY id LIMIT 1"


@pytest.fixture
def parcels(database_choice: str) -> Iterator[Desk]:
    """The parcel desk as the seed leaves it, on Wednesday 2026-09-16 at ten."""
    yield from open_desk(LOGISTICS, database_choice)


def test_an_address_is_counted_and_billed(parcels: Desk) -> None:
    made = parcels.call(
        "correct_address",
        shipment_id=parcels.value(MOVING),
        street="Am Markt 1",
        postal_code="50667",
        city="Köln",
        fee=4.5,
    )
    assert made["address_corrections"] == 1
    assert parcels.changed() == [("insert", "fees"), ("update", "shipments")]


def test_what_was_delivered_cannot_change(parcels: Desk) -> None:
    gone = parcels.value("SELECT id FROM shipments WHERE status = 'delivered' ORDER BY id LIMIT 1")
    said = parcels.refused("hold_shipment", shipment_id=gone, until="2026-09-20")
    assert said.startswith(f"{gone} is delivered; only announced,")


def test_a_closed_shop_takes_nothing(parcels: Desk) -> None:
    said = parcels.refused("redirect_to_shop", shipment_id=parcels.value(MOVING), shop_id="PSH-103")
    assert said == "PSH-103 is closed; choose an open parcel shop."


def test_a_new_day_lets_a_held_shipment_go(parcels: Desk) -> None:
    held = parcels.value("SELECT id FROM shipments WHERE status = 'held' ORDER BY id LIMIT 1")
    made = parcels.call("schedule_delivery", shipment_id=held, deliver_on="2026-09-18")
    assert (made["status"], made["deliver_on"]) == ("in_transit", "2026-09-18")


def test_days_that_have_passed_are_refused(parcels: Desk) -> None:
    said = parcels.refused(
        "schedule_delivery", shipment_id=parcels.value(MOVING), deliver_on="2026-09-15"
    )
    assert said == "2026-09-15 has passed; today is 2026-09-16."


def test_customs_takes_only_papers_of_the_shipment(parcels: Desk) -> None:
    entry = parcels.rows(
        "SELECT customs_entries.id, documents.id AS other FROM customs_entries JOIN documents"
        " ON documents.shipment_id <> customs_entries.shipment_id"
        " WHERE status = 'waiting_papers' ORDER BY 1, 2 LIMIT 1"
    )[0]
    said = parcels.refused("submit_customs_paper", entry_id=entry["id"], document_id=entry["other"])
    assert said.startswith(f"{entry['other']} is no document of MFL-")


def test_a_claim_is_settled_once(parcels: Desk) -> None:
    claim = parcels.call(
        "open_claim", shipment_id=parcels.value(MOVING), claim_code="CLM-LOSS", amount=80
    )
    assert claim["id"] == "CLA-8001"
    assert parcels.call("pay_claim", claim_id="CLA-8001", amount=80)["status"] == "paid"
    said = parcels.refused("reject_claim", claim_id="CLA-8001", reject_code="REJ-PACKING")
    assert said == "CLA-8001 is paid; only an open claim can be settled."


def test_no_more_is_credited_than_was_charged(parcels: Desk) -> None:
    line = parcels.rows(
        "SELECT contract_id, invoice_id, line, amount FROM invoice_lines"
        " JOIN invoices ON id = invoice_id ORDER BY invoice_id, line LIMIT 1"
    )[0]
    said = parcels.refused(
        "issue_credit",
        contract_id=line["contract_id"],
        reference=line["invoice_id"],
        line=line["line"],
        amount=float(line["amount"]) + 1,
        reason_code="CRD-SURCHARGE",
    )
    assert said.startswith(f"Only {line['amount']} was charged there;")


def test_nobody_collects_on_sundays(parcels: Desk) -> None:
    said = parcels.refused(
        "book_pickup",
        contract_id="CTR-311",
        pickup_on="2026-09-20",
        slot="am",
        parcels=5,
        fee=0,
    )
    assert said == "2026-09-20 is a Sunday or has passed; today is 2026-09-16."


def test_a_list_needs_something_to_look_for(parcels: Desk) -> None:
    assert "Give at least one of" in parcels.refused("find_shipments")
    assert "Give a postal_code or a city." in parcels.refused("find_shops")
