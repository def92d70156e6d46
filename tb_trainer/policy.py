"""An engine's model as a policy of the rollout loop; each session gathers its trajectory."""

from collections.abc import Sequence
from dataclasses import dataclass

from tb_envs.episode import Usage
from tb_envs.errors import UsageError
from tb_envs.messages import AssistantTurn, Observation, ToolSchema
from tb_envs.policies.protocol import ContextExhausted, EpisodeContext
from tb_envs.reading import read_turn
from tb_trainer.chat.codec import ChatCodec
from tb_trainer.engines.protocol import Engine, Request
from tb_trainer.seeds import derive_seed
from tb_trainer.trajectory import Trajectory, TrajectoryBuilder


@dataclass(frozen=True, slots=True)
class SamplingLimits:
    """How a turn is sampled, and where an episode's tokens end.

    The first prompt may hold ``max_prompt_tokens``; everything after it, observations included,
    ``max_response_tokens``; one turn ``max_turn_tokens``.
    """

    temperature: float
    max_prompt_tokens: int
    max_response_tokens: int
    max_turn_tokens: int


@dataclass(frozen=True, slots=True)
class PromptView:
    """What of a task's prompt the model is shown: all of it by default.

    A very small model cannot read a handbook. ``tools`` names the tools to list, in this order;
    ``system_prompt`` replaces the task's own.
    """

    tools: tuple[str, ...] | None = None
    system_prompt: str | None = None

    def select(self, tools: Sequence[ToolSchema]) -> tuple[ToolSchema, ...]:
        """Choose the tools to list.

        Raises:
            UsageError: a named tool is not among the task's.
        """
        if self.tools is None:
            return tuple(tools)
        by_name = {tool["function"]["name"]: tool for tool in tools}
        missing = [name for name in self.tools if name not in by_name]
        if missing:
            raise UsageError(f"the task has no tool {missing[0]!r}; it has {', '.join(by_name)}")
        return tuple(by_name[name] for name in self.tools)


class EnginePolicy:
    """A policy whose turns an engine samples.

    Args:
        engine: Samples; shared by all episodes.
        codec: Tokenizer and chat template.
        limits: Temperature and token limits.
        name: The identity that results are filed under.
        seed: Root of the sampling seeds.
        view: What of the prompt is shown.
    """

    def __init__(
        self,
        engine: Engine,
        codec: ChatCodec,
        limits: SamplingLimits,
        *,
        name: str,
        seed: int,
        view: PromptView = PromptView(),
    ) -> None:
        needed = limits.max_prompt_tokens + limits.max_response_tokens
        if needed > engine.context_tokens:
            raise UsageError(
                f"max_prompt_tokens + max_response_tokens = {needed} tokens, but the engine's "
                f"context is {engine.context_tokens}"
            )
        self.engine = engine
        self.codec = codec
        self.limits = limits
        self.view = view
        self.seed = seed
        self._name = name

    @property
    def name(self) -> str:
        """The identity that results are filed under."""
        return self._name

    def start(self, context: EpisodeContext) -> "EngineSession":
        """Begin an episode."""
        return EngineSession(self, context)


class EngineSession:
    """One episode: renders what is observed, samples, reads what was sampled."""

    def __init__(self, policy: EnginePolicy, context: EpisodeContext) -> None:
        view = policy.view
        system = context.system_prompt if view.system_prompt is None else view.system_prompt
        self._policy = policy
        self._tools = view.select(context.tools)
        self._builder = TrajectoryBuilder(policy.codec, system, self._tools)
        self._seed = derive_seed(policy.seed, context.task_id, context.seed, context.attempt)
        self._key = f"{context.task_id}/{context.seed}/{context.attempt}"
        self._first_prompt = 0
        self._prompt_tokens = 0
        self._completion_tokens = 0
        self._turns = 0

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Sample the next turn.

        Raises:
            ContextExhausted: no token is left for another turn.
            PolicyFailure: the engine broke or was too slow.
            UsageError: the task's first prompt is longer than allowed; nothing is cut silently.
        """
        policy, limits = self._policy, self._policy.limits
        self._builder.observe(observation)
        prompt = self._builder.prompt
        if self._turns == 0:
            self._first_prompt = len(prompt)
            if self._first_prompt > limits.max_prompt_tokens:
                raise UsageError(
                    f"the first prompt of {self._key} has {self._first_prompt} tokens, more than "
                    f"max_prompt_tokens = {limits.max_prompt_tokens}; raise the limit"
                )
        room = self._first_prompt + limits.max_response_tokens - len(prompt)
        if room <= 0:
            raise ContextExhausted(f"{len(prompt)} tokens")
        sampled = policy.engine.generate(
            Request(
                episode=self._key,
                ids=prompt,
                max_new_tokens=min(room, limits.max_turn_tokens),
                temperature=limits.temperature,
                seed=derive_seed(self._seed, self._turns),
                stop_ids=policy.codec.stop_ids,
            ),
            timeout_s=timeout_s,
        )
        text = policy.codec.decode(sampled.ids)
        turn = read_turn(text, self._tools, tool_format=policy.codec.family.reading)
        self._builder.sampled(sampled, turn)
        self._turns += 1
        self._prompt_tokens += len(prompt)
        self._completion_tokens += len(sampled.ids)
        return turn

    def trajectory(self) -> Trajectory:
        """The tokens so far."""
        return self._builder.build()

    def usage(self) -> Usage:
        """Tokens so far; each turn's whole prompt counts, as an endpoint would bill it."""
        return Usage(prompt_tokens=self._prompt_tokens, completion_tokens=self._completion_tokens)

    def close(self) -> None:
        """Let the engine drop the episode's cache."""
        self._policy.engine.forget(self._key)
