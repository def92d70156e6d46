"""What the loader of verifiers finds: ``vf-eval thinkingbox-verifiers``."""

from tb_envs.adapters.verifiers import (
    ThinkingBoxHarness,
    ThinkingBoxTaskset,
    ThinkingBoxVerifiersEnv,
)

__all__ = ["ThinkingBoxHarness", "ThinkingBoxTaskset", "ThinkingBoxVerifiersEnv"]
