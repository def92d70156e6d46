"""Simulated users: ``ScriptedUser`` (deterministic, no network) and ``LLMUser`` (an endpoint)."""

from tb_envs.users.protocol import User, UserTurn
from tb_envs.users.scripted import ScriptedUser

__all__ = ["ScriptedUser", "User", "UserTurn"]
