"""Cards: their status, replacements, limits and travel notices."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.domains.neobank.accounts import Money
from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

CARD_LIFE = dt.timedelta(days=1461)


@tool
def list_cards(db: Db, account_id: str | None = None, holder_id: str | None = None) -> list[Row]:
    """List cards with their limits and travel notices, the newest first.

    Args:
        account_id: Only cards of this account.
        holder_id: Only cards of this customer.
    """
    if account_id is None and holder_id is None:
        raise ToolRefusal("Give account_id or holder_id.")
    cards = db.all(
        "SELECT id, account_id, holder_id, kind, last_four, status, block_reason, monthly_limit,"
        " atm_limit, limit_until, limits_changed_on, ordered_on, expires_on, replaces,"
        " replacement_reason FROM cards"
        " WHERE (%(account)s::text IS NULL OR account_id = %(account)s)"
        " AND (%(holder)s::text IS NULL OR holder_id = %(holder)s)"
        " ORDER BY ordered_on DESC, id LIMIT 25",
        account=account_id,
        holder=holder_id,
    )
    for card in cards:
        card["travel_notices"] = db.all(
            "SELECT id, country, starts_on, ends_on FROM travel_notices WHERE card_id = %(id)s"
            " ORDER BY starts_on, id",
            id=card["id"],
        )
    return cards


@tool(writes=True)
def lock_card(db: Db, card_id: str) -> Row:
    """Lock a card for the time being; its holder can unlock it in the app.

    Args:
        card_id: The card, such as CRD-5104.
    """
    return db.require(
        f"{card_id} is not an active card.",
        "UPDATE cards SET status = 'locked' WHERE id = %(id)s AND status = 'active'"
        " RETURNING id, status",
        id=card_id,
    )


@tool(writes=True)
def block_card(db: Db, card_id: str, reason_code: str) -> Row:
    """Block a card for good. It orders no new one.

    Args:
        card_id: The card, such as CRD-5104.
        reason_code: A BLK code.
    """
    require_code(db, reason_code, "BLK")
    card = _lock_row(db, card_id)
    if card["status"] in ("blocked", "expired"):
        raise ToolRefusal(f"{card_id} is {card['status']} already.")
    return db.require(
        "The card could not be blocked.",
        "UPDATE cards SET status = 'blocked', block_reason = %(reason)s WHERE id = %(id)s"
        " RETURNING id, status, block_reason",
        id=card_id,
        reason=reason_code,
    )


@tool(writes=True)
def order_card(
    db: Db,
    card_id: str,
    reason_code: str,
    fee: Annotated[Decimal, Field(ge=0, le=100, decimal_places=2)],
) -> Row:
    """Order a new card in the place of another one, with the same limits. It blocks nothing.

    Args:
        card_id: The card that is replaced, such as CRD-5104.
        reason_code: A BLK code: why it is replaced.
        fee: What is charged to the account; 0 for nothing.
    """
    require_code(db, reason_code, "BLK")
    _lock_row(db, card_id)
    made = db.require(
        "The card could not be ordered.",
        "INSERT INTO cards (account_id, holder_id, kind, monthly_limit, atm_limit, expires_on,"
        " replaces, replacement_reason) SELECT account_id, holder_id, kind, monthly_limit,"
        " atm_limit, (clock_now() + %(life)s)::date, id, %(reason)s FROM cards WHERE id = %(id)s"
        " RETURNING id, account_id, holder_id, status, expires_on, replaces, replacement_reason",
        id=card_id,
        reason=reason_code,
        life=CARD_LIFE,
    )
    if fee > 0:
        db.execute(
            "INSERT INTO fees (account_id, fee_type, amount, about)"
            " VALUES (%(account)s, 'CHG-CARD', %(fee)s, %(card)s)",
            account=made["account_id"],
            fee=fee,
            card=made["id"],
        )
    return made


@tool(writes=True)
def set_card_limit(
    db: Db,
    card_id: str,
    limit_kind: Literal["monthly", "atm"],
    amount: Money,
    valid_until: dt.date | None = None,
    approval_id: str | None = None,
) -> Row:
    """Set what can be spent with a card in a month, or drawn in cash on a day.

    Args:
        card_id: The card, such as CRD-5104.
        limit_kind: "monthly" for all spending, "atm" for daily cash.
        amount: The new limit.
        valid_until: The last day of a temporary limit; without it the limit stays.
        approval_id: The approval that covers it, such as APR-2107.
    """
    card = _lock_row(db, card_id)
    if card["status"] in ("blocked", "expired"):
        raise ToolRefusal(f"{card_id} is {card['status']}; its limits cannot change.")
    return db.require(
        "The limit could not be set.",
        "UPDATE cards SET"
        " monthly_limit = CASE WHEN %(monthly)s THEN %(amount)s ELSE monthly_limit END,"
        " atm_limit = CASE WHEN %(monthly)s THEN atm_limit ELSE %(amount)s END,"
        " limit_until = %(valid_until)s, limits_changed_on = clock_now()::date,"
        " limit_approval = %(approval)s WHERE id = %(id)s"
        " RETURNING id, monthly_limit, atm_limit, limit_until",
        id=card_id,
        monthly=limit_kind == "monthly",
        amount=amount,
        valid_until=valid_until,
        approval=approval_id,
    )


@tool(writes=True)
def add_travel_notice(
    db: Db,
    card_id: str,
    country: Annotated[str, Field(pattern="^[A-Z]{2}$")],
    starts_on: dt.date,
    ends_on: dt.date,
) -> Row:
    """Note that a card will be used abroad.

    Args:
        card_id: The card, such as CRD-5104.
        country: Two letters, such as JP.
        starts_on: The first day.
        ends_on: The last day.
    """
    _lock_row(db, card_id)
    return db.require(
        "The notice could not be made.",
        "INSERT INTO travel_notices (card_id, country, starts_on, ends_on)"
        " VALUES (%(card)s, %(country)s, %(starts_on)s, %(ends_on)s)"
        " RETURNING id, card_id, country, starts_on, ends_on",
        card=card_id,
        country=country,
        starts_on=starts_on,
        ends_on=ends_on,
    )


def _lock_row(db: Db, card_id: str) -> Row:
    return db.require(
        f"There is no card {card_id}.",
        "SELECT status FROM cards WHERE id = %(id)s FOR UPDATE",
        id=card_id,
    )


TOOLS = (list_cards, lock_card, block_card, order_card, set_card_limit, add_travel_notice)
