"""What the rollout loop asks of a policy: a name, and one session an episode.

A scripted oracle, an API model and a local engine all meet this protocol.
"""

from dataclasses import dataclass
from typing import Protocol

from tb_envs.episode import Usage
from tb_envs.messages import AssistantTurn, Observation, ToolSchema


@dataclass(frozen=True, slots=True)
class EpisodeContext:
    """What a policy may know before its first turn."""

    env_id: str
    task_id: str
    seed: int
    attempt: int
    system_prompt: str
    tools: tuple[ToolSchema, ...]


class ContextExhausted(Exception):  # noqa: N818 - a signal of the policy, not an error
    """The next prompt does not fit the model's context; the loop ends and grades the episode."""


class PolicySession(Protocol):
    """One episode's conversation, from the policy's side. Never shared between threads."""

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Answer the new messages since the last turn; the first call gets the opening message.

        Raises:
            ContextExhausted: the conversation no longer fits the model's context.
            PolicyFailure: the endpoint or engine broke, or took longer than ``timeout_s``.
        """
        ...

    def usage(self) -> Usage:
        """Tokens used so far in this episode."""
        ...

    def close(self) -> None:
        """Release what the session holds; called exactly once."""
        ...


class Policy(Protocol):
    """A way of acting, safe to use from several threads."""

    @property
    def name(self) -> str:
        """The identity that results are filed under, such as ``openai:gpt-5`` or ``oracle``."""
        ...

    def start(self, context: EpisodeContext) -> PolicySession:
        """Begin an episode."""
        ...
