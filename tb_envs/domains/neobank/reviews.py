"""Reviews of identity, and holds on accounts."""

import datetime as dt

from tb_envs.domains.codes import require_code
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_kyc_reviews(db: Db, customer_id: str) -> list[Row]:
    """List a customer's reviews and what was handed in for them, the newest first.

    Args:
        customer_id: The customer, such as CUS-1204.
    """
    return db.all(
        "SELECT id, risk, status, due_on, extended, id_document, id_expires_on, address_proof_on,"
        " funds_proof_on, next_due_on, settled_on FROM kyc_reviews"
        " WHERE customer_id = %(id)s ORDER BY due_on DESC, id",
        id=customer_id,
    )


@tool(writes=True)
def complete_kyc_review(db: Db, review_id: str, next_due_on: dt.date) -> Row:
    """Complete a review. A hold on an account stays until it is lifted.

    Args:
        review_id: The review, such as KYC-2104.
        next_due_on: When the next review is due.
    """
    _require_unsettled(db, review_id)
    return db.require(
        "The review could not be completed.",
        "UPDATE kyc_reviews SET status = 'completed', next_due_on = %(next)s,"
        " settled_on = clock_now()::date WHERE id = %(id)s RETURNING id, status, next_due_on",
        id=review_id,
        next=next_due_on,
    )


@tool(writes=True)
def request_kyc_documents(db: Db, review_id: str) -> Row:
    """Note on a review that documents are waited for. It sends no message.

    Args:
        review_id: The review, such as KYC-2104.
    """
    _require_unsettled(db, review_id)
    return db.require(
        "The review could not be changed.",
        "UPDATE kyc_reviews SET status = 'documents_requested' WHERE id = %(id)s"
        " RETURNING id, status, due_on",
        id=review_id,
    )


@tool(writes=True)
def extend_kyc_review(db: Db, review_id: str, due_on: dt.date) -> Row:
    """Give a customer more time for a review.

    Args:
        review_id: The review, such as KYC-2104.
        due_on: The new due date.
    """
    _require_unsettled(db, review_id)
    return db.require(
        "The review could not be extended.",
        "UPDATE kyc_reviews SET due_on = %(due_on)s, extended = true WHERE id = %(id)s"
        " RETURNING id, status, due_on, extended",
        id=review_id,
        due_on=due_on,
    )


@tool(writes=True)
def place_account_hold(db: Db, account_id: str, hold_code: str, asked_by: str) -> Row:
    """Keep an account from paying until the hold is lifted.

    Args:
        account_id: The account, such as ACC-3104.
        hold_code: An FRZ code.
        asked_by: The number of the customer or colleague who asked for it.
    """
    require_code(db, hold_code, "FRZ")
    if db.one(
        "SELECT id FROM account_holds WHERE account_id = %(account)s AND code = %(code)s"
        " AND status = 'active'",
        account=account_id,
        code=hold_code,
    ):
        raise ToolRefusal(f"{hold_code} stands on {account_id} already.")
    return db.require(
        f"There is no open account {account_id}.",
        "INSERT INTO account_holds (account_id, code, asked_by) SELECT id, %(code)s, %(asked_by)s"
        " FROM accounts WHERE id = %(account)s AND status <> 'closed'"
        " RETURNING id, account_id, code, status",
        account=account_id,
        code=hold_code,
        asked_by=asked_by,
    )


@tool(writes=True)
def lift_account_hold(
    db: Db, hold_id: str, reason_code: str, approval_id: str | None = None
) -> Row:
    """Lift a hold; the account pays again if no other hold stands on it.

    Args:
        hold_id: The hold, such as HLD-1104.
        reason_code: An LFT code.
        approval_id: The approval that covers it, such as APR-2107.
    """
    require_code(db, reason_code, "LFT")
    return db.require(
        f"{hold_id} is not an active hold.",
        "UPDATE account_holds SET status = 'lifted', lift_reason = %(reason)s,"
        " approval_id = %(approval)s, lifted_at = clock_now()"
        " WHERE id = %(id)s AND status = 'active' RETURNING id, account_id, code, status",
        id=hold_id,
        reason=reason_code,
        approval=approval_id,
    )


def _require_unsettled(db: Db, review_id: str) -> None:
    review = db.require(
        f"There is no review {review_id}.",
        "SELECT status, settled_on FROM kyc_reviews WHERE id = %(id)s FOR UPDATE",
        id=review_id,
    )
    if review["status"] == "completed":
        raise ToolRefusal(f"{review_id} was completed on {review['settled_on']}.")


TOOLS = (
    list_kyc_reviews,
    complete_kyc_review,
    request_kyc_documents,
    extend_kyc_review,
    place_account_hold,
    lift_account_hold,
)
