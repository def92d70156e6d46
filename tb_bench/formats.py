"""Numbers as people read them, the same in every report."""

import math

from tb_bench.metrics import Estimate


def percent(share: float) -> str:
    """A share as percent with one decimal."""
    return f"{share:.1%}"


def points(change: float) -> str:
    """A difference of shares in percentage points, signed."""
    return f"{change * 100:+.1f}"


def interval(estimate: Estimate) -> str:
    """The bounds of a share's interval, or nothing where there are none."""
    if math.isnan(estimate.low):
        return ""
    return f"{estimate.low * 100:.1f} to {estimate.high * 100:.1f}"


def points_interval(estimate: Estimate) -> str:
    """The bounds of a difference's interval in points, signed, or nothing."""
    if math.isnan(estimate.low):
        return ""
    return f"{points(estimate.low)} to {points(estimate.high)}"


def money(amount: float | None, currency: str) -> str:
    """An amount with the digits that matter, or n/a where it is not known."""
    if amount is None:
        return "n/a"
    sign = {"USD": "$", "EUR": "€", "GBP": "£"}.get(currency)
    digits = f"{amount:,.2f}" if amount >= 1 else f"{amount:.3f}"
    return f"{sign}{digits}" if sign else f"{digits} {currency}".strip()
