"""Changes read from the log, and what is left of them at the end."""

import json
from collections.abc import Iterable
from typing import Any

from tb_envs.database.server import DictConnection
from tb_envs.episode import Change

READ = "SELECT id, tab, op, key, before, after FROM tb.changes(%s, %s)"


def read_changes(session: DictConnection, secret: str, past: int) -> tuple[int, tuple[Change, ...]]:
    """Read the agent's changes past a log entry; return the last entry's number with them."""
    rows = session.execute(READ, (secret, past)).fetchall()
    changes = tuple(
        Change(
            table=row["tab"],
            op=row["op"],
            key=row["key"],
            before=row["before"],
            after=row["after"],
        )
        for row in rows
    )
    return (rows[-1]["id"] if rows else past), changes


def fold(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Fold changes into one a row at most: from its first state to its last.

    A row that was made and deleted again, or changed and changed back, is not there. Ordered by
    table and key.
    """
    writes: dict[tuple[str, str], list[tuple[int, Change]]] = {}
    for at, change in enumerate(changes, start=1):
        row = (change.table, json.dumps(change.key, sort_keys=True))
        writes.setdefault(row, []).append((at, change))
    net = (_net(of_row[0], of_row[-1]) for of_row in writes.values())
    return tuple(sorted((change for change in net if change is not None), key=_order))


def _net(first: tuple[int, Change], last: tuple[int, Change]) -> Change | None:
    (at, start), (last_at, end) = first, last
    before, after = start.before, end.after
    if before == after:
        return None
    op = "insert" if before is None else "delete" if after is None else "update"
    return Change(
        table=start.table,
        op=op,
        key=start.key,
        before=before,
        after=after,
        at=at,
        last_at=last_at,
    )


def _order(change: Change) -> tuple[str, list[tuple[str, bool, Any]]]:
    """Sort numbers as numbers and all else as text."""
    key: list[tuple[str, bool, Any]] = []
    for name, value in sorted(change.key.items()):
        number = isinstance(value, int | float)
        key.append((name, not number, value if number else str(value)))
    return change.table, key
