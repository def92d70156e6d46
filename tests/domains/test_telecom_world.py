import pytest

from tests.domains.conftest import Desk
from tests.domains.test_telecom_tools import care as care


def test_the_world_has_the_size_of_a_small_company(care: Desk) -> None:
    names = [
        row["relname"]
        for row in care.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: care.value(f"SELECT count(*) FROM {name}") for name in names}
    assert 12 <= len(names) <= 26
    assert [name for name, count in counts.items() if count == 0] == ["identity_checks"]
    assert 300 <= sum(counts.values()) <= 1500


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("customers", "customer_status"),
        ("accounts", "account_status"),
        ("subscriptions", "subscription_status"),
        ("sims", "sim_status"),
        ("port_requests", "port_status"),
        ("devices", "device_status"),
        ("invoices", "invoice_status"),
        ("payments", "payment_status"),
        ("visits", "visit_status"),
        ("routers", "router_status"),
        ("tickets", "ticket_status"),
    ],
)
def test_every_status_occurs(care: Desk, table: str, kind: str) -> None:
    missing = care.rows(
        f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
        f" WHERE value NOT IN (SELECT status FROM {table})"
    )
    assert missing == []


def test_invoices_are_the_sum_of_their_lines(care: Desk) -> None:
    assert not care.rows(
        "SELECT invoices.id FROM invoices JOIN invoice_lines ON invoice_id = invoices.id"
        " GROUP BY invoices.id, invoices.amount HAVING sum(invoice_lines.amount) <> invoices.amount"
    )


def test_paid_invoices_have_a_payment_and_overdue_ones_no_settled_one(care: Desk) -> None:
    assert not care.rows(
        "SELECT id FROM invoices WHERE (status = 'paid') <> EXISTS (SELECT FROM payments"
        " WHERE invoice_id = invoices.id AND payments.status = 'settled')"
    )


def test_an_invoice_is_overdue_from_the_day_after_its_due_day(care: Desk) -> None:
    assert not care.rows(
        "SELECT id FROM invoices, clock WHERE status <> 'paid'"
        " AND (status = 'overdue') <> (due_on < now::date)"
    )


def test_every_account_has_one_owner_and_users_have_lines_of_it(care: Desk) -> None:
    assert not care.rows(
        "SELECT id FROM accounts WHERE NOT EXISTS (SELECT FROM account_contacts"
        " WHERE account_id = accounts.id AND role = 'owner')"
    )
    assert not care.rows(
        "SELECT customer_id FROM account_contacts JOIN subscriptions"
        " ON subscriptions.id = subscription_id"
        " WHERE subscriptions.account_id <> account_contacts.account_id"
    )


def test_active_mobile_lines_have_one_active_sim(care: Desk) -> None:
    assert not care.rows(
        "SELECT id FROM subscriptions WHERE kind = 'mobile' AND (status = 'active')"
        " <> EXISTS (SELECT FROM sims WHERE subscription_id = subscriptions.id"
        "  AND sims.status = 'active')"
    )


def test_nothing_happened_after_now(care: Desk) -> None:
    for table, column in (
        ("payments", "paid_at"),
        ("credits", "created_at"),
        ("sims", "issued_at"),
        ("port_requests", "created_at"),
        ("restrictions", "placed_at"),
        ("outages", "started_at"),
        ("outages", "ended_at"),
        ("visits", "booked_at"),
        ("routers", "returned_on"),
        ("invoices", "issued_on"),
        ("tickets", "created_at"),
    ):
        late = care.value(f"SELECT count(*) FROM {table}, clock WHERE {column} > now")
        assert late == 0, (table, column)
