"""The results folder: append-only, whole after a kill at any moment, each attempt once.

``campaign.json``
    What is to be sampled; written once.
``episodes.jsonl``
    Clean attempts, one :class:`~tb_envs.episode.Episode` a line.
``errors.jsonl``
    Attempts that ended in a system error, every try of them; never scored.
``lineage.jsonl``
    One line for each invocation that sampled into the folder.

A line is written at once; a kill or a full disk can tear only the last one, and the next writer
cuts a torn tail off, so that at most the attempts in flight are made again.
"""

import fcntl
import os
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from pydantic import ValidationError

from tb_envs.episode import Episode
from tb_envs.errors import UsageError
from tb_envs.outcome import SystemErrored
from tb_trainer.selection.campaign import (
    Campaign,
    Invocation,
    Kind,
    Slot,
    Standing,
    installed_versions,
    label,
    now_text,
)

_LOCK = ".lock"


class Entry(NamedTuple):
    """A clean attempt as the standing sees it; ``belongs``: it is one of the campaign's."""

    slot: Slot
    policy: str
    belongs: bool


class Ledger:
    """Reads a results folder; a :meth:`writer` adds to it."""

    def __init__(self, folder: Path, campaign: Campaign) -> None:
        self.folder = folder
        self.campaign = campaign
        self._hashes = {task.task_id: task.task_hash for task in campaign.suite.tasks}

    @classmethod
    def create(cls, folder: Path, campaign: Campaign) -> "Ledger":
        """Begin a results folder, or take up one of an equal campaign.

        Raises:
            UsageError: the folder holds results of another campaign.
        """
        path = folder / "campaign.json"
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            with (folder / _LOCK).open("w") as lock:
                # Of two processes that begin a folder at once, the second takes up the first's.
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not path.exists():
                    # Renaming is atomic: a folder has a whole campaign or none.
                    draft = folder / "campaign.json.new"
                    draft.write_text(campaign.model_dump_json(indent=1) + "\n", encoding="utf-8")
                    draft.replace(path)
        ledger = cls.open(folder)
        _refuse_other(folder, ledger.campaign, campaign)
        return ledger

    @classmethod
    def open(cls, folder: Path) -> "Ledger":
        """Open an existing results folder.

        Raises:
            UsageError: it is none, or of a format that this version does not read.
        """
        path = folder / "campaign.json"
        try:
            campaign = Campaign.model_validate_json(path.read_text(encoding="utf-8"))
        except (OSError, ValidationError) as error:
            raise UsageError(
                f"{folder} is not a results folder (expected {path.name} in it): {error}"
            ) from error
        return cls(folder, campaign)

    @property
    def episodes_path(self) -> Path:
        """Clean attempts."""
        return self.folder / "episodes.jsonl"

    @property
    def errors_path(self) -> Path:
        """Attempts that ended in a system error."""
        return self.folder / "errors.jsonl"

    @property
    def lineage_path(self) -> Path:
        """Invocations."""
        return self.folder / "lineage.jsonl"

    def scan(self) -> Iterator[tuple[int, Episode]]:
        """Every clean attempt in the order of writing, with its line's offset in bytes."""
        yield from _scan(self.episodes_path)

    def episodes(self) -> Iterator[Episode]:
        """Every clean attempt in the order of writing."""
        for _, episode in self.scan():
            yield episode

    def failed_tries(self) -> Iterator[Episode]:
        """Every try that ended in a system error, in the order of writing."""
        for _, episode in _scan(self.errors_path):
            yield episode

    def read_at(self, offset: int) -> Episode:
        """The clean attempt whose line begins at ``offset``."""
        with self.episodes_path.open("rb") as file:
            file.seek(offset)
            return Episode.model_validate_json(file.readline())

    def lineage(self) -> tuple[Invocation, ...]:
        """Every invocation that sampled into this folder, oldest first."""
        if not self.lineage_path.exists():
            return ()
        lines = _whole_lines(self.lineage_path)
        return tuple(Invocation.model_validate_json(line) for _, _, line in lines)

    def clean_slots(self) -> set[Slot]:
        """The attempts that need no more sampling."""
        return {_slot(episode) for episode in self.episodes()}

    def tries(self) -> Counter[Slot]:
        """How often each attempt ended in a system error."""
        return Counter(_slot(episode) for episode in self.failed_tries())

    def standing(self) -> Standing:
        """Compare what is there with what was planned."""
        return self.standing_of(self.entry_of(episode) for episode in self.episodes())

    def entry_of(self, episode: Episode) -> Entry:
        """What the standing needs to know of a clean attempt."""
        return Entry(_slot(episode), episode.policy, self.belongs(episode))

    def standing_of(self, entries: Iterable[Entry]) -> Standing:
        """The standing, from the entries of all clean attempts that a reader has seen anyway."""
        planned = list(self.campaign.slots())
        seen: Counter[Slot] = Counter()
        foreign: list[str] = []
        for entry in entries:
            seen[entry.slot] += 1
            if not entry.belongs:
                foreign.append(f"{label(entry.slot)} by {entry.policy}")
        errors = {
            label(_slot(episode)): _error_text(episode)
            for episode in self.failed_tries()
            if _slot(episode) not in seen
        }
        return Standing(
            planned=len(planned),
            clean=sum(1 for slot in planned if slot in seen),
            errors=errors,
            missing=tuple(
                label(slot) for slot in planned if slot not in seen and label(slot) not in errors
            ),
            duplicates=tuple(label(slot) for slot, count in seen.items() if count > 1),
            foreign=tuple(foreign),
        )

    def belongs(self, episode: Episode) -> bool:
        """Say whether an attempt is one of this campaign's."""
        return (
            episode.policy == self.campaign.policy
            and self._hashes.get(episode.task_id) == episode.task_hash
            and 0 <= episode.attempt < self.campaign.attempts
        )

    @contextmanager
    def writer(self, kind: Kind, slots: int) -> Generator["Writer"]:
        """Add attempts; only one process at a time can.

        Raises:
            UsageError: another process is sampling into this folder.
        """
        with (self.folder / _LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise UsageError(f"another process is writing to {self.folder}") from error
            for path in (self.episodes_path, self.errors_path, self.lineage_path):
                _cut_torn_tail(path)
            entry = Invocation(kind=kind, at=now_text(), slots=slots, versions=installed_versions())
            with (
                self.episodes_path.open("ab", buffering=0) as episodes,
                self.errors_path.open("ab", buffering=0) as errors,
                self.lineage_path.open("ab", buffering=0) as lineage,
            ):
                lineage.write(entry.model_dump_json().encode() + b"\n")
                yield Writer(episodes, errors, self.clean_slots())
                os.fsync(episodes.fileno())
                os.fsync(errors.fileno())


class Writer:
    """Appends attempts to an open results folder."""

    def __init__(self, episodes: IO[bytes], errors: IO[bytes], done: set[Slot]) -> None:
        self._episodes = episodes
        self._errors = errors
        self._done = done

    def add(self, episode: Episode) -> None:
        """File one attempt.

        Raises:
            UsageError: a clean attempt is already there; a second is never sampled.
        """
        line = episode.model_dump_json().encode() + b"\n"
        if isinstance(episode.outcome, SystemErrored):
            _write_whole(self._errors, line)
            return
        slot = _slot(episode)
        if slot in self._done:
            raise UsageError(f"{label(slot)} is already in the ledger; it is not sampled again")
        _write_whole(self._episodes, line)
        self._done.add(slot)


def _write_whole(file: IO[bytes], line: bytes) -> None:
    """Write to the end: where space runs out, one unbuffered write takes a part and says so."""
    while line:
        line = line[file.write(line) :]


def _slot(episode: Episode) -> Slot:
    return Slot(episode.task_id, episode.attempt)


def _error_text(episode: Episode) -> str:
    outcome = episode.outcome
    return f"{outcome.source}: {outcome.message}" if isinstance(outcome, SystemErrored) else ""


def _refuse_other(folder: Path, there: Campaign, asked: Campaign) -> None:
    for field in ("policy", "sampling", "attempts", "seed", "judge"):
        old, new = getattr(there, field), getattr(asked, field)
        if old != new:
            raise UsageError(
                f"{folder} holds results with {field} {old!r}, got {new!r}; "
                "choose another folder for another campaign"
            )
    if there.suite.digest != asked.suite.digest:
        raise UsageError(
            f"{folder} holds results over suite {there.suite.name!r} "
            f"({there.suite.digest[:12]}), got {asked.suite.name!r} ({asked.suite.digest[:12]}): "
            "the tasks or their content differ; choose another folder"
        )


def _scan(path: Path) -> Iterator[tuple[int, Episode]]:
    if not path.exists():
        return
    for number, offset, line in _whole_lines(path):
        try:
            episode = Episode.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(f"{path}:{number}: not an episode of this format: {error}") from error
        yield offset, episode


def _whole_lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Line number, offset and content of every line that was written to its end."""
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield number, offset, line
            offset += len(line)


def _cut_torn_tail(path: Path) -> None:
    """Drop what follows the last newline: a line that a kill tore."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        position = end
        while position > 0:
            step = min(1 << 16, position)
            file.seek(position - step)
            newline = file.read(step).rfind(b"\n")
            if newline >= 0:
                position += newline + 1 - step
                break
            position -= step
        if position != end:
            file.truncate(position)
