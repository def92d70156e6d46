"""What each token weighs in the loss, fixed once for the global batch.

The loss is a plain sum over all tokens of weight x token loss. The weights are computed before the
batch is cut into micro-batches and spread over ranks, so any cut gives the same gradient: nothing
is averaged per micro-batch or per rank, where an average of averages would go wrong.
"""

from collections.abc import Sequence
from typing import Literal

from tb_envs.errors import UsageError

Aggregation = Literal["token", "sequence", "constant"]


def token_weights(
    sampled_tokens: Sequence[int],
    aggregation: Aggregation,
    *,
    max_response_tokens: int | None = None,
) -> list[float]:
    """Weigh the sampled tokens of each trajectory; one number a trajectory, for each its tokens.

    ``token`` is the mean over all sampled tokens of the batch (DAPO). ``sequence`` is the mean over
    sequences of each sequence's mean (GRPO as first published). ``constant`` divides each
    sequence's sum by a fixed length instead of its own (Dr. GRPO).

    Args:
        sampled_tokens: [N] count of each trajectory that is trained on. A trajectory that is
            masked out must not be in it, so that it dilutes nothing; one with 0 tokens may be.
        aggregation: Which of the three.
        max_response_tokens: The fixed length that ``constant`` divides by.

    Returns:
        [N] weights.
    """
    counted = sum(1 for tokens in sampled_tokens if tokens)
    total = sum(sampled_tokens)
    if total == 0:
        return [0.0] * len(sampled_tokens)
    if aggregation == "token":
        return [1.0 / total] * len(sampled_tokens)
    if aggregation == "sequence":
        return [1.0 / (counted * tokens) if tokens else 0.0 for tokens in sampled_tokens]
    if max_response_tokens is None:
        raise UsageError(
            "aggregation 'constant' needs max_response_tokens, the length it divides by"
        )
    return [1.0 / (counted * max_response_tokens)] * len(sampled_tokens)
