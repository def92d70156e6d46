"""inspect_ai: the benchmark as a task, with inspect's models, limits, logs and viewer.

::

    inspect eval tb_envs/thinkingbox -T tasks=bench --model openai/gpt-5 --epochs 20

Our rollout loop plays the episode and inspect's model is the policy: each turn is one of its
``generate`` calls. A system error is raised, so that the sample is an error in the log and has no
score; a limit of inspect's ends the episode and what was left in the database is graded.
"""

# The library is not installed where the types are checked, so what comes from it is unknown there.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false
# pyright: reportCallIssue=false, reportGeneralTypeIssues=false

import json
from collections.abc import Sequence
from typing import Any

import anyio.from_thread
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import LimitExceededError

from tb_envs.adapters.playing import play_episode
from tb_envs.episode import Episode, Usage
from tb_envs.errors import PolicyFailure, SystemFailure, UsageError
from tb_envs.messages import AssistantTurn, Observation, ToolCall, ToolSchema
from tb_envs.outcome import SystemErrored
from tb_envs.policies.protocol import ContextExhausted, EpisodeContext
from tb_envs.rollout import DEFAULT_DEADLINE_S
from tb_envs.specs import Task as Case
from tb_envs.specs import resolve_tasks

STORE = "thinkingbox"
"""Where a sample's store holds the outcome, the grade and the net changes."""


@task
def thinkingbox(
    tasks: str | list[str] = "demo",
    seed: int = 0,
    database: str | None = None,
    user: str = "scripted",
    judge: str = "endpoint",
) -> Task:
    """Make the benchmark.

    Args:
        tasks: A split, a pool file, or a list of task and family names.
        seed: The seed of every episode; epochs differ in what the model samples.
        database: ``auto``, ``docker``, ``embedded`` or a ``postgresql://`` URL.
        user: ``scripted`` or ``llm``.
        judge: ``endpoint``, or ``skip`` to leave rubrics out of the verdict.
    """
    options: dict[str, Any] = {"user": user, "judge": judge}
    if database is not None:
        options["database"] = database
    return Task(
        dataset=MemoryDataset([_sample(case) for case in resolve_tasks(tasks)]),
        solver=work_case(seed, **options),
        scorer=verdict(),
    )


@solver
def work_case(seed: int = 0, deadline_s: float = DEFAULT_DEADLINE_S, **task_options: Any) -> Solver:
    """Play a sample's episode with the model under evaluation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        policy = _InspectPolicy(get_model(), state)
        episode = await anyio.to_thread.run_sync(
            lambda: play_episode(
                str(state.metadata["task_id"]),
                policy,
                seed=seed,
                attempt=state.epoch - 1,
                deadline_s=deadline_s,
                **task_options,
            )
        )
        # Nothing is awaited before the outcome is kept: a cancelled sample is scored too.
        outcome = {"outcome", "reward", "grade", "changes"}
        state.store.set(STORE, episode.model_dump(mode="json", include=outcome))
        policy.complete(episode)
        if policy.interruption is not None:
            raise policy.interruption
        if isinstance(episode.outcome, SystemErrored):
            broken = episode.outcome
            raise SystemFailure(f"system error ({broken.source}): {broken.message}")
        state.completed = True
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def verdict() -> Scorer:
    """Score 1 if every check, change rule, record and rubric held on the final database, else 0."""

    async def score(state: TaskState, target: Target) -> Score:
        kept = state.store.get(STORE)
        if kept is None or kept["grade"] is None:
            raise UsageError("there is no verdict on this sample; it needs the solver work_case()")
        failed = [result for result in kept["grade"]["results"] if not result["passed"]]
        reasons = [f"{result['name']}: {result['reason']}" for result in failed]
        return Score(
            value=kept["reward"],
            explanation="\n".join(reasons) or "Every part of the verdict held.",
            metadata={"outcome": kept["outcome"]},
        )

    return score


class _InspectPolicy:
    """Inspect's model as a policy of our loop, which runs in a worker thread."""

    def __init__(self, model: Model, state: TaskState) -> None:
        self.name = str(model)
        self.interruption: Exception | None = None
        self._model = model
        self._state = state
        self._session: _InspectSession | None = None
        self._cancelled = False

    def start(self, context: EpisodeContext) -> "_InspectSession":
        systems = [m for m in self._state.messages if isinstance(m, ChatMessageSystem)]
        self._state.messages = list(systems)  # the opening comes from the environment
        self._session = _InspectSession(self, context)
        return self._session

    def complete(self, episode: Episode) -> None:
        """Add what was said after the model's last turn, which no ``act`` was told of."""
        if self._session is None or self._cancelled or self.interruption is not None:
            return
        turns = [n for n, message in enumerate(episode.messages) if message.role == "assistant"]
        unheard = episode.messages[turns[-1] + 1 :] if turns else ()
        self._state.messages.extend(
            self._session.message(record.role, record.content) for record in unheard
        )

    def ask(self, tools: Sequence[ToolInfo], timeout_s: float) -> ModelOutput:
        """Call ``generate`` on inspect's own event loop, where its limits and its log are.

        Raises:
            ContextExhausted: a limit of inspect's, or a cancelled sample.
            PolicyFailure: the model's provider failed.
        """
        config = GenerateConfig(timeout=max(1, int(timeout_s)))
        messages = list(self._state.messages)
        try:
            return anyio.from_thread.run(
                lambda: self._model.generate(messages, list(tools), config=config)
            )
        except LimitExceededError as limit:
            self.interruption = limit
            raise ContextExhausted(str(limit)) from limit
        except Exception as error:
            self.interruption = error
            raise PolicyFailure(f"{self.name}: {type(error).__name__}: {error}") from error
        except BaseException as cancelled:
            self._cancelled = True
            raise ContextExhausted("the sample was cancelled") from cancelled

    def remember(self, *messages: Any) -> None:
        """Add to the sample's history.

        Raises:
            ContextExhausted: inspect's limit of messages is reached.
        """
        try:
            self._state.messages.extend(messages)
        except LimitExceededError as limit:
            self.interruption = limit
            raise ContextExhausted(str(limit)) from limit

    def keep_output(self, output: ModelOutput) -> None:
        """Make an output the sample's last one."""
        self._state.output = output


class _InspectSession:
    """One episode's history, kept as the sample's messages."""

    def __init__(self, policy: _InspectPolicy, context: EpisodeContext) -> None:
        self._policy = policy
        self._tools = [_tool_info(schema) for schema in context.tools]
        self._open_calls: list[Any] = []
        self._prompt_tokens = self._completion_tokens = 0

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Ask the model for its next turn."""
        self._policy.remember(*(self.message(m["role"], m["content"]) for m in observation))
        output = self._policy.ask(self._tools, timeout_s)
        self._policy.keep_output(output)
        if output.usage is not None:
            self._prompt_tokens += output.usage.input_tokens
            self._completion_tokens += output.usage.output_tokens
        self._policy.remember(output.message)
        self._open_calls = list(output.message.tool_calls or ())
        # Arguments that inspect could not read stay no JSON, and the environment answers them.
        calls = tuple(
            ToolCall(call.function, call.parse_error or json.dumps(call.arguments))
            for call in self._open_calls
        )
        return AssistantTurn(output.message.text, calls)

    def usage(self) -> Usage:
        """Return the tokens used so far, as inspect counted them."""
        return Usage(prompt_tokens=self._prompt_tokens, completion_tokens=self._completion_tokens)

    def close(self) -> None:
        """Do nothing: the model is inspect's."""

    def message(self, role: str, content: str) -> ChatMessageTool | ChatMessageUser:
        """Put an answer of the environment's into inspect's form."""
        if role != "tool" or not self._open_calls:
            return ChatMessageUser(content=content)
        call = self._open_calls.pop(0)
        return ChatMessageTool(content=content, tool_call_id=call.id, function=call.function)


def _sample(case: Case) -> Sample:
    user = case.variant.user
    opening = case.variant.instruction if user is None else user.opening
    return Sample(
        id=case.id,
        input=[
            ChatMessageSystem(content=case.domain.system_prompt),
            ChatMessageUser(content=opening),
        ],
        metadata={
            "task_id": case.id,
            "task_hash": case.hash,
            "family": case.id.partition(".")[0],
            "domain": case.domain.name,
        },
    )


def _tool_info(schema: ToolSchema) -> ToolInfo:
    function = schema["function"]
    return ToolInfo(
        name=function["name"],
        description=function["description"],
        parameters=ToolParams.model_validate(function["parameters"]),
    )
