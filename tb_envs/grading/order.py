"""What must come first among an episode's writes: the proof of who asks."""

from collections.abc import Sequence

from tb_envs.episode import Change
from tb_envs.outcome import CheckResult
from tb_envs.specs.models import Verification

NAME = "nothing was changed before the requester was verified"


def grade_order(changes: Sequence[Change], verification: Verification | None) -> list[CheckResult]:
    """Grade the order of net changes; nothing to grade where no check of a person has passed.

    Whether one had to pass is for the task's own checks to say.
    """
    if verification is None:
        return []
    passed = [
        change.at
        for change in changes
        if change.table == verification.table and change.after and change.after.get("passed")
    ]
    if not passed:
        return []
    exempt = {verification.table, *verification.may_precede}
    early = sorted({change.table for change in changes if change.at < min(passed)} - exempt)
    return [
        CheckResult(
            kind="check",
            name=NAME,
            passed=not early,
            reason=f"changed first: {', '.join(early)}" if early else "",
            expected=f"a passed row of {verification.table} first",
            actual=", ".join(early),
        )
    ]
