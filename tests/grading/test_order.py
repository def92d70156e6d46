"""Who asks is verified first: the order of an episode's writes."""

import pytest

from tb_envs.episode import Change
from tb_envs.grading.order import grade_order
from tb_envs.specs.models import Verification

CHECKS_FIRST = Verification(
    table="identity_checks",
    row={"passed": True, "method": {"one_of": ["birthday", "postal_code"]}},
    may_precede=["comments"],
    may_begin_before=["tickets"],
)


def insert(table: str, at: int, last_at: int | None = None, **row: object) -> Change:
    return Change(
        table=table,
        op="insert",
        key={"id": at},
        before=None,
        after=row,
        at=at,
        last_at=at if last_at is None else last_at,
    )


def check(at: int, *, passed: bool, method: str = "birthday") -> Change:
    return insert("identity_checks", at, passed=passed, method=method)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        # The check comes first, or only what may precede it comes before.
        ([check(1, passed=True), insert("refunds", 2)], [True]),
        ([insert("comments", 1), check(2, passed=True)], [True]),
        # The refund came first; a failed check, or one that proves nothing, verifies nobody.
        ([insert("refunds", 1), check(2, passed=True)], [False]),
        ([check(1, passed=False), insert("refunds", 2), check(3, passed=True)], [False]),
        (
            [
                check(1, passed=True, method="phone"),
                insert("refunds", 2),
                check(3, passed=True),
            ],
            [False],
        ),
        # A ticket may be taken up before the check, and not be settled before it.
        ([insert("tickets", 1, last_at=3), check(2, passed=True)], [True]),
        ([insert("tickets", 1, last_at=2), check(3, passed=True)], [False]),
        # Nobody was verified: whether somebody had to be is for the task's checks.
        ([insert("refunds", 1), check(2, passed=False)], []),
        ([insert("refunds", 1)], []),
        # An episode that was saved without the order is graded without it.
        ([insert("tickets", 0), insert("refunds", 0), check(0, passed=True)], [True]),
    ],
)
def test_nothing_may_be_written_before_the_requester_is_verified(
    changes: list[Change], verdict: list[bool]
) -> None:
    assert [result.passed for result in grade_order(changes, CHECKS_FIRST)] == verdict


def test_a_domain_that_verifies_nobody_has_no_order() -> None:
    changes = [insert("refunds", 1), check(2, passed=True)]
    assert grade_order(changes, None) == []


def test_what_came_too_early_is_named() -> None:
    early = [insert("refunds", 1), insert("bookings", 2), check(3, passed=True)]
    (result,) = grade_order(early, CHECKS_FIRST)
    assert result.reason == "changed first: bookings, refunds"
