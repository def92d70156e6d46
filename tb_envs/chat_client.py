"""The client of OpenAI-compatible endpoints, one for user, judge and policy.

It retries only what an endpoint may get over (408, 409, 429, 5xx, a lost connection, an unreadable
answer) and gives up at a deadline; what an answer says is its caller's business.
"""

import json
import os
import random
import re
import threading
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tb_envs.endpoints import Endpoint
from tb_envs.errors import UsageError

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

_RETRIED = (408, 409, 429)
"""Statuses below 500 that an endpoint may get over."""
_CONTEXT_LENGTH = re.compile(
    r"context[_ ]length|context window|maximum (?:model|input|context) length|max_model_len"
    r"|prompt (?:\(.*?\) )?is (?:too long|longer than)|input is too long"
    r"|too many (?:input )?tokens",
    re.IGNORECASE,
)


class EndpointError(Exception):
    """The endpoint did not give an answer; the message holds no secrets.

    Each caller turns it into the failure of its own boundary.
    """


class PromptTooLong(EndpointError):  # noqa: N818 - tells a policy that its context is used up
    """The endpoint refused the prompt because it does not fit the model's context."""


class _UnusableAnswerError(Exception):
    """The endpoint answered, but not with a chat completion."""


class _Shape(BaseModel):
    """Base of what callers rely on in an answer; the SDK hands over whatever JSON it got."""

    model_config = ConfigDict(from_attributes=True, extra="ignore")


class _FunctionShape(_Shape):
    name: str | None = None
    arguments: Any = None


class _CallShape(_Shape):
    id: str | None = None
    function: _FunctionShape | None = None


class _MessageShape(_Shape):
    content: str | None = None
    tool_calls: list[_CallShape] | None = None


class _ChoiceShape(_Shape):
    message: _MessageShape


class _CompletionShape(_Shape):
    choices: list[_ChoiceShape] = Field(min_length=1)


class ChatClient:
    """Asks an endpoint for chat completions; safe to use from several threads."""

    def __init__(self, endpoint: Endpoint, *, key: str | None = None) -> None:
        """Prepare the client; nothing is sent.

        Args:
            endpoint: Where and how to call the model.
            key: The key itself, where it stands in no environment variable.

        Raises:
            UsageError: the environment variable of the key is not set.
        """
        self.endpoint = endpoint
        self._key = _read_key(endpoint) if key is None else key
        self._lock = threading.Lock()
        self._client: openai.OpenAI | None = None

    def __repr__(self) -> str:
        return f"ChatClient({self.endpoint.model!r} at {self.endpoint.base_url!r})"

    def complete(
        self,
        messages: Iterable[dict[str, Any]],
        *,
        timeout_s: float | None = None,
        **options: Any,
    ) -> "ChatCompletion":
        """Ask for one completion with at least one choice.

        Args:
            messages: The talk, in OpenAI's form.
            timeout_s: Seconds until giving up, retries included; the endpoint's if None.
            **options: Further fields of the request (``tools``, ``seed``, ``temperature``).

        Raises:
            PromptTooLong: the prompt does not fit the model's context.
            EndpointError: there was no usable answer in time.
        """
        import openai  # here, because it takes longer to import than all of ours

        limit = self.endpoint.timeout_s
        deadline = time.monotonic() + (limit if timeout_s is None else min(timeout_s, limit))
        request = self._request(messages, options)
        for attempt in range(self.endpoint.max_retries + 1):
            try:
                return self._ask(request, deadline)
            except openai.APIStatusError as error:
                problem = self._describe(error)
                if error.status_code < 500 and error.status_code not in _RETRIED:
                    too_long = error.status_code in (400, 413) and _CONTEXT_LENGTH.search(problem)
                    raise (PromptTooLong if too_long else EndpointError)(problem) from None
                wait_s = _retry_after_s(error)
            except (openai.OpenAIError, TimeoutError, _UnusableAnswerError, ValueError) as error:
                # Unreachable, late, or unreadable.
                problem, wait_s = self._describe(error), None
            pause_s = self._pause_s(attempt) if wait_s is None else wait_s
            if time.monotonic() + pause_s >= deadline or attempt == self.endpoint.max_retries:
                raise EndpointError(f"{problem} (after {attempt + 1} attempts)")
            time.sleep(pause_s)
        raise EndpointError("no attempt was made")

    def close(self) -> None:
        """Close the connections; may be called twice."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _request(
        self, messages: Iterable[dict[str, Any]], options: Mapping[str, Any]
    ) -> dict[str, Any]:
        defaults: dict[str, Any] = {
            "temperature": self.endpoint.temperature,
            "max_tokens": self.endpoint.max_tokens,
            "extra_body": self.endpoint.extra_body or None,
        }
        given = {
            name: value for name, value in {**defaults, **options}.items() if value is not None
        }
        return {"model": self.endpoint.model, "messages": _encodable(list(messages))} | given

    def _ask(self, request: Mapping[str, Any], deadline: float) -> "ChatCompletion":
        from openai.types.chat import ChatCompletion

        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise EndpointError("no time left")
        create = cast("Any", self._connected().chat.completions.create)
        answer: object = create(**request, timeout=left_s)
        # The SDK does not validate: a proxy's HTML page arrives as a string, an error as None.
        if not isinstance(answer, ChatCompletion):
            shown = self._without_key(str(answer))[:200]
            raise _UnusableAnswerError(f"not a chat completion: {shown!r}")
        try:
            _CompletionShape.model_validate(answer)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise _UnusableAnswerError(f"not a chat completion: {where}: {first['msg']}") from None
        return answer

    def _connected(self) -> "openai.OpenAI":
        import openai

        from tb_envs.whole_answer import WholeAnswerClient

        with self._lock:
            if self._client is None:
                # Never the library's hidden default: a pool that is too small looks like a slow
                # model when many episodes run at once.
                limits = type(openai.DEFAULT_CONNECTION_LIMITS)(
                    max_connections=self.endpoint.max_connections,
                    max_keepalive_connections=self.endpoint.max_connections,
                )
                self._client = openai.OpenAI(
                    base_url=self.endpoint.base_url,
                    api_key=self._key or "not-needed",
                    max_retries=0,
                    http_client=WholeAnswerClient(limits=limits),
                )
            return self._client

    def _describe(self, error: Exception) -> str:
        """Describe an error without the key, which some servers echo."""
        text = f"{type(error).__name__}: {error}"
        if error.__cause__ is not None:  # the SDK says only "Connection error."
            text = f"{text} ({type(error.__cause__).__name__}: {error.__cause__})"
        return self._without_key(text)[:2000]

    def _without_key(self, text: str) -> str:
        """Take the key out, before anything is cut: half a key is a secret too."""
        return text.replace(self._key, "[key]") if self._key else text

    def _pause_s(self, attempt: int) -> float:
        """Wait longer each time, and not in step with other episodes."""
        return self.endpoint.backoff_s * 2**attempt * random.uniform(0.5, 1.0)


@cache
def _client_of(settings: str) -> ChatClient:
    return ChatClient(Endpoint.model_validate_json(settings))


def shared_client(endpoint: Endpoint) -> ChatClient:
    """Return this process's client of an endpoint; episodes share its connections.

    Raises:
        UsageError: the environment variable of the key is not set.
    """
    return _client_of(endpoint.model_dump_json())


def _encodable(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replace what UTF-8 cannot hold: a model's lone surrogate is no fault of the endpoint."""
    text = json.dumps(messages, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return messages


def _read_key(endpoint: Endpoint) -> str:
    if endpoint.api_key_env is None:
        return ""
    key = os.environ.get(endpoint.api_key_env, "")
    if not key:
        raise UsageError(
            f"the environment variable {endpoint.api_key_env} is not set; it must hold the key "
            f"for {endpoint.base_url}"
        )
    return key


def _retry_after_s(error: "openai.APIStatusError") -> float | None:
    """Read how long the server asks to wait, in seconds."""
    try:
        return max(0.0, float(error.response.headers["retry-after"]))
    except (KeyError, ValueError):
        return None
