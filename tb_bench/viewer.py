"""Episodes packed for the page's viewer: a stated selection, prompts once, compressed."""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tb_bench.formats import money
from tb_bench.results import Attempt, Results
from tb_envs.episode import Episode, MessageRecord

Rule = Literal["sample", "all", "none"]


@dataclass(frozen=True, slots=True)
class Packed:
    """``data`` is base64 of deflated JSON; ``count`` episodes by the rule in words."""

    data: str
    count: int
    rule: str


def pack_episodes(results: Results, rule: Rule) -> Packed:
    """Pack the episodes that a page shows.

    Args:
        results: Where they are.
        rule: ``sample`` takes each task's first failed and first passed attempt, ``all`` takes
            everything (a page of 10,140 long talks is too big for a phone), ``none`` nothing.
    """
    chosen = _chosen(results.attempts, rule)
    prompts: dict[str, int] = {}
    episodes = [
        _episode(results.ledger.read_at(attempt.offset), attempt, results.currency, prompts)
        for attempt in chosen
    ]
    text = json.dumps(
        {"prompts": list(prompts), "episodes": episodes}, ensure_ascii=False, separators=(",", ":")
    )
    data = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    words = {
        "sample": "each task's first failed and first passed attempt",
        "all": "every attempt",
        "none": "no attempt",
    }
    return Packed(data, len(chosen), words[rule])


def _chosen(attempts: Sequence[Attempt], rule: Rule) -> list[Attempt]:
    if rule == "none":
        return []
    ordered = sorted(attempts, key=lambda item: (item.task_id, item.attempt))
    if rule == "all":
        return ordered
    first: dict[tuple[str, bool], Attempt] = {}
    for attempt in ordered:
        first.setdefault((attempt.task_id, attempt.passed), attempt)
    return sorted(first.values(), key=lambda item: (item.task_id, item.attempt))


def _episode(
    episode: Episode, attempt: Attempt, currency: str, prompts: dict[str, int]
) -> dict[str, Any]:
    return {
        "task": episode.task_id,
        "attempt": episode.attempt,
        "domain": attempt.domain,
        "passed": attempt.passed,
        "ended": attempt.ended,
        "facts": facts(attempt, currency),
        "messages": [_message(item, prompts) for item in spoken(episode.messages)],
        "results": [item.model_dump() for item in episode.grade.results] if episode.grade else [],
    }


def facts(attempt: Attempt, currency: str) -> str:
    """An attempt's size in one line: turns, calls, tokens, cost."""
    parts = [f"{attempt.turns} turns", f"{attempt.calls} calls"]
    if attempt.refused_calls:
        parts.append(f"{attempt.refused_calls} of them refused")
    if attempt.prompt_tokens is not None and attempt.completion_tokens is not None:
        parts.append(f"{attempt.prompt_tokens + attempt.completion_tokens:,} tokens")
    if attempt.cost is not None:
        parts.append(money(attempt.cost, currency))
    if attempt.mistake:
        parts.append(attempt.mistake)
    return " · ".join(parts)


def spoken(messages: Sequence[MessageRecord]) -> list[MessageRecord]:
    """The messages without tool results: those stand with the calls that they answer."""
    shown: list[MessageRecord] = []
    recorded = False
    for message in messages:
        if message.role == "assistant":
            recorded = bool(message.calls)
        if not (message.role == "tool" and recorded):
            shown.append(message)
    return shown


def _message(message: MessageRecord, prompts: dict[str, int]) -> dict[str, Any]:
    record = message.model_dump()
    if message.role == "system":
        # Each system prompt once: it is the longest text of most episodes.
        record["prompt"] = prompts.setdefault(message.content, len(prompts))
        record["content"] = ""
    return record
