"""Policies that need no model of ours: scripted ones, and any OpenAI-compatible endpoint."""

from tb_envs.policies.idle import IdlePolicy, TalkativePolicy
from tb_envs.policies.making import make_policy
from tb_envs.policies.openai import OpenAIPolicy
from tb_envs.policies.protocol import ContextExhausted, EpisodeContext, Policy, PolicySession
from tb_envs.policies.random import RandomPolicy
from tb_envs.policies.scripted import OraclePolicy, TrapPolicy

__all__ = [
    "ContextExhausted",
    "EpisodeContext",
    "IdlePolicy",
    "OpenAIPolicy",
    "OraclePolicy",
    "Policy",
    "PolicySession",
    "RandomPolicy",
    "TalkativePolicy",
    "TrapPolicy",
    "make_policy",
]
