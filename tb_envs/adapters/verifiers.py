"""verifiers (Prime Intellect): a taskset, and a harness that plays it in process.

::

    vf-eval thinkingbox-verifiers --env.taskset.tasks hotel-downgrade -m MODEL --no-push

The library's loader finds the package ``thinkingbox_verifiers``, which names what is here. Every
model call goes through the library's interception server, so its trace holds all turns and tokens;
our rollout loop plays the episode, and its verdict is the reward. A system error is a ``TaskError``
on the trace: such a trace is not ``ok``, its reward is unscored, and ``--resume`` plays it again.
"""

# The library is not installed where the types are checked, so what comes from it is unknown there.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import verifiers.v1 as vf

from tb_envs.adapters.playing import play_episode
from tb_envs.endpoints import Endpoint
from tb_envs.episode import Episode, Usage
from tb_envs.errors import PolicyFailure
from tb_envs.messages import AssistantTurn, Observation
from tb_envs.outcome import SystemErrored
from tb_envs.policies import IdlePolicy, OpenAIPolicy, OraclePolicy
from tb_envs.policies.protocol import (
    ContextExhausted,
    EpisodeContext,
    Policy,
    PolicySession,
)
from tb_envs.rollout import DEFAULT_DEADLINE_S
from tb_envs.specs import resolve_tasks

INFO = "thinkingbox"
"""Where a trace's ``info`` holds the outcome, the grade and the net changes."""


class ThinkingBoxData(vf.TaskData):
    """A task's identity, and how its episodes are made."""

    task_id: str
    task_hash: str
    seed: int
    task_options: dict[str, Any]


class ThinkingBoxTasksetConfig(vf.TasksetConfig):
    """Which tasks, and how their episodes are made."""

    tasks: str = "demo"
    """A split, a pool file, or task and family names with commas between them."""
    seed: int = 0
    """The seed of every episode."""
    database: str | None = None
    """``auto``, ``docker``, ``embedded`` or a ``postgresql://`` URL; unset: ``TB_DATABASE``."""
    user: Literal["scripted", "llm"] = "scripted"
    """Who plays the user."""
    judge: Literal["endpoint", "skip"] = "endpoint"
    """Whether rubrics are asked, or left out of the verdict."""


class ThinkingBoxTask(vf.Task[ThinkingBoxData]):
    """A case, scored by the rows that its episode left."""

    @property
    def key(self) -> str:
        """The task's id: it stays the same when its position in a selection changes."""
        return self.data.task_id

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Grade a trace that nobody has played, as the library's validation scores one.

        Raises:
            TaskError: another harness played it, so there is no episode and no verdict.
        """
        if INFO in trace.info:
            return
        if trace.num_turns:
            raise vf.TaskError("there is no episode to grade; play the task with our own harness")
        _keep(trace, await self._play(IdlePolicy()))

    @vf.reward
    async def verdict(self, trace: vf.Trace) -> float:
        """1.0 if every check, change rule, record and rubric held, else 0.0."""
        return float(trace.info[INFO]["reward"])

    @vf.metric
    async def share_of_checks(self, trace: vf.Trace) -> float:
        """How many of the verdict's parts held; for people to look at, not to train on."""
        results = trace.info[INFO]["grade"]["results"]
        return sum(result["passed"] for result in results) / len(results)

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Play the scripted solution: it must pass."""
        episode = await self._play(OraclePolicy())
        _refuse_system_error(episode)
        return episode.reward == 1.0

    async def _play(self, policy: Policy) -> Episode:
        data = self.data
        return await asyncio.to_thread(
            play_episode, data.task_id, policy, seed=data.seed, **data.task_options
        )


class ThinkingBoxTaskset(vf.Taskset[ThinkingBoxTask, ThinkingBoxTasksetConfig]):
    """The tasks of a split, a pool or a list."""

    def load(self) -> Iterator[ThinkingBoxTask]:
        """Yield a task for each of ours."""
        config = self.config
        options: dict[str, Any] = {"user": config.user, "judge": config.judge}
        if config.database is not None:
            options["database"] = config.database
        names = config.tasks.split(",")
        for task in resolve_tasks(names if len(names) > 1 else config.tasks):
            user = task.variant.user
            data = ThinkingBoxData(
                name=task.id,
                task_id=task.id,
                task_hash=task.hash,
                seed=config.seed,
                task_options=options,
                prompt=task.variant.instruction if user is None else user.opening,
                system_prompt=task.domain.system_prompt,
            )
            yield ThinkingBoxTask(data, config.task)


class ThinkingBoxHarnessConfig(vf.HarnessConfig):
    """How long an episode may take."""

    deadline_s: float = DEFAULT_DEADLINE_S
    """Seconds for one episode, set-up and grading included."""


class ThinkingBoxHarness(vf.Harness[ThinkingBoxHarnessConfig]):
    """Our rollout loop as the program that drives the model; it runs in the evaluation's process.

    Tools are given to the model in OpenAI's form and executed by the environment, so a toolset of
    the library's own cannot be added.
    """

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Play the trace's task with the model at ``endpoint``.

        Raises:
            HarnessError: the model's endpoint gave no usable answer.
            TaskError: the environment broke.
        """
        task = trace.task.data
        deadline_s = self.config.deadline_s
        model = OpenAIPolicy(
            Endpoint(model=ctx.model, base_url=endpoint, timeout_s=deadline_s), key=secret
        )
        try:
            episode = await asyncio.to_thread(
                play_episode,
                task.task_id,
                _TracedPolicy(model, trace, data.system_prompt),
                seed=task.seed,
                deadline_s=deadline_s,
                **task.task_options,
            )
        finally:
            model.close()
        _keep(trace, episode)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class ThinkingBoxVerifiersConfig(vf.SingleAgentEnvConfig):
    """One agent, played by our harness in the evaluation's own process."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class ThinkingBoxVerifiersEnv(vf.Env[ThinkingBoxVerifiersConfig]):
    """The single-agent environment; it exists so that no sandbox of the library's is started."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Play one episode."""
        await agents.agent.run(task)


class _TracedPolicy:
    """A policy whose turns the library may refuse, and whose system prompt it may replace."""

    def __init__(self, policy: Policy, trace: vf.Trace, system_prompt: str | None) -> None:
        self.name = policy.name
        self._policy = policy
        self._trace = trace
        self._system_prompt = system_prompt

    def start(self, context: EpisodeContext) -> PolicySession:
        if self._system_prompt is not None:
            context = replace(context, system_prompt=self._system_prompt)
        return _TracedSession(self._policy.start(context), self._trace)


class _TracedSession:
    def __init__(self, session: PolicySession, trace: vf.Trace) -> None:
        self._session = session
        self._trace = trace

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        try:
            return self._session.act(observation, timeout_s=timeout_s)
        except PolicyFailure as failure:
            # A limit of the library's (turns, tokens, a stop) answers the call with an error. The
            # model has had its say, so what it left in the database is graded.
            if self._trace.stop_condition is not None:
                raise ContextExhausted(self._trace.stop_condition) from failure
            raise

    def usage(self) -> Usage:
        return self._session.usage()

    def close(self) -> None:
        self._session.close()


def _keep(trace: vf.Trace, episode: Episode) -> None:
    """Put an episode's verdict where the task's reward reads it."""
    _refuse_system_error(episode)
    kept = {"outcome", "reward", "grade", "changes"}
    trace.info[INFO] = episode.model_dump(mode="json", include=kept)


def _refuse_system_error(episode: Episode) -> None:
    outcome = episode.outcome
    if isinstance(outcome, SystemErrored):
        kind = vf.HarnessError if outcome.source == PolicyFailure.kind else vf.TaskError
        raise kind(f"system error ({outcome.source}): {outcome.message}")
