import json
from collections.abc import Iterator

import pytest

from tb_envs.specs import load_domain
from tests.domains.conftest import Desk, open_desk

NEOBANK = load_domain("neobank")


@pytest.fixture
def bank(database_choice: str) -> Iterator[Desk]:
    """The bank's desk as the seed leaves it, on Wednesday 2026-03-18 at half past nine."""
    yield from open_desk(NEOBANK, database_choice)


def card_of(bank: Desk, status: str) -> str:
    """Some card in a status."""
    return str(bank.value(f"SELECT min(id) FROM cards WHERE status = '{status}'"))


def test_a_new_card_takes_over_the_limits_and_charges_its_fee(bank: Desk) -> None:
    card = card_of(bank, "active")
    made = bank.call("order_card", card_id=card, reason_code="BLK-DAMAGED", fee=9.9)
    assert (made["id"], made["status"], made["replaces"]) == ("CRD-9001", "ordered", card)
    limits = "SELECT monthly_limit + atm_limit FROM cards WHERE id = "
    assert bank.value(f"{limits}'CRD-9001'") == bank.value(f"{limits}'{card}'")
    assert bank.rows("SELECT fee_type, amount::text, about FROM fees WHERE id = 'FEE-9001'") == [
        {"fee_type": "CHG-CARD", "amount": "9.90", "about": "CRD-9001"}
    ]
    assert bank.value(f"SELECT status FROM cards WHERE id = '{card}'") == "active"


def test_without_a_fee_a_new_card_charges_nothing(bank: Desk) -> None:
    bank.call("order_card", card_id=card_of(bank, "active"), reason_code="BLK-STOLEN", fee=0)
    assert bank.changed() == [("insert", "cards")]


def test_a_blocked_card_stays_blocked(bank: Desk) -> None:
    card = card_of(bank, "blocked")
    said = bank.refused("block_card", card_id=card, reason_code="BLK-LOST")
    assert said == f"{card} is blocked already."
    assert "cannot change" in bank.refused(
        "set_card_limit", card_id=card, limit_kind="atm", amount=100
    )
    assert bank.refused("lock_card", card_id=card) == f"{card} is not an active card."


def test_a_limit_of_one_kind_leaves_the_other(bank: Desk) -> None:
    card = card_of(bank, "active")
    before = bank.value(f"SELECT monthly_limit FROM cards WHERE id = '{card}'")
    set_ = bank.call("set_card_limit", card_id=card, limit_kind="atm", amount=450)
    assert (set_["atm_limit"], set_["monthly_limit"]) == (450, float(before))


def test_a_charge_has_one_open_dispute(bank: Desk) -> None:
    charge = bank.rows(
        "SELECT transaction_id, amount::float FROM disputes WHERE status = 'open' ORDER BY id"
    )[0]
    said = bank.refused(
        "open_dispute",
        transaction_id=charge["transaction_id"],
        reason_code="DSR-DUPLICATE",
        amount=charge["amount"],
    )
    assert said == f"A dispute about {charge['transaction_id']} is open already."


def test_no_more_is_disputed_than_was_charged(bank: Desk) -> None:
    charge = bank.rows(
        "SELECT id, amount::float FROM card_transactions WHERE amount > 0 AND status = 'settled'"
        " AND id NOT IN (SELECT transaction_id FROM disputes) ORDER BY id"
    )[0]
    arguments = {"transaction_id": charge["id"], "reason_code": "DSR-WRONG-AMOUNT"}
    assert "cannot be disputed" in bank.refused(
        "open_dispute", amount=round(charge["amount"] + 0.01, 2), **arguments
    )
    opened = bank.call("open_dispute", amount=charge["amount"], **arguments)
    assert (opened["id"], opened["provisional_credit"]) == ("DSP-9001", False)


def test_only_scheduled_transfers_are_cancelled_and_only_executed_ones_recalled(
    bank: Desk,
) -> None:
    executed = bank.value(
        "SELECT min(id) FROM transfers WHERE status = 'executed' AND recall_status IS NULL"
    )
    scheduled = bank.value("SELECT min(id) FROM transfers WHERE status = 'scheduled'")
    assert bank.refused("cancel_transfer", transfer_id=executed) == (
        f"{executed} is not a scheduled transfer."
    )
    said = bank.refused(
        "recall_transfer", transfer_id=scheduled, reason_code="RCR-DUPLICATE", fee=8
    )
    assert said == f"{scheduled} is scheduled, its recall none."
    bank.call("recall_transfer", transfer_id=executed, reason_code="RCR-DUPLICATE", fee=8)
    assert bank.changed() == [("insert", "fees"), ("update", "transfers")]
    said = bank.refused("recall_transfer", transfer_id=executed, reason_code="RCR-FRAUD", fee=0)
    assert said == f"{executed} is executed, its recall requested."


def test_returning_a_direct_debit_leaves_its_mandate(bank: Desk) -> None:
    booked = bank.value(
        "SELECT min(collections.id) FROM collections JOIN mandates ON mandates.id = mandate_id"
        " WHERE collections.status = 'booked' AND mandates.status = 'active'"
    )
    bank.call("return_direct_debit", collection_id=booked, reason_code="DDR-OBJECTION")
    assert bank.changed() == [("update", "collections")]
    said = bank.refused("return_direct_debit", collection_id=booked, reason_code="DDR-OBJECTION")
    assert said == f"{booked} is not a booked collection."


def test_a_fee_is_reversed_once(bank: Desk) -> None:
    fee = bank.value("SELECT min(id) FROM fees WHERE reversed_amount = 0 AND amount = 9.90")
    arguments = {"fee_id": fee, "reason_code": "FRV-COURTESY"}
    assert "9.91 cannot be" in bank.refused("reverse_fee", amount=9.91, **arguments)
    assert bank.call("reverse_fee", amount=4, **arguments)["reversed_amount"] == 4
    assert "4.00 was reversed" in bank.refused("reverse_fee", amount=5.9, **arguments)


def test_an_account_closes_after_its_cards_and_with_a_payout(bank: Desk) -> None:
    account = bank.value(
        "SELECT min(accounts.id) FROM accounts JOIN cards ON account_id = accounts.id"
        " WHERE accounts.status = 'active' AND balance > 0 AND cards.status = 'active'"
        " AND (SELECT count(*) FROM cards AS other WHERE other.account_id = accounts.id) = 1"
    )
    arguments = {"account_id": account, "reason_code": "CLS-MOVING"}
    assert bank.refused("close_account", **arguments) == (
        f"1 cards of {account} are not blocked yet."
    )
    card = bank.value(f"SELECT id FROM cards WHERE account_id = '{account}'")
    bank.call("block_card", card_id=card, reason_code="BLK-CLOSED")
    assert "give a payout_iban" in bank.refused("close_account", **arguments)
    closed = bank.call("close_account", payout_iban="AT61 1904 3002 3457 3201", **arguments)
    assert (closed["status"], closed["payout_iban"]) == ("closing", "AT611904300234573201")


def test_a_hold_is_placed_once_and_lifted_once(bank: Desk) -> None:
    account = bank.value("SELECT min(id) FROM accounts WHERE status = 'active'")
    arguments = {"account_id": account, "hold_code": "FRZ-FRAUD", "asked_by": "EMP-107"}
    hold = bank.call("place_account_hold", **arguments)["id"]
    assert bank.refused("place_account_hold", **arguments) == (
        f"FRZ-FRAUD stands on {account} already."
    )
    bank.call("lift_account_hold", hold_id=hold, reason_code="LFT-CLEARED")
    assert bank.refused("lift_account_hold", hold_id=hold, reason_code="LFT-CLEARED") == (
        f"{hold} is not an active hold."
    )


def test_a_completed_review_is_not_touched_again(bank: Desk) -> None:
    review = bank.value("SELECT min(id) FROM kyc_reviews WHERE status = 'completed'")
    for tool, more in (
        ("complete_kyc_review", {"next_due_on": "2031-03-18"}),
        ("request_kyc_documents", {}),
        ("extend_kyc_review", {"due_on": "2026-04-17"}),
    ):
        assert "was completed on" in bank.refused(tool, review_id=review, **more)


def test_redress_goes_with_its_outcome_only(bank: Desk) -> None:
    case = bank.value("SELECT min(id) FROM cases WHERE status = 'open'")
    for outcome, redress in (("OUT-EXPLAINED", 10), ("OUT-REDRESS", None)):
        said = bank.refused("close_case", case_id=case, outcome_code=outcome, redress=redress)
        assert said == "Give a redress with OUT-REDRESS, and only with it."
    assert bank.call("close_case", case_id=case, outcome_code="OUT-REDRESS", redress=10) == {
        "id": case,
        "status": "closed",
        "outcome": "OUT-REDRESS",
        "redress": 10,
    }


def test_a_role_is_recorded_once(bank: Desk) -> None:
    party = bank.rows(
        "SELECT account_id, customer_id FROM account_parties WHERE role = 'attorney'"
        " AND status = 'active' ORDER BY 1, 2"
    )[0]
    said = bank.refused("record_party", role="attorney", **party)
    assert said == (f"{party['customer_id']} stands on {party['account_id']} as attorney already.")
    bank.call("end_party", role="attorney", **party)
    assert "is not an active attorney" in bank.refused("end_party", role="attorney", **party)


def test_the_directory_shows_who_is_away(bank: Desk) -> None:
    found = bank.call("find_employees", team="TEAM-RISK", role="lead")
    assert [(row["full_name"], row["status"]) for row in found] == [("Marek Dvořák", "away")]
    assert bank.refused("find_employees", role="lead") == (
        "Give at least one of email, name and team."
    )


def test_codes_of_another_kind_are_refused_with_the_right_ones(bank: Desk) -> None:
    card = card_of(bank, "active")
    said = bank.refused("block_card", card_id=card, reason_code="DSR-DUPLICATE")
    assert "BLK-CLOSED, BLK-COMPROMISED, BLK-DAMAGED" in said


def test_no_tool_shows_what_verifies_a_customer(bank: Desk) -> None:
    customer = bank.rows("SELECT * FROM customers WHERE full_name = 'Ximena Duarte'")[0]
    account = bank.call("find_accounts", customer_id=customer["id"])[0]["id"]
    shown = json.dumps(
        [
            bank.call("find_customers", name="Duarte"),
            bank.call("get_account", account_id=account),
            bank.call("list_cards", holder_id=customer["id"]),
        ]
    )
    assert str(customer["date_of_birth"]) not in shown
    assert "1070" not in shown
