"""How long the first prompts of a run's tasks are, counted before anything starts.

A first prompt is the system prompt, the tools and the opening message, as the model will see them.
Our own tasks tell them without a database. Another environment's prompt, and the tools of an
outside server, are known only once an episode has begun.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import gymnasium

from tb_envs.messages import ToolSchema
from tb_envs.registration import NAMESPACE, SUITE_ID
from tb_envs.specs import Task, find_task
from tb_envs.tools import load_toolset
from tb_trainer.chat import ChatCodec
from tb_trainer.policy import PromptView
from tb_trainer.tasks import TaskRef
from tb_trainer.trajectory import TrajectoryBuilder

OPENINGS_A_DOMAIN = 16
"""Prompts of one domain differ in the opening alone, so its longest openings are enough."""


@dataclass(frozen=True, slots=True)
class PromptLengths:
    """Tokens of the first prompts that were rendered, by task.

    Of ``tasks`` tasks, ``unknown`` tell their prompt only when an episode begins.
    """

    tokens: Mapping[str, int]
    tasks: int
    unknown: int

    @property
    def longest(self) -> str | None:
        """The task with the longest prompt; None where none could be rendered."""
        return max(self.tokens, key=lambda name: self.tokens[name], default=None)

    def fault(self, limit: int) -> tuple[str, str] | None:
        """Say what is wrong and what helps, if a prompt is longer than the limit."""
        name = self.longest
        if name is None or self.tokens[name] <= limit:
            return None
        longer = sum(tokens > limit for tokens in self.tokens.values())
        return (
            f"the first prompt of {name} has {self.tokens[name]} tokens, more than "
            f"rollout.max_prompt_tokens = {limit} ({longer} of {len(self.tokens)} rendered prompts "
            "are too long)",
            f"set rollout.max_prompt_tokens={self.tokens[name]} or more, or show the model less "
            "with model.tools and model.system_prompt",
        )


def measure_prompts(tasks: Sequence[TaskRef], codec: ChatCodec, view: PromptView) -> PromptLengths:
    """Render and count.

    Of each domain the `OPENINGS_A_DOMAIN` tasks with the longest openings are rendered.

    Raises:
        UsageError: the view names a tool that a task does not have.
    """
    domains: defaultdict[str, list[tuple[TaskRef, Task]]] = defaultdict(list)
    for ref in tasks:
        task = _task_of(ref)
        if task is not None:
            domains[task.domain.name].append((ref, task))
    tokens: dict[str, int] = {}
    for members in domains.values():
        members.sort(key=lambda member: len(_opening(member[1])), reverse=True)
        system, tools = _fixed_part(members[0][1], view)
        for ref, task in members[:OPENINGS_A_DOMAIN]:
            tokens[ref.name] = len(_encode(codec, system, tools, _opening(task)))
    known = sum(len(members) for members in domains.values())
    return PromptLengths(tokens, len(tasks), len(tasks) - known)


def _task_of(ref: TaskRef) -> Task | None:
    """The task behind a reference, if it is one of ours and all of its prompt is in its file."""
    name = ref.task_id
    if ref.env_id != SUITE_ID:
        spec = gymnasium.spec(ref.env_id)
        name = spec.kwargs.get("task") if spec.namespace == NAMESPACE else None
    task = None if name is None else find_task(name)
    return None if task is None or task.variant.mcp is not None else task


def _opening(task: Task) -> str:
    user = task.variant.user
    return task.variant.instruction if user is None else user.opening


def _fixed_part(task: Task, view: PromptView) -> tuple[str, tuple[ToolSchema, ...]]:
    """What all tasks of a domain share."""
    system = task.domain.system_prompt if view.system_prompt is None else view.system_prompt
    tools = [tool.info.openai() for tool in load_toolset(task.domain.toolsets)]
    return system, view.select(tools)


def _encode(
    codec: ChatCodec, system: str, tools: Sequence[ToolSchema], opening: str
) -> tuple[int, ...]:
    builder = TrajectoryBuilder(codec, system, tools)
    builder.observe(({"role": "user", "name": "", "content": opening},))
    return builder.prompt
