"""Serving a task's tools over MCP: ``serve``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tb_envs.case import Case, CaseOptions
from tb_envs.cli.tasks import DatabaseOption
from tb_envs.episode import CallRecord, Change, Episode, MessageRecord, Timings, write_episodes
from tb_envs.errors import ToolRefusal, UsageError
from tb_envs.messages import ToolCall
from tb_envs.outcome import Grade, Graded, Outcome, SystemErrored
from tb_envs.registration import env_id
from tb_envs.specs import Task, find_task
from tb_envs.tools import ToolInfo
from tb_envs.tools.mcp_release import require_mcp
from tb_envs.tools.talk import TALK, read_message

if TYPE_CHECKING:
    from tb_envs.tools.serving import EndedSession


class ServedCase:
    """A case whose client acts through tools alone, talking to the user included."""

    def __init__(self, task: Task, options: CaseOptions, seed: int) -> None:
        self._case = Case.open(task, options, seed)
        self.instructions = f"{task.domain.system_prompt}\nThe user writes:\n{self._case.opening}"
        self._talks = task.variant.user is not None

    def list_tools(self) -> list[ToolInfo]:
        """The domain's tools, and one to talk to the user where there is one."""
        return [*self._case.list_tools(), *([TALK] if self._talks else [])]

    def call(self, call: ToolCall) -> CallRecord:
        """Execute one tool call, or pass a message on."""
        if not self._talks or call.name != TALK.name:
            return self._case.call(call)
        try:
            answer = self._case.say(read_message(call.arguments))
        except ToolRefusal as refusal:
            return _talked(call, str(refusal), is_error=True)
        return _talked(call, "" if answer is None else answer.content)

    def grade(self) -> tuple[Grade, tuple[Change, ...]]:
        """End the case and grade it."""
        return self._case.grade()

    def close(self) -> None:
        """Give everything back."""
        self._case.close()


def _talked(call: ToolCall, content: str, *, is_error: bool = False) -> CallRecord:
    return CallRecord(name=call.name, arguments=call.arguments, content=content, is_error=is_error)


def serve(
    task_id: Annotated[str, typer.Argument(help="<family> or <family>.<variant>")],
    http: Annotated[
        str | None, typer.Option(help="HOST:PORT for streamable HTTP at /mcp; stdio without it.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The episodes' seed.")] = 7,
    database: DatabaseOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Append graded episodes to this JSONL file.")
    ] = None,
) -> None:
    """Serve a task's tools to any MCP client; each session is an episode, graded at its end."""
    require_mcp()
    # The SDK takes a second to import, and the other commands need none of it.
    from tb_envs.tools.mcp_http import serve_http
    from tb_envs.tools.mcp_server import serve_stdio

    task = find_task(task_id)
    options = CaseOptions(database=database)

    def open_episode() -> ServedCase:
        return ServedCase(task, options, seed)

    def on_end(ended: "EndedSession") -> None:
        episode = _episode(task, seed, ended)
        typer.echo(f"{task.id}: {episode.outcome.kind}, reward {episode.reward}", err=True)
        if out is not None:
            write_episodes(out, [episode])

    if http is None:
        serve_stdio(open_episode, on_end=on_end)
        return
    host, _, port = http.rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"--http: got {http!r}; expected HOST:PORT, such as 127.0.0.1:8000")
    serve_http(
        open_episode,
        host=host,
        port=int(port),
        on_end=on_end,
        on_ready=lambda url: typer.echo(f"serving {task.id} at {url}", err=True),
    )


def _episode(task: Task, seed: int, ended: "EndedSession") -> Episode:
    outcome: Outcome
    if ended.grade is None:
        failure = ended.failure
        source = failure.kind if failure else "system"
        outcome = SystemErrored(source=source, message=str(failure))
    else:
        outcome = Graded(passed=ended.grade.passed)
    return Episode(
        env_id=env_id(task.id),
        task_id=task.id,
        task_hash=task.hash,
        policy="mcp",
        seed=seed,
        messages=(MessageRecord(role="assistant", content="", calls=ended.calls),),
        outcome=outcome,
        reward=float(ended.grade is not None and ended.grade.passed),
        grade=ended.grade,
        changes=ended.changes,
        timings=Timings(started_at=ended.started_at.isoformat(), total_s=ended.total_s),
    )
