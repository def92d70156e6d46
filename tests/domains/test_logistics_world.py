import pytest

from tests.domains.conftest import Desk
from tests.domains.test_logistics_tools import parcels as parcels


def test_the_world_has_the_size_of_a_small_company(parcels: Desk) -> None:
    names = [
        row["relname"]
        for row in parcels.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: parcels.value(f"SELECT count(*) FROM {name}") for name in names}
    assert 12 <= len(names) <= 30
    assert [name for name, count in counts.items() if count == 0] == ["identity_checks"]
    assert 300 <= sum(counts.values()) <= 1500


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("customers", "customer_status"),
        ("contracts", "contract_status"),
        ("shops", "shop_status"),
        ("shipments", "shipment_status"),
        ("customs_entries", "entry_status"),
        ("traces", "trace_status"),
        ("claims", "claim_status"),
        ("pickups", "pickup_status"),
        ("invoices", "freight_invoice_status"),
        ("tickets", "ticket_status"),
    ],
)
def test_every_status_occurs(parcels: Desk, table: str, kind: str) -> None:
    missing = parcels.rows(
        f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
        f" WHERE value NOT IN (SELECT status FROM {table})"
    )
    assert missing == []


def test_shipments_have_parcels_and_those_under_way_today_a_stop(parcels: Desk) -> None:
    assert not parcels.rows(
        "SELECT id FROM shipments WHERE NOT EXISTS (SELECT FROM parcels"
        " WHERE shipment_id = shipments.id)"
    )
    assert not parcels.rows(
        "SELECT id FROM shipments WHERE (status = 'out_for_delivery') <> EXISTS"
        " (SELECT FROM stops WHERE shipment_id = shipments.id)"
    )


def test_shops_lie_in_an_area_that_has_a_depot(parcels: Desk) -> None:
    assert not parcels.rows(
        "SELECT id FROM shops WHERE left(postal_code, 2) NOT IN (SELECT area FROM depots)"
    )


def test_a_contract_has_one_owner_and_three_dispatchers_at_most(parcels: Desk) -> None:
    assert not parcels.rows(
        "SELECT contract_id FROM contract_contacts GROUP BY contract_id HAVING"
        " count(*) FILTER (WHERE role = 'owner') <> 1"
        " OR count(*) FILTER (WHERE role = 'dispatcher') > 3"
    )


def test_nothing_happened_after_now(parcels: Desk) -> None:
    for table, column in (
        ("shipments", "handed_over_on"),
        ("shipments", "delivered_on"),
        ("scans", "scanned_at"),
        ("attempts", "attempted_on"),
        ("documents", "received_on"),
        ("customs_entries", "assessed_on"),
        ("traces", "opened_on"),
        ("claims", "opened_on"),
        ("invoices", "issued_on"),
        ("credits", "created_at"),
        ("tickets", "created_at"),
    ):
        late = parcels.value(f"SELECT count(*) FROM {table}, clock WHERE {column} > now")
        assert late == 0, (table, column)


def test_a_shipment_is_scanned_between_its_hand_over_and_its_delivery(parcels: Desk) -> None:
    assert not parcels.rows("SELECT id FROM shipments WHERE delivered_on < handed_over_on")
    assert not parcels.rows(
        "SELECT shipment_id FROM scans JOIN shipments ON shipments.id = shipment_id"
        " WHERE scanned_at::date NOT BETWEEN handed_over_on AND coalesce(delivered_on, 'infinity')"
    )
    assert not parcels.rows(
        "SELECT shipment_id FROM attempts JOIN shipments ON shipments.id = shipment_id"
        " WHERE attempted_on NOT BETWEEN handed_over_on AND coalesce(delivered_on, 'infinity')"
    )


def test_an_invoice_charges_for_what_was_handed_over_before_it(parcels: Desk) -> None:
    assert not parcels.rows(
        "SELECT invoice_id, line FROM invoice_lines JOIN invoices ON invoices.id = invoice_id"
        " JOIN shipments ON shipments.id = shipment_id"
        " WHERE coalesce(handed_over_on, 'infinity') > issued_on"
    )
