"""A run's configuration: small typed sections, YAML, overrides from the command line."""

from tb_trainer.config.load import load_config, render_config
from tb_trainer.config.sections import (
    EngineConfig,
    GrpoConfig,
    LearnerConfig,
    ModelConfig,
    RolloutConfig,
    RunConfig,
    TasksConfig,
)

__all__ = [
    "EngineConfig",
    "GrpoConfig",
    "LearnerConfig",
    "ModelConfig",
    "RolloutConfig",
    "RunConfig",
    "TasksConfig",
    "load_config",
    "render_config",
]
