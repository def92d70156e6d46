"""What a probe has seen of each task: attempts counted once, system errors left out."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tb_envs.episode import Episode
from tb_envs.errors import UsageError
from tb_envs.outcome import outcome_passed
from tb_trainer.selection.bands import Posterior
from tb_trainer.selection.suite import Suite, SuiteTask


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task and what one policy did on it in clean attempts."""

    task: SuiteTask
    passes: int
    attempts: int

    @property
    def posterior(self) -> Posterior:
        """Over the policy's success probability at this task."""
        return Posterior(self.passes, self.attempts - self.passes)


@dataclass(slots=True)
class Counts:
    """Passes and clean attempts by task id, and how many attempts were left out."""

    passes: dict[str, int] = field(default_factory=dict[str, int])
    attempts: dict[str, int] = field(default_factory=dict[str, int])
    system_errors: int = 0


def count_attempts(episodes: Iterable[Episode], suite: Suite) -> Counts:
    """Count clean attempts of a suite's tasks, each (task, attempt) once.

    Raises:
        UsageError: an episode was made on other content than the suite's task now has.
    """
    hashes = {task.task_id: task.task_hash for task in suite.tasks}
    seen: set[tuple[str, int]] = set()
    counts = Counts()
    for episode in episodes:
        passed = outcome_passed(episode.outcome)
        if passed is None:
            counts.system_errors += 1
            continue
        key = (episode.task_id, episode.attempt)
        if key in seen or episode.task_id not in hashes:
            continue
        if hashes[episode.task_id] != episode.task_hash:
            raise UsageError(
                f"attempts at {episode.task_id} were made on other content "
                f"({episode.task_hash[:12]}, now {hashes[episode.task_id][:12]}); probe it again"
            )
        seen.add(key)
        counts.attempts[episode.task_id] = counts.attempts.get(episode.task_id, 0) + 1
        counts.passes[episode.task_id] = counts.passes.get(episode.task_id, 0) + passed
    return counts


def candidates_of(suite: Suite, counts: Counts) -> tuple[Candidate, ...]:
    """Every task of the suite with its counts, zero where nothing was attempted."""
    return tuple(
        Candidate(task, counts.passes.get(task.task_id, 0), counts.attempts.get(task.task_id, 0))
        for task in suite.tasks
    )
