"""From a kind of user to the user of an episode."""

from typing import Literal

from tb_envs.chat_client import shared_client
from tb_envs.endpoints import Endpoint
from tb_envs.errors import UsageError
from tb_envs.specs.models import UserSpec
from tb_envs.users.llm import LLMUser
from tb_envs.users.protocol import User
from tb_envs.users.scripted import ScriptedUser

UserKind = Literal["scripted", "llm"]


def make_user(kind: UserKind, spec: UserSpec, *, seed: int) -> User:
    """Make the user of one episode.

    Args:
        kind: ``scripted`` needs nothing; ``llm`` asks the endpoint that ``TB_USER_*`` configures.
        spec: Who the user is.
        seed: The episode's seed.

    Raises:
        UsageError: the kind is unknown, or the endpoint is not configured.
    """
    if kind == "scripted":
        return ScriptedUser(spec, seed)
    if kind == "llm":
        return LLMUser(spec, seed, shared_client(Endpoint.from_environment("user")))
    raise UsageError(f"got user={kind!r}; expected 'scripted' or 'llm'")
