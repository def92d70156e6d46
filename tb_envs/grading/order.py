"""What must come first among an episode's writes: the proof of who asks."""

from collections.abc import Sequence

from tb_envs.episode import Change
from tb_envs.grading.values import describe, mismatches
from tb_envs.outcome import CheckResult
from tb_envs.specs.models import Verification

NAME = "nothing was changed before the requester was verified"


def grade_order(changes: Sequence[Change], verification: Verification | None) -> list[CheckResult]:
    """Grade the order of net changes; nothing to grade where no check of a person has passed.

    Whether one had to pass is for the task's own checks to say.
    """
    if verification is None:
        return []
    passed = [change.at for change in changes if _verifies(change, verification)]
    if not passed:
        return []
    early = sorted(
        {change.table for change in changes if _precedes(change, min(passed), verification)}
    )
    return [
        CheckResult(
            kind="check",
            name=NAME,
            passed=not early,
            reason=f"changed first: {', '.join(early)}" if early else "",
            expected=f"{verification.table}({describe(verification.row)}) first",
            actual=", ".join(early),
        )
    ]


def _verifies(change: Change, verification: Verification) -> bool:
    return (
        change.table == verification.table
        and change.after is not None
        and not mismatches(verification.row, change.after)
    )


def _precedes(change: Change, verified_at: int, verification: Verification) -> bool:
    if change.table in (verification.table, *verification.may_precede):
        return False
    if change.table in verification.may_begin_before:
        return 0 < change.last_at < verified_at
    return change.at < verified_at
