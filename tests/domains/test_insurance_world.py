import re

import pytest

from tb_envs.specs import load_domain
from tb_envs.specs.catalog import all_tasks
from tests.domains.conftest import Desk
from tests.domains.test_insurance_tools import insurer as insurer

INSURANCE = load_domain("insurance")
TASKS = all_tasks(domain="insurance")
RULES = [int(number) for number in re.findall(r"^(\d+)\. ", INSURANCE.policy, re.MULTILINE)]


def test_the_world_has_the_size_of_a_small_company(insurer: Desk) -> None:
    names = [
        row["relname"]
        for row in insurer.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: insurer.value(f"SELECT count(*) FROM {name}") for name in names}
    assert len(names) == 23
    assert [name for name, count in counts.items() if count == 0] == [
        "ticket_comments",
        "identity_checks",
    ]
    assert 300 <= sum(counts.values()) <= 1500


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("policies", "policy_status"),
        ("drivers", "driver_status"),
        ("claims", "claim_status"),
        ("estimates", "estimate_status"),
        ("invoices", "invoice_status"),
        ("claim_payments", "claim_payment_status"),
        ("rentals", "rental_status"),
        ("recoveries", "recovery_status"),
        ("instalments", "instalment_status"),
        ("referrals", "referral_status"),
        ("approval_requests", "approval_status"),
        ("tickets", "ticket_status"),
        ("customers", "customer_status"),
    ],
)
def test_every_status_occurs(insurer: Desk, table: str, kind: str) -> None:
    missing = insurer.rows(
        f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
        f" WHERE value NOT IN (SELECT status FROM {table})"
    )
    assert missing == []


def test_claims_are_about_vehicles_of_their_policies(insurer: Desk) -> None:
    assert not insurer.rows(
        "SELECT number FROM claims JOIN vehicles ON vehicles.id = vehicle_id"
        " WHERE vehicles.policy_number <> claims.policy_number"
    )


def test_no_claim_was_paid_beyond_its_reserve(insurer: Desk) -> None:
    assert not insurer.rows(
        "SELECT number FROM claims JOIN claim_payments ON claim_number = number"
        " WHERE claim_payments.status <> 'stopped' GROUP BY number, reserve"
        " HAVING sum(amount) > reserve"
    )


def test_bills_are_paid_exactly_when_a_payment_names_them(insurer: Desk) -> None:
    assert not insurer.rows(
        "SELECT id FROM invoices WHERE (status = 'paid') <> EXISTS (SELECT FROM claim_payments"
        " WHERE invoice_id = invoices.id AND status <> 'stopped')"
    )


def test_lapses_stand_in_the_endorsements(insurer: Desk) -> None:
    assert not insurer.rows(
        "SELECT number FROM policies WHERE status = 'lapsed' AND NOT EXISTS (SELECT FROM"
        " endorsements WHERE policy_number = number AND code = 'CHG-LAPSED'"
        " AND endorsements.effective_on = lapsed_on)"
    )


def test_nothing_happened_after_now(insurer: Desk) -> None:
    for table, column in (
        ("claims", "loss_on"),
        ("claims", "reported_at"),
        ("claims", "closed_at"),
        ("claim_payments", "issued_at"),
        ("invoices", "received_on"),
        ("estimates", "submitted_on"),
        ("instalments", "paid_on"),
        ("endorsements", "created_at"),
        ("approval_requests", "decided_at"),
    ):
        late = insurer.value(f"SELECT count(*) FROM {table}, clock WHERE {column} > now")
        assert late == 0, (table, column)


def test_every_rule_is_cited_by_a_check() -> None:
    cited = {
        int(number)
        for task in TASKS
        for check in task.variant.expect.checks
        for number in re.findall(r"\d+", check.because.split(":")[0])
    }
    assert set(RULES) - cited == set()
