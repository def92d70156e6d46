"""Read a configuration: a YAML file, then ``section.key=value`` overrides, then validation."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

import yaml
from pydantic import BaseModel, ValidationError

from tb_envs.errors import UsageError
from tb_trainer.config.sections import RunConfig, Section


def load_config(path: Path | None, overrides: Sequence[str] = ()) -> RunConfig:
    """Load and validate; every fault is listed at once.

    Args:
        path: A YAML file; None starts from nothing.
        overrides: ``learner.learning_rate=1e-5``; values are YAML.

    Raises:
        UsageError: the file cannot be read, or keys or values are wrong.
    """
    document = _read(path) if path is not None else {}
    for override in overrides:
        _apply(document, override)
    try:
        return RunConfig.model_validate(document)
    except ValidationError as error:
        faults = [_describe(fault) for fault in error.errors()]
        raise UsageError(
            f"{path or 'configuration'}: {len(faults)} fault{'s' * (len(faults) > 1)}\n"
            + "\n".join(faults)
        ) from error


def render_config(config: RunConfig) -> str:
    """Write a configuration as YAML that `load_config` reads."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)


def field_names() -> list[str]:
    """Every dotted key that a user can set."""
    return list(_fields(RunConfig, ""))


def _read(path: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read as YAML: {error}") from error
    if not isinstance(document, dict):
        raise UsageError(f"{path}: got {type(document).__name__}; expected sections with keys")
    return cast("dict[str, Any]", document)


def _apply(document: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    if not separator:
        raise UsageError(f"override {override!r}: expected section.key=value")
    *sections, last = key.strip().split(".")
    place = document
    for section in sections:
        place = place.setdefault(section, {})
        if not isinstance(place, dict):
            raise UsageError(f"override {override!r}: {section} is not a section")
    try:
        place[last] = _number(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise UsageError(f"override {override!r}: {text!r} is not a YAML value") from error


def _number(value: Any) -> Any:
    """Read ``1e-6`` as the number that everyone means; YAML 1.1 takes it for text."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _describe(fault: Any) -> str:
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, field_names(), n=1, cutoff=0.0)
        return f"  {key}: unknown key; the nearest is {near[0]}"
    got = "" if fault["type"] == "missing" else f" (got {fault['input']!r})"
    return f"  {key}: {fault['msg']}{got}"


def _fields(section: type[BaseModel], prefix: str) -> list[str]:
    names: list[str] = []
    for name, field in section.model_fields.items():
        kinds = [field.annotation, *get_args(field.annotation)]
        inner = [k for k in kinds if isinstance(k, type) and issubclass(k, Section)]
        names += _fields(inner[0], f"{prefix}{name}.") if inner else [prefix + name]
    return names
