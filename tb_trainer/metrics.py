"""Metrics as JSON lines, and in the trackers; the same run twice writes the same metrics file.

What a clock measures goes to a file of its own, since no two runs agree on it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tb_trainer.trackers import open_trackers


class MetricsWriter:
    """Appends a step's lines to the run's folder.

    Args:
        folder: The run's output.
        resume_step: Lines of later steps, which a killed run may have left, are dropped.
    """

    FILES = ("metrics.jsonl", "timings.jsonl", "ledger.jsonl")

    def __init__(self, folder: Path, *, resume_step: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        for name in self.FILES:
            _truncate(folder / name, resume_step)
        self._trackers = open_trackers(folder, resume_step=resume_step)

    def write(self, step: int, metrics: Mapping[str, float | None]) -> None:
        """Append what the step's seed decides."""
        self._append("metrics.jsonl", {"step": step, **metrics})
        self._show(step, metrics)

    def write_timings(self, step: int, seconds: Mapping[str, float]) -> None:
        """Append what a clock measured."""
        self._append("timings.jsonl", {"step": step, **seconds})
        self._show(step, {f"seconds/{name}": value for name, value in seconds.items()})

    def write_ledger(self, entry: Mapping[str, Any]) -> None:
        """Append one group's fate."""
        self._append("ledger.jsonl", entry)

    def close(self) -> None:
        """Flush the trackers."""
        for tracker in self._trackers:
            tracker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _append(self, name: str, record: Mapping[str, Any]) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def _show(self, step: int, values: Mapping[str, float | None]) -> None:
        known = {name: value for name, value in values.items() if value is not None}
        for tracker in self._trackers:
            tracker.log(step, known)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _truncate(path: Path, last_step: int) -> None:
    """Drop the lines of later steps, and a last line that a kill cut in two."""
    if not path.exists():
        return
    kept: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            if json.loads(line)["step"] > last_step:
                break
        except ValueError:
            break
        kept.append(line + "\n")
    # A kill while this is written must not cost the lines that stay.
    draft = path.with_suffix(".tmp")
    draft.write_text("".join(kept), encoding="utf-8")
    draft.replace(path)
