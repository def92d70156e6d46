"""A policy that makes valid calls at random, about things that it has seen."""

import random
import re
from collections.abc import Iterator
from typing import Any, cast

from tb_envs.episode import Usage
from tb_envs.messages import AssistantTurn, Observation, ToolCall, ToolSchema
from tb_envs.policies.protocol import EpisodeContext
from tb_envs.policies.sampling import sample_value
from tb_envs.reading import json_text

MOST_CALLS = 12
CLOSING = "I have done what I can. Your case is settled."

# What identifiers, addresses, dates and numbers look like, in any domain.
_WORTH_REPEATING = re.compile(
    r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+|[\w.+-]+@[\w-]+\.[\w.]+|\d{4}-\d{2}-\d{2}(?:T[\d:]+)?"
    r"|\b\d+(?:\.\d+)?\b"
)


class RandomPolicy:
    """Calls random tools with arguments that fit their schemas; the seed decides which."""

    @property
    def name(self) -> str:
        """The identity that results are filed under."""
        return "random"

    def start(self, context: EpisodeContext) -> "RandomSession":
        """Begin an episode; the same seed and attempt act alike on the same observations."""
        return RandomSession(context)


class RandomSession:
    """Some random calls, then a closing message."""

    def __init__(self, context: EpisodeContext) -> None:
        self._random = random.Random(f"{context.task_id}/{context.seed}/{context.attempt}")
        self._tools = list(context.tools)
        self._left = self._random.randint(1, MOST_CALLS) if self._tools else 0
        self._seen: dict[str, None] = {}

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Make one random call, or close the talk when the calls are used up."""
        for message in observation:
            self._seen |= dict.fromkeys(_WORTH_REPEATING.findall(message["content"]))
        if self._left == 0:
            return AssistantTurn(CLOSING)
        self._left -= 1
        return AssistantTurn("", (self._call(self._random.choice(self._tools)),))

    def usage(self) -> Usage:
        """Return no counts: it uses no tokens."""
        return Usage()

    def close(self) -> None:
        """Do nothing: it holds nothing."""

    def _call(self, tool: ToolSchema) -> ToolCall:
        schema = cast("dict[str, Any]", tool["function"].get("parameters", {}))
        arguments = dict(self._arguments(schema))
        return ToolCall(tool["function"]["name"], json_text.encode(arguments))

    def _arguments(self, schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        required = schema.get("required", [])
        for name, part in schema.get("properties", {}).items():
            if name in required or self._random.random() < 0.5:
                yield name, sample_value(part, schema, list(self._seen), self._random)
