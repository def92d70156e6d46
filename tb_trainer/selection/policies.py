"""From a policy's name to a policy: scripted, an endpoint, or weights in a directory."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from pydantic import Field

from tb_envs.errors import UsageError
from tb_envs.outcome import Record
from tb_envs.policies import Policy, make_policy

LOCAL = ("hf", "vllm")


class PolicySettings(Record):
    """How a policy samples; filed with the results.

    ``temperature`` None leaves it to the endpoint, and is 1.0 for weights. The others are for
    weights only: ``chat_template`` None takes the shipped template that the tokenizer carries.
    """

    temperature: float | None = Field(default=None, ge=0)
    chat_template: str | None = None
    context_tokens: int = Field(default=16_384, ge=1)
    turn_tokens: int = Field(default=2_048, ge=1)


def policy_of(name: str, settings: PolicySettings) -> Policy:
    """Make the policy that a name stands for.

    Args:
        name: ``oracle``, ``idle``, ``trap``, ``random``, ``openai:MODEL``, ``hf:DIR`` or
            ``vllm:DIR``.
        settings: How it samples.

    Raises:
        UsageError: the name stands for nothing, or what it needs is not installed.
    """
    kind, _, where = name.partition(":")
    if kind not in LOCAL:
        return make_policy(name, temperature=settings.temperature)
    if not where:
        raise UsageError(f"got {name!r}; expected {kind}:DIR with a model directory or hub name")
    try:
        from tb_trainer.selection.local import local_policy  # torch is an extra
    except ImportError as error:
        raise UsageError(f"{name} needs the extra `train` (for vllm `gpu`): {error}") from error
    return local_policy(name, settings)


@contextmanager
def closing_policy(policy: Policy) -> Generator[Policy]:
    """Use a policy and release what it holds: an endpoint's connections, an engine."""
    try:
        yield policy
    finally:
        for owner in (policy, engine_of(policy)):
            close = getattr(owner, "close", None)
            if close is not None:
                close()


def engine_of(policy: Policy) -> Any:
    """The engine behind a policy that plays weights; None for any other policy."""
    return getattr(policy, "engine", None)
