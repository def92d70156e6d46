"""Any model behind an OpenAI-compatible endpoint as a policy.

The history keeps every turn as the endpoint gave it, with the ids of its calls. A call that the
model wrote wrongly goes to the environment as written; only the copy in the history is made valid,
because servers refuse a history that they cannot parse, and the model's slip would become theirs.
"""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from tb_envs.chat_client import ChatClient, EndpointError, PromptTooLong
from tb_envs.endpoints import Endpoint
from tb_envs.episode import Usage
from tb_envs.errors import PolicyFailure
from tb_envs.messages import AssistantTurn, Observation, ToolCall
from tb_envs.policies.protocol import ContextExhausted, EpisodeContext
from tb_envs.reading import ToolFormat, read_turn, split_reasoning

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_NO_RESULT = "(no result)"


class OpenAIPolicy:
    """A served model, called with the tools in OpenAI's form.

    Args:
        endpoint: Where and how to call the model.
        temperature: Sampling temperature; None leaves it to the endpoint.
        tool_format: For a server that returns calls as text: how the model writes them.
        key: The key itself, where it stands in no environment variable.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        temperature: float | None = None,
        tool_format: ToolFormat | None = None,
        key: str | None = None,
    ) -> None:
        self.client = ChatClient(endpoint, key=key)
        self.temperature = temperature
        self.tool_format: ToolFormat | None = tool_format

    @property
    def name(self) -> str:
        """The identity that results are filed under."""
        return f"openai:{self.client.endpoint.model}"

    def start(self, context: EpisodeContext) -> "OpenAISession":
        """Begin an episode."""
        return OpenAISession(self, context)

    def close(self) -> None:
        """Close the connections; may be called twice."""
        self.client.close()


class OpenAISession:
    """One episode's history."""

    def __init__(self, policy: OpenAIPolicy, context: EpisodeContext) -> None:
        self._policy = policy
        self._tools = context.tools
        self._seed = _request_seed(context)
        self._history: list[dict[str, Any]] = []
        self._unanswered: list[str] = []
        self._prompt_tokens = self._completion_tokens = self._cached_tokens = 0
        if context.system_prompt:
            self._history.append({"role": "system", "content": context.system_prompt})

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Ask the model for its next turn.

        Raises:
            ContextExhausted: the conversation no longer fits the model's context.
            PolicyFailure: the endpoint gave no usable answer in time.
        """
        self._observe(observation)
        options: dict[str, Any] = {"temperature": self._policy.temperature, "seed": self._seed}
        if self._tools:
            options["tools"] = list(self._tools)
        try:
            answer = self._policy.client.complete(self._history, timeout_s=timeout_s, **options)
        except PromptTooLong as error:
            raise ContextExhausted(str(error)) from error
        except EndpointError as error:
            raise PolicyFailure(f"{self._policy.name}: {error}") from error
        self._count(answer)
        turn, ids = self._read(answer)
        self._remember(turn, ids)
        return turn

    def usage(self) -> Usage:
        """Return the tokens used so far, as the endpoint counted them."""
        return Usage(
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            cached_tokens=self._cached_tokens,
        )

    def close(self) -> None:
        """Do nothing: the connections belong to the policy."""

    def _observe(self, observation: Observation) -> None:
        """Append the new messages; each tool result answers the next open call."""
        for message in observation:
            content = message["content"]
            if message["role"] == "tool" and self._unanswered:
                self._answer_call(content)
            else:
                self._answer_open_calls()
                # A complaint about a malformed turn answers no call; the model hears it as a user.
                self._history.append({"role": "user", "content": content})
        self._answer_open_calls()

    def _answer_call(self, content: str) -> None:
        call_id = self._unanswered.pop(0)
        self._history.append({"role": "tool", "tool_call_id": call_id, "content": content})

    def _answer_open_calls(self) -> None:
        """Close the calls that got no result: a history with open calls is refused."""
        while self._unanswered:
            self._answer_call(_NO_RESULT)

    def _count(self, answer: "ChatCompletion") -> None:
        usage: Any = answer.usage
        self._prompt_tokens += _tokens(usage, "prompt_tokens")
        self._completion_tokens += _tokens(usage, "completion_tokens")
        details = getattr(usage, "prompt_tokens_details", None)
        self._cached_tokens += _tokens(details, "cached_tokens")

    def _read(self, answer: "ChatCompletion") -> tuple[AssistantTurn, list[str]]:
        """Read the completion into a turn and the ids of its calls."""
        message = answer.choices[0].message
        content = message.content or ""
        given = cast("Sequence[Any]", message.tool_calls or ())
        calls = tuple(map(_read_call, given))
        reasoning = _reasoning_of(message)
        if not calls and self._policy.tool_format is not None:
            turn = read_turn(content, self._tools, tool_format=self._policy.tool_format)
            turn = turn._replace(reasoning=turn.reasoning or reasoning)
        else:
            thought, said = split_reasoning(content)
            turn = AssistantTurn(said.strip(), calls, thought or reasoning)
        ids = [str(call.id) for call in given if call.id] if calls else []
        if len(set(ids)) != len(turn.tool_calls):  # some servers number calls within a turn only
            ids = [f"call_{len(self._history)}_{index}" for index in range(len(turn.tool_calls))]
        return turn, ids

    def _remember(self, turn: AssistantTurn, ids: list[str]) -> None:
        message: dict[str, Any] = {"role": "assistant", "content": turn.content}
        if turn.tool_calls:
            message["tool_calls"] = [
                {"id": call_id, "type": "function", "function": _valid_copy(call)}
                for call_id, call in zip(ids, turn.tool_calls, strict=True)
            ]
        self._history.append(message)
        self._unanswered = ids


def _request_seed(context: EpisodeContext) -> int:
    """Give each attempt its own seed: equal seeds would repeat one sample k times."""
    return (context.seed * 1_000_003 + context.attempt) % 2**31


def _tokens(counts: Any, name: str) -> int:
    """Read a count of tokens; 0 where the server does not count, or not in numbers."""
    count = getattr(counts, name, None)
    return count if isinstance(count, int) else 0


def _read_call(call: Any) -> ToolCall:
    function = getattr(call, "function", None)
    if function is None:  # a call of another type: the environment answers that it is unknown
        return ToolCall(str(getattr(call, "type", "")), "{}")
    # Some servers write a call without arguments as an empty text, and some decode them.
    arguments = getattr(function, "arguments", None) or "{}"
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(str(getattr(function, "name", None) or ""), text)


def _reasoning_of(message: Any) -> str:
    """Find the reasoning where servers put it."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(text := getattr(message, name, None), str):
            return text.strip()
    return ""


def _valid_copy(call: ToolCall) -> dict[str, str]:
    """Copy a call into a form that every server can parse."""
    name = _NOT_A_NAME.sub("_", call.name)[:64] or "unknown"
    try:
        is_object = isinstance(json.loads(call.arguments), dict)
    except (ValueError, RecursionError):
        is_object = False
    arguments = call.arguments if is_object else json.dumps({"malformed": call.arguments})
    return {"name": name, "arguments": arguments}
