"""From a policy's name to a policy: scripted, an endpoint, or weights in a directory."""

from tb_envs.errors import UsageError
from tb_envs.policies import Policy, make_policy

LOCAL = ("hf", "vllm")


def policy_of(name: str, temperature: float | None = None) -> Policy:
    """Make the policy that a name stands for.

    Args:
        name: ``oracle``, ``idle``, ``trap``, ``random``, ``openai:MODEL``, ``hf:DIR`` or
            ``vllm:DIR``.
        temperature: For sampled policies; None leaves it to the endpoint, and is 1.0 for weights.

    Raises:
        UsageError: the name stands for nothing, or what it needs is not installed.
    """
    kind, _, where = name.partition(":")
    if kind not in LOCAL:
        return make_policy(name, temperature=temperature)
    if not where:
        raise UsageError(f"got {name!r}; expected {kind}:DIR with a model directory or hub name")
    try:
        from tb_trainer.selection.local import local_policy  # torch is an extra
    except ImportError as error:
        raise UsageError(f"{name} needs the extra `train` (and `gpu` for vllm): {error}") from error
    return local_policy(kind, where, 1.0 if temperature is None else temperature)
