"""Policies that touch nothing: every task must fail them."""

from collections.abc import Sequence

from tb_envs.episode import Usage
from tb_envs.messages import AssistantTurn, Observation
from tb_envs.policies.protocol import EpisodeContext

REFUSALS = ("I'm sorry, I cannot help you with that.",)
CLAIMS = (
    "Thank you for reaching out! I have looked into your case with great care.",
    "Good news: everything you asked for has been done, and your records have been updated.",
    "I have double-checked it: the change was made, and you will receive a confirmation.",
    "It has all been taken care of. Is there anything else I can help you with?",
)


class IdlePolicy:
    """Declines everything and calls no tool."""

    @property
    def name(self) -> str:
        """The identity that results are filed under."""
        return "idle"

    def start(self, context: EpisodeContext) -> "TalkSession":
        """Begin an episode."""
        return TalkSession(REFUSALS)


class TalkativePolicy:
    """Claims that all is done, politely and at length, and calls no tool."""

    @property
    def name(self) -> str:
        """The identity that results are filed under."""
        return "talkative"

    def start(self, context: EpisodeContext) -> "TalkSession":
        """Begin an episode."""
        return TalkSession(CLAIMS)


class TalkSession:
    """Says its lines one by one, the last one for ever."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Say the next line."""
        return AssistantTurn(self._lines.pop(0) if len(self._lines) > 1 else self._lines[0])

    def usage(self) -> Usage:
        """Return no counts: it uses no tokens."""
        return Usage()

    def close(self) -> None:
        """Do nothing: it holds nothing."""
