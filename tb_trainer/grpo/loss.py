"""The clipped policy-gradient loss over a flat list of sampled tokens.

N is the number of sampled tokens in the call; a micro-batch passes its own, and the losses of all
micro-batches on all ranks add up to the loss of the batch, because the weights are global.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class LossSettings:
    """How far a token's probability may move, and what pulls it back.

    ``clip_eps_low`` and ``clip_eps_high`` bound the ratio to [1 - low, 1 + high]. ``kl_coef``
    scales the KL penalty; 0 needs no reference model. ``importance_cap`` truncates the correction
    for the gap between sampler and learner; None applies no correction.
    """

    clip_eps_low: float = 0.2
    clip_eps_high: float = 0.28
    kl_coef: float = 0.0
    importance_cap: float | None = 2.0


@dataclass(frozen=True, slots=True)
class LossInputs:
    """All tensors are float32 [N].

    ``logprobs`` carry the gradient. ``old_logprobs`` are the learner's own before the update (the
    denominator of the clipped ratio), ``sampling_logprobs`` the engine's at sampling time.
    """

    logprobs: Tensor
    old_logprobs: Tensor
    sampling_logprobs: Tensor
    advantages: Tensor
    weights: Tensor
    ref_logprobs: Tensor | None = None


@dataclass(frozen=True, slots=True)
class LossOutputs:
    """``loss`` is a scalar with gradient; the rest are weighted sums or maxima over the N tokens.

    Sums add up over micro-batches like the loss does; ``sampler_gap_max`` is a maximum.
    """

    loss: Tensor
    clip_fraction: float
    approx_kl: float
    ref_kl: float
    importance: float
    sampler_gap: float
    sampler_gap_max: float


def policy_loss(inputs: LossInputs, settings: LossSettings) -> LossOutputs:
    """Compute the weighted sum of clipped token losses.

    Per token: ``-c * min(r * A, clip(r, 1-low, 1+high) * A) + kl_coef * k3`` with
    ``r = exp(logprob - old_logprob)``, ``c = min(exp(old_logprob - sampling_logprob), cap)`` and
    the estimator k3 = exp(d) - d - 1, d = ref_logprob - logprob (Schulman 2020, "Approximating KL
    divergence").
    """
    log_ratio = inputs.logprobs - inputs.old_logprobs
    ratio = torch.exp(log_ratio)
    clipped = ratio.clamp(1.0 - settings.clip_eps_low, 1.0 + settings.clip_eps_high)
    surrogate = torch.minimum(ratio * inputs.advantages, clipped * inputs.advantages)
    gap = (inputs.old_logprobs - inputs.sampling_logprobs).detach()
    correction = _correction(gap, settings.importance_cap)
    token_loss = -correction * surrogate
    ref_kl = torch.zeros_like(token_loss)
    if inputs.ref_logprobs is not None:
        distance = inputs.ref_logprobs - inputs.logprobs
        ref_kl = torch.exp(distance) - distance - 1.0
        token_loss = token_loss + settings.kl_coef * ref_kl
    loss = (inputs.weights * token_loss).sum()
    was_clipped = clipped.detach() * inputs.advantages < ratio.detach() * inputs.advantages
    with torch.no_grad():
        return LossOutputs(
            loss=loss,
            clip_fraction=_weighted(inputs, was_clipped.float()),
            approx_kl=_weighted(inputs, ratio - 1.0 - log_ratio),
            ref_kl=_weighted(inputs, ref_kl),
            importance=_weighted(inputs, correction),
            sampler_gap=_weighted(inputs, gap.abs()),
            sampler_gap_max=float(gap.abs().max()) if gap.numel() else 0.0,
        )


def _correction(gap: Tensor, cap: float | None) -> Tensor:
    """Truncated importance weight of each token; 1 where no correction is asked for."""
    return torch.ones_like(gap) if cap is None else torch.exp(gap).clamp(max=cap)


def _weighted(inputs: LossInputs, values: Tensor) -> float:
    return float((inputs.weights * values).sum())
