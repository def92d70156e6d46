"""A suite: a named list of tasks with what results need to know of each."""

import hashlib
from collections.abc import Collection

from pydantic import Field

from tb_envs.errors import UsageError
from tb_envs.outcome import Record


class SuiteTask(Record):
    """One task of a suite: how to make it, and its content's identity.

    ``right_end`` is how the case should end (act, refuse, escalate, ...); empty where unknown.
    """

    task_id: str
    env_id: str
    task_hash: str
    domain: str
    family: str
    right_end: str = ""


class Suite(Record):
    """Tasks in a fixed order, each once."""

    name: str
    tasks: tuple[SuiteTask, ...] = Field(min_length=1)

    @property
    def digest(self) -> str:
        """The suite's version: SHA-256 over task ids and content hashes."""
        text = "".join(f"{task.task_id} {task.task_hash}\n" for task in self.tasks)
        return hashlib.sha256(text.encode()).hexdigest()

    def narrow(
        self,
        *,
        domains: Collection[str] = (),
        tasks: Collection[str] = (),
        limit: int | None = None,
    ) -> "Suite":
        """The part in these domains, with these task ids or families, and its first ``limit``.

        An empty collection means all.

        Raises:
            UsageError: a name fits nothing, or nothing is left.
        """
        self._refuse_unknown("domain", domains, {task.domain for task in self.tasks})
        names = {name for task in self.tasks for name in (task.task_id, task.family)}
        self._refuse_unknown("task or family", tasks, names)
        kept = [
            task
            for task in self.tasks
            if (not domains or task.domain in domains)
            and (not tasks or task.task_id in tasks or task.family in tasks)
        ][:limit]
        if not kept:
            raise UsageError(f"no task of suite {self.name!r} is left after narrowing it")
        return Suite(name=self.name, tasks=tuple(kept))

    def _refuse_unknown(self, kind: str, asked: Collection[str], known: Collection[str]) -> None:
        unknown = sorted(set(asked) - set(known))
        if unknown:
            raise UsageError(
                f"suite {self.name!r} has no {kind} {unknown[0]!r}; "
                f"expected one of {', '.join(sorted(known)[:20])}"
            )
