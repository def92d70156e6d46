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


def p_value(p: float) -> str:
    """A p value to two digits, so that two reports of one test say the same."""
    return "< 0.0001" if p < 0.0001 else f"= {p:.2g}"


def money(amount: float | None, currency: str) -> str:
    """An amount in cents, or to three digits where it is less; n/a where it is not known."""
    if amount is None:
        return "n/a"
    sign = {"USD": "$", "EUR": "€", "GBP": "£"}.get(currency)
    decimals = 2 if amount <= 0 else max(2, 2 - math.floor(math.log10(amount)))
    digits = f"{amount:,.{decimals}f}"
    return f"{sign}{digits}" if sign else f"{digits} {currency}".strip()
