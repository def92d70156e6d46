"""From a policy's name to a policy."""

from tb_envs.endpoints import Endpoint
from tb_envs.errors import UsageError
from tb_envs.policies.idle import IdlePolicy, TalkativePolicy
from tb_envs.policies.openai import OpenAIPolicy
from tb_envs.policies.protocol import Policy
from tb_envs.policies.random import RandomPolicy
from tb_envs.policies.scripted import OraclePolicy, TrapPolicy

_NAMES = "oracle, idle, trap, trap:<name or index>, random, talkative, openai:<model>"


def make_policy(name: str, *, temperature: float | None = None) -> Policy:
    """Make the policy that a name stands for.

    Args:
        name: ``oracle``, ``idle``, ``trap``, ``trap:<name or index>``, ``random``, ``talkative``,
            or ``openai:<model>`` at the endpoint that ``TB_POLICY_*`` configures.
        temperature: For models; None leaves it to the endpoint.

    Raises:
        UsageError: the name stands for nothing, or the endpoint is not configured.
    """
    kind, colon, rest = name.partition(":")
    if kind == "openai" and rest:
        endpoint = Endpoint.from_environment("policy", model=rest)
        return OpenAIPolicy(endpoint, temperature=temperature)
    if kind == "trap" and bool(colon) == bool(rest):
        return TrapPolicy(int(rest) if rest.isdecimal() else rest or None)
    simple = {
        "oracle": OraclePolicy,
        "idle": IdlePolicy,
        "random": RandomPolicy,
        "talkative": TalkativePolicy,
    }
    if name not in simple:
        raise UsageError(f"got policy {name!r}; expected {_NAMES}")
    return simple[name]()
