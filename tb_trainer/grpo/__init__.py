"""GRPO, one idea a module: advantages, token weights, log-probabilities, loss, over-long episodes.

Sources: GRPO (Shao et al. 2024, arXiv:2402.03300); DAPO (Yu et al. 2025, arXiv:2503.14476) for
token mean, clip-higher and the replacement of groups without signal; Dr. GRPO (Liu et al. 2025,
arXiv:2503.20783); RLOO (Ahmadian et al. 2024, arXiv:2402.14740); truncated importance sampling
between sampler and learner (Yao et al. 2025, "Your efficient RL framework secretly brings you
off-policy RL training").
"""

from tb_trainer.grpo.advantages import ESTIMATORS, Estimator, group_advantages
from tb_trainer.grpo.logprobs import token_logprobs
from tb_trainer.grpo.loss import LossInputs, LossOutputs, LossSettings, policy_loss
from tb_trainer.grpo.overlong import Overlong, apply_overlong
from tb_trainer.grpo.weights import Aggregation, token_weights

__all__ = [
    "ESTIMATORS",
    "Aggregation",
    "Estimator",
    "LossInputs",
    "LossOutputs",
    "LossSettings",
    "Overlong",
    "apply_overlong",
    "group_advantages",
    "policy_loss",
    "token_logprobs",
    "token_weights",
]
