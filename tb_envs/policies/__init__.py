"""Policies that need no model of ours: scripted ones and any OpenAI-compatible endpoint."""

from tb_envs.policies.protocol import ContextExhausted, EpisodeContext, Policy, PolicySession

__all__ = ["ContextExhausted", "EpisodeContext", "Policy", "PolicySession"]
