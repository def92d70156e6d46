"""An episode in the terminal: the talk, what each call changed, the verdict check by check."""

import json
from collections.abc import Iterable
from typing import Any, cast

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tb_envs.episode import CallRecord, Change, Episode, MessageRecord
from tb_envs.outcome import CheckResult, CutByLimit, SystemErrored

MAX_TEXT = 220


def show_episode(episode: Episode, *, system_prompt: bool = False) -> RenderableType:
    """Build the view of an episode for a rich console."""
    talk = Table.grid(padding=(0, 2))
    talk.add_column(justify="right", min_width=6)
    talk.add_column(overflow="fold")
    for message in episode.messages:
        if message.role == "system" and not system_prompt:
            continue
        if message.role == "tool" and message.name:
            continue  # shown with its call
        for label, text in _message(message):
            talk.add_row(label, text)
    return Group(talk, show_verdict(episode))


def show_verdict(episode: Episode) -> RenderableType:
    """Build the verdict: a line a check, the reason where it failed, and the reward."""
    outcome = episode.outcome
    if isinstance(outcome, SystemErrored):
        return Text(f"\nsystem error ({outcome.source}): {outcome.message}", style="bold yellow")
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for result in episode.grade.results if episode.grade else ():
        table.add_row(*_result(result))
    word, style = ("PASSED", "bold green") if outcome.passed else ("FAILED", "bold red")
    line = Text.assemble((word, style), f"   reward {episode.reward:.1f}")
    if episode.grade and episode.grade.records_total:
        line.append(
            f"   {episode.grade.records_matched} of {episode.grade.records_total} records matched"
        )
    if isinstance(outcome, CutByLimit):
        line.append(f"   cut by the limit of {outcome.limit}", style="yellow")
    return Group(Text("\nThe verdict on the database", style="bold"), table, line)


def _message(message: MessageRecord) -> Iterable[tuple[Text, Text]]:
    speaker, style = {
        "user": ("user", "bold cyan"),
        "assistant": ("agent", "bold magenta"),
        "system": ("system", "dim"),
        "tool": ("env", "bold yellow"),
    }[message.role]
    if message.content or not message.calls:
        yield Text(speaker, style=style), Text(message.content)
    for call in message.calls:
        yield from _call(call)


def _call(call: CallRecord) -> Iterable[tuple[Text, Text]]:
    arguments = Text.assemble((call.name, "bold"), f"({_arguments(call.arguments)})")
    yield Text("call", style="bold blue"), arguments
    yield Text(""), Text(_shortened(call.content), style="red" if call.is_error else "dim")
    for change in call.changes:
        yield Text(""), _change(change)


def _change(change: Change) -> Text:
    key = ", ".join(f"{name}={value}" for name, value in change.key.items())
    head, style = {
        "insert": ("+", "green"),
        "update": ("~", "yellow"),
        "delete": ("-", "red"),
    }[change.op]
    before, after = change.before or {}, change.after or {}
    if change.op == "update":
        columns = (
            f"{name}: {_value(before.get(name))} -> {_value(after.get(name))}"
            for name in change.columns
        )
    else:
        row = after if change.op == "insert" else before
        columns = (
            f"{name}: {_value(value)}"
            for name, value in row.items()
            if value is not None and name not in change.key
        )
    return Text(f"{head} {change.table}({key})  {', '.join(columns)}", style=style)


def _result(result: CheckResult) -> tuple[Text, Text, Text]:
    mark = Text("pass", style="green") if result.passed else Text("FAIL", style="bold red")
    return (
        mark,
        Text(result.kind, style="dim"),
        Text.assemble(result.name, ("" if result.passed else f"\n{result.reason}", "red")),
    )


def _arguments(text: str) -> str:
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(values, dict):
        return text
    items = cast("dict[str, object]", values).items()
    return ", ".join(f"{name}={value!r}" for name, value in items)


def _value(value: object) -> str:
    return "null" if value is None else _shortened(str(value), 60)


def _shortened(text: str, limit: int = MAX_TEXT) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
