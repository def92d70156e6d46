import re

import pytest

from tb_envs.specs import load_domain
from tb_envs.specs.catalog import all_tasks
from tests.domains.conftest import Desk
from tests.domains.test_neobank_tools import bank as bank

NEOBANK = load_domain("neobank")
TASKS = all_tasks(domain="neobank")
RULES = [int(number) for number in re.findall(r"^(\d+)\. ", NEOBANK.policy, re.MULTILINE)]


def test_the_world_has_the_size_of_a_small_bank(bank: Desk) -> None:
    names = [
        row["relname"]
        for row in bank.rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'clock'"
        )
    ]
    counts = {name: bank.value(f"SELECT count(*) FROM {name}") for name in names}
    assert 12 <= len(names) <= 22
    assert [name for name, count in counts.items() if count == 0] == []
    assert 300 <= sum(counts.values()) <= 1500


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("accounts", "account_status"),
        ("account_parties", "party_status"),
        ("cards", "card_status"),
        ("card_transactions", "transaction_status"),
        ("disputes", "dispute_status"),
        ("transfers", "transfer_status"),
        ("mandates", "mandate_status"),
        ("collections", "collection_status"),
        ("kyc_reviews", "review_status"),
        ("account_holds", "account_hold_status"),
        ("cases", "case_status"),
        ("employees", "employee_status"),
        ("customers", "customer_status"),
        ("tickets", "ticket_status"),
        ("approval_requests", "approval_status"),
    ],
)
def test_every_status_occurs(bank: Desk, table: str, kind: str) -> None:
    missing = bank.rows(
        f"SELECT value FROM unnest(enum_range(NULL::{kind})) AS value"
        f" WHERE value NOT IN (SELECT status FROM {table})"
    )
    assert missing == []


def test_every_account_has_somebody_who_may_ask_for_everything(bank: Desk) -> None:
    assert not bank.rows(
        "SELECT id FROM accounts WHERE NOT EXISTS (SELECT FROM account_parties"
        " WHERE account_id = id AND status = 'active' AND role IN ('owner', 'director'))"
    )
    assert not bank.rows(
        "SELECT id FROM accounts JOIN account_parties ON account_id = id"
        " WHERE (kind = 'business') <> (role IN ('director', 'bookkeeper'))"
        " AND role <> 'attorney'"
    )


def test_every_card_belongs_to_a_party_of_its_account(bank: Desk) -> None:
    assert not bank.rows(
        "SELECT id FROM cards WHERE NOT EXISTS (SELECT FROM account_parties"
        " WHERE account_parties.account_id = cards.account_id AND customer_id = holder_id)"
    )


def test_a_joint_account_has_two_owners(bank: Desk) -> None:
    counts = bank.rows(
        "SELECT DISTINCT count(*) AS owners FROM accounts JOIN account_parties ON account_id = id"
        " WHERE kind = 'joint' AND role = 'owner' GROUP BY id"
    )
    assert counts == [{"owners": 2}]


def test_limits_stay_within_what_the_desk_may_set(bank: Desk) -> None:
    assert not bank.rows(
        "SELECT cards.id FROM cards JOIN customers ON customers.id = holder_id"
        " JOIN accounts ON accounts.id = account_id WHERE accounts.kind <> 'business'"
        " AND monthly_limit > CASE tier WHEN 'basic' THEN 3000 WHEN 'plus' THEN 7500 ELSE 15000 END"
    )


def test_each_team_has_one_lead_and_one_deputy_of_whom_one_is_there(bank: Desk) -> None:
    teams = bank.rows(
        "SELECT code FROM codes WHERE kind = 'TEAM' AND NOT (SELECT"
        " count(*) FILTER (WHERE role = 'lead') = 1 AND count(*) FILTER (WHERE role = 'deputy') = 1"
        " AND bool_or(role = 'deputy' AND employees.status = 'active')"
        " FROM employees WHERE team = code)"
    )
    assert teams == []


def test_nothing_happened_after_now(bank: Desk) -> None:
    for table, column in (
        ("card_transactions", "booked_at"),
        ("disputes", "opened_at"),
        ("account_holds", "placed_at"),
        ("cases", "opened_at"),
        ("approval_requests", "requested_at"),
        ("tickets", "created_at"),
        ("fees", "charged_on"),
        ("cards", "ordered_on"),
    ):
        late = bank.value(f"SELECT count(*) FROM {table}, clock WHERE {column} > now")
        assert late == 0, (table, column)
    booked = bank.value(
        "SELECT count(*) FROM collections, clock WHERE status <> 'upcoming' AND due_on > now::date"
    )
    assert booked == 0


def test_every_section_of_the_policy_is_cited_by_some_check() -> None:
    cited = {
        int(number)
        for task in TASKS
        for check in task.variant.expect.checks
        for number in re.findall(r"\d+", check.because.split(":")[0])
    }
    assert cited <= set(RULES)
    assert len(cited) >= len(RULES) * 3 / 4
