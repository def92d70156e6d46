"""Where the models of user, judge and policy are served, and how to call them.

An ``Endpoint`` names the environment variable that holds the key, never the key.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, cast
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tb_envs.errors import UsageError

EndpointRole = Literal["user", "judge", "policy"]
OPENAI_URL = "https://api.openai.com/v1"
FILE_VARIABLE = "TB_ENDPOINTS_FILE"


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
        file = environ.get(FILE_VARIABLE)
        settings = _from_file(file, role) if file else {}
        settings |= {
            name: environ[prefix + name.upper()]
            for name in cls.model_fields
            if name != "extra_body" and environ.get(prefix + name.upper())
        }
        if model is not None:
            settings["model"] = model
        if environ.get(prefix + "API_KEY"):
            settings.setdefault("api_key_env", prefix + "API_KEY")
        elif str(settings.get("base_url", OPENAI_URL)).rstrip("/") == OPENAI_URL:
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
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{FILE_VARIABLE}={path}: {error}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{FILE_VARIABLE}={path}: expected a mapping of user, judge and policy")
    sections = cast("dict[str, Any]", content)
    section = sections.get(role, {})
    if not isinstance(section, dict):
        raise UsageError(f"{FILE_VARIABLE}={path}: {role}: expected a mapping")
    return cast("dict[str, Any]", section)
