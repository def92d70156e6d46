"""OpenAI-compatible endpoints: one configuration, one client, for user, judge and policy.

An ``Endpoint`` names the environment variable that holds the key, never the key. ``ChatClient``
retries only what the endpoint itself may get over (429, 5xx, a lost connection) and gives up at a
deadline; what an answer says is its caller's business.
"""

import os
import random
import re
import threading
import time
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self, cast
from urllib.parse import urlsplit

import openai
import yaml
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tb_envs.errors import UsageError

EndpointRole = Literal["user", "judge", "policy"]
OPENAI_URL = "https://api.openai.com/v1"
FILE_VARIABLE = "TB_ENDPOINTS_FILE"

_RETRIED = (429, 500, 502, 503, 504, 529)
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


class Endpoint(BaseModel):
    """Where a model is served and how to call it. Holds the name of the key, never the key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(min_length=1)
    base_url: str = OPENAI_URL
    api_key_env: str | None = Field(
        default=None, description="Environment variable that holds the key; None: no key needed."
    )
    timeout_s: float = Field(default=120.0, gt=0, description="For one answer, retries included.")
    max_retries: int = Field(default=4, ge=0)
    backoff_s: float = Field(default=0.5, ge=0, description="Before the first retry; then doubled.")
    max_connections: int = Field(default=256, ge=1)
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    extra_body: dict[str, Any] = {}

    @field_validator("base_url")
    @classmethod
    def _no_credentials(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError("expected a URL such as http://localhost:8000/v1")
        if "@" in parts.netloc:
            raise ValueError("a URL with credentials would show in logs; use api_key_env")
        return url.rstrip("/")

    @classmethod
    def from_environment(
        cls,
        role: EndpointRole,
        *,
        model: str | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> Self:
        """Read the endpoint of a role from the environment, over a file if one is named.

        ``TB_USER_MODEL``, ``TB_USER_BASE_URL``, ``TB_USER_API_KEY_ENV`` and so on (``TB_JUDGE_…``,
        ``TB_POLICY_…``); ``TB_USER_API_KEY`` may hold the key itself. ``TB_ENDPOINTS_FILE`` names a
        YAML file with the sections ``user``, ``judge`` and ``policy``.

        Args:
            role: Whose endpoint.
            model: Overrides the configured model.
            environ: The environment variables.

        Raises:
            UsageError: the model is missing, or a setting is not valid.
        """
        prefix = f"TB_{role.upper()}_"
        settings = _from_file(environ[FILE_VARIABLE], role) if FILE_VARIABLE in environ else {}
        settings |= {
            name: environ[prefix + name.upper()]
            for name in cls.model_fields
            if name != "extra_body" and environ.get(prefix + name.upper())
        }
        if model is not None:
            settings["model"] = model
        if environ.get(prefix + "API_KEY"):
            settings.setdefault("api_key_env", prefix + "API_KEY")
        elif settings.get("base_url", OPENAI_URL) == OPENAI_URL:
            settings.setdefault("api_key_env", "OPENAI_API_KEY")
        if "model" not in settings:
            raise UsageError(f"the {role} needs a model; set {prefix}MODEL or {FILE_VARIABLE}")
        return cls.checked(settings, source=f"{prefix}* and {FILE_VARIABLE}")

    @classmethod
    def checked(cls, settings: Mapping[str, Any], *, source: str) -> Self:
        """Validate settings; errors name the field and never show a value.

        Raises:
            UsageError: a setting is not valid.
        """
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(map(str, item['loc']))}: {item['msg']}"
                for item in error.errors(include_input=False, include_url=False)
            )
            raise UsageError(f"endpoint ({source}): {problems}") from None


def _from_file(path: str, role: EndpointRole) -> dict[str, Any]:
    try:
        content: object = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UsageError(f"{FILE_VARIABLE}={path}: {error}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{FILE_VARIABLE}={path}: expected a mapping of user, judge and policy")
    sections = cast("dict[str, Any]", content)
    section = sections.get(role, {})
    if not isinstance(section, dict):
        raise UsageError(f"{FILE_VARIABLE}={path}: {role}: expected a mapping")
    return cast("dict[str, Any]", section)


class ChatClient:
    """Asks an endpoint for chat completions; safe to use from several threads."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Prepare the client; nothing is sent.

        Raises:
            UsageError: the environment variable of the key is not set.
        """
        self.endpoint = endpoint
        self._key = _read_key(endpoint)
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
    ) -> ChatCompletion:
        """Ask for one completion with at least one choice.

        Args:
            messages: The talk, in OpenAI's form.
            timeout_s: Seconds until giving up, retries included; the endpoint's if None.
            **options: Further fields of the request (``tools``, ``seed``, ``temperature``).

        Raises:
            PromptTooLong: the prompt does not fit the model's context.
            EndpointError: there was no usable answer in time.
        """
        limit = self.endpoint.timeout_s
        deadline = time.monotonic() + (limit if timeout_s is None else min(timeout_s, limit))
        request = self._request(messages, options)
        for attempt in range(self.endpoint.max_retries + 1):
            try:
                return self._ask(request, deadline)
            except openai.APIStatusError as error:
                problem = self._describe(error)
                if error.status_code not in _RETRIED:
                    too_long = error.status_code in (400, 413) and _CONTEXT_LENGTH.search(problem)
                    raise (PromptTooLong if too_long else EndpointError)(problem) from None
                wait_s = _retry_after_s(error)
            except (openai.OpenAIError, ValueError) as error:  # unreachable, late or unreadable
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
        return {"model": self.endpoint.model, "messages": list(messages)} | given

    def _ask(self, request: Mapping[str, Any], deadline: float) -> ChatCompletion:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise EndpointError("no time left")
        create = cast("Any", self._connected().chat.completions.create)
        answer: object = create(**request, timeout=left_s)
        # The SDK does not validate: a proxy's HTML page arrives as a string, an error as None.
        if not isinstance(answer, ChatCompletion) or not getattr(answer, "choices", None):
            raise openai.OpenAIError(f"not a chat completion: {str(answer)[:200]!r}")
        if cast("Any", answer.choices[0]).message is None:
            raise openai.OpenAIError("a chat completion without a message")
        return answer

    def _connected(self) -> openai.OpenAI:
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
                    http_client=openai.DefaultHttpxClient(limits=limits),
                )
            return self._client

    def _describe(self, error: Exception) -> str:
        """Describe an error without the key, which some servers echo."""
        text = f"{type(error).__name__}: {error}"[:2000]
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


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    """Read how long the server asks to wait, in seconds."""
    try:
        return max(0.0, float(error.response.headers["retry-after"]))
    except (KeyError, ValueError):
        return None
