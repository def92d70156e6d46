"""Simulated users: ``ScriptedUser`` (deterministic, no network) and ``LLMUser`` (an endpoint)."""

from tb_envs.users.llm import LLMUser
from tb_envs.users.making import UserKind, make_user
from tb_envs.users.protocol import User, UserTurn
from tb_envs.users.scripted import ScriptedUser

__all__ = ["LLMUser", "ScriptedUser", "User", "UserKind", "UserTurn", "make_user"]
