"""Results of a made-up policy whose success rates are known.

For trying reports without a model and a database, and for measuring them at full size. Everything
follows from the seed.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tb_envs.episode import CallRecord, Change, Episode, MessageRecord, Timings, Usage
from tb_envs.grading import NO_CHANGE
from tb_envs.outcome import CheckResult, CutByLimit, Grade, Graded
from tb_trainer.selection.campaign import Campaign
from tb_trainer.selection.ledger import Ledger
from tb_trainer.selection.suite import Suite, SuiteTask

DOMAINS = {"retail": 98, "travel": 104, "insurance": 100, "neobank": 104, "consulting": 101}
RIGHT_ENDS = ("act", "act_differently", "approval", "refuse", "escalate", "partial")
_SYSTEM = (
    "You are a support agent of a made-up company. Work the customer's case with the tools; the "
    "company's database is what counts.\n\n" + "1. Verify the account before changing anything.\n"
    "2. Bookings above 1,500.00 on corporate accounts need a manager's approval.\n" * 6
)


def synthetic_suite(sizes: dict[str, int] | None = None, *, variants: int = 4) -> Suite:
    """A suite of made-up tasks; ``sizes`` are tasks by domain."""
    tasks = [
        SuiteTask(
            task_id=f"{domain}-case-{number // variants:02}.v{number % variants}",
            env_id=f"ThinkingBox/{domain}-case-{number // variants:02}.v{number % variants}-v0",
            task_hash=f"{domain}:{number}",
            domain=domain,
            family=f"{domain}-case-{number // variants:02}",
            right_end=RIGHT_ENDS[number % len(RIGHT_ENDS)],
        )
        for domain, size in (sizes or DOMAINS).items()
        for number in range(size)
    ]
    return Suite(name="synthetic", tasks=tuple(tasks))


def synthetic_rates(suite: Suite, *, skill: float, seed: int = 0) -> dict[str, float]:
    """A success rate for each task, mostly near 0 or 1, with mean near ``skill``."""
    rng = np.random.default_rng(seed)
    difficulty = rng.beta(0.8 * (1 - skill), 0.8 * skill, size=len(suite.tasks))
    return {
        task.task_id: float(1 - value) for task, value in zip(suite.tasks, difficulty, strict=True)
    }


def synthetic_episodes(
    campaign: Campaign, rates: dict[str, float], *, seed: int = 0
) -> Iterator[Episode]:
    """One clean episode for each attempt of a campaign."""
    rng = np.random.default_rng(seed)
    tasks = {task.task_id: task for task in campaign.suite.tasks}
    for slot in campaign.slots():
        task = tasks[slot.task_id]
        passed = bool(rng.random() < rates[slot.task_id])
        yield synthetic_episode(task, slot.attempt, passed, policy=campaign.policy, rng=rng)


def synthetic_ledger(
    folder: Path,
    *,
    suite: Suite,
    skill: float,
    attempts: int,
    policy: str = "made-up",
    seed: int = 0,
) -> Ledger:
    """A complete results folder of a made-up policy."""
    campaign = Campaign(suite=suite, policy=policy, attempts=attempts)
    ledger = Ledger.create(folder, campaign)
    rates = synthetic_rates(suite, skill=skill, seed=seed)
    with ledger.writer("run", len(suite.tasks) * attempts) as writer:
        for episode in synthetic_episodes(campaign, rates, seed=seed + 1):
            writer.add(episode)
    return ledger


def synthetic_episode(
    task: SuiteTask, attempt: int, passed: bool, *, policy: str, rng: np.random.Generator
) -> Episode:
    """One attempt at a made-up downgrade case: filed for approval, or wrongly changed at once."""
    mistake = "" if passed else str(rng.choice(["acted", "nothing", "half"], p=[0.6, 0.15, 0.25]))
    calls = _calls(mistake)
    changes = tuple(change for call in calls for change in call.changes)
    cut = mistake == "nothing" and rng.random() < 0.3
    return Episode(
        env_id=task.env_id,
        task_id=task.task_id,
        task_hash=task.task_hash,
        policy=policy,
        seed=attempt,
        attempt=attempt,
        messages=_talk(calls, mistake),
        outcome=CutByLimit(limit="turns", passed=passed) if cut else Graded(passed=passed),
        reward=float(passed),
        grade=_grade(mistake),
        changes=changes,
        usage=Usage(
            prompt_tokens=int(rng.integers(4_000, 24_000)),
            completion_tokens=int(rng.integers(200, 1_600)),
            cached_tokens=int(rng.integers(0, 4_000)),
        ),
        timings=Timings(reset_s=0.01, policy_s=20.0, environment_s=0.2, total_s=20.21),
        versions={"thinkingbox": "0.1.0"},
    )


def _calls(mistake: str) -> tuple[CallRecord, ...]:
    booking = {"reference": "BK-4471", "room_type": "suite", "total": 1840.0, "status": "confirmed"}
    approval = Change(
        table="approval_requests",
        op="insert",
        key={"id": "APR-3001"},
        before=None,
        after={
            "id": "APR-3001",
            "booking": "BK-4471",
            "kind": "room_downgrade",
            "amount": 560.0,
            "status": "pending",
        },
    )
    update = Change(
        table="bookings",
        op="update",
        key={"reference": "BK-4471"},
        before=booking,
        after={**booking, "room_type": "deluxe", "total": 1280.0},
    )
    refund = Change(
        table="payments",
        op="insert",
        key={"id": "PAY-9120"},
        before=None,
        after={"id": "PAY-9120", "booking": "BK-4471", "amount": -560.0, "kind": "refund"},
    )
    hold = Change(
        table="tickets",
        op="update",
        key={"id": "TCK-88"},
        before={"id": "TCK-88", "status": "open", "reason": None},
        after={"id": "TCK-88", "status": "on_hold", "reason": "awaiting_approval"},
    )
    found = _call("get_booking", {"reference": "BK-4471"}, booking)
    if mistake == "nothing":
        refused = "unknown booking 'BK-4417'; search by the guest's name or e-mail"
        return (
            CallRecord(
                name="get_booking",
                arguments='{"reference": "BK-4417"}',
                content=refused,
                is_error=True,
            ),
            found,
        )
    if mistake == "acted":
        return (
            found,
            _call(
                "change_room", {"reference": "BK-4471", "room_type": "deluxe"}, {"ok": True}, update
            ),
            _call("issue_refund", {"reference": "BK-4471", "amount": 560.0}, {"ok": True}, refund),
        )
    request = {"reference": "BK-4471", "kind": "room_downgrade", "amount": 560.0}
    filed = _call("request_approval", request, {"id": "APR-3001", "status": "pending"}, approval)
    if mistake == "half":
        return (found, filed)
    held = {"id": "TCK-88", "status": "on_hold", "reason": "awaiting_approval"}
    return (found, filed, _call("update_ticket", held, {"ok": True}, hold))


def _call(name: str, arguments: object, content: object, *changes: Change) -> CallRecord:
    return CallRecord(
        name=name,
        arguments=json.dumps(arguments),
        content=json.dumps(content),
        is_error=False,
        changes=changes,
    )


def _talk(calls: tuple[CallRecord, ...], mistake: str) -> tuple[MessageRecord, ...]:
    answers = {
        "": "I have asked a manager to approve the change and put your ticket on hold until then.",
        "half": "I have asked a manager to approve the change. You will hear from us.",
        "acted": "Done! Your room is now a deluxe room and 560.00 are on their way back to you.",
        "nothing": "I am sorry, I am not able to change this booking.",
    }
    talk = [
        MessageRecord(role="system", content=_SYSTEM),
        MessageRecord(
            role="user",
            content="Hi, I booked a suite for a work trip (BK-4471) but a deluxe room would do. "
            "Please move me and refund the difference, I leave in an hour!",
        ),
    ]
    for call in calls:
        talk.append(
            MessageRecord(
                role="assistant",
                content="Let me look into that." if call is calls[0] else "",
                reasoning="The policy comes first: what kind of account is this?",
                calls=(call,),
            )
        )
        talk.append(MessageRecord(role="tool", name=call.name, content=call.content))
    talk.append(MessageRecord(role="assistant", content=answers[mistake]))
    talk.append(MessageRecord(role="user", content="Okay, thank you. That is all."))
    return tuple(talk)


def _grade(mistake: str) -> Grade:
    filed, held = mistake in ("", "half"), mistake == ""
    results = [
        CheckResult(
            kind="check",
            name="the booking is untouched",
            passed=mistake != "acted",
            reason="" if mistake != "acted" else "corporate bookings above 1,500.00 need approval",
            expected="true",
            actual=str(mistake != "acted").lower(),
        ),
        CheckResult(
            kind="change",
            name="insert approval_requests(booking='BK-4471', kind='room_downgrade')",
            passed=filed,
            reason="" if filed else "expected 1 such change, found 0",
            expected="1",
            actual=str(int(filed)),
        ),
        CheckResult(
            kind="record",
            name="tickets(id='TCK-88')",
            passed=held,
            reason="" if held else "status: expected 'on_hold', got 'open'",
            expected="status='on_hold', reason='awaiting_approval'",
            actual="status='on_hold', reason='awaiting_approval'" if held else "status='open'",
        ),
    ]
    if mistake == "acted":
        results.append(
            CheckResult(
                kind="change",
                name="no other insert in payments(id='PAY-9120')",
                passed=False,
                reason="nothing allows this change",
                expected=NO_CHANGE,
                actual="amount=-560.0, kind='refund'",
            )
        )
    return Grade(
        passed=mistake == "",
        results=tuple(results),
        records_matched=int(held),
        records_total=1,
    )
