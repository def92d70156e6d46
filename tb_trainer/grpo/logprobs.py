"""Log-probabilities of sampled tokens without a [T, vocabulary] tensor.

At 128k tokens and a vocabulary of 150k, full logits in float32 take 78 GB. Only the positions that
predict a sampled token need logits at all, and a chunk of them at a time is enough: the forward
pass keeps one number a token and one chunk of logits, and the backward pass computes each other
chunk's again.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def token_logprobs(
    hidden: Tensor,
    targets: Tensor,
    head: Callable[[Tensor], Tensor],
    *,
    temperature: float = 1.0,
    chunk_tokens: int = 1024,
) -> tuple[Tensor, Tensor]:
    """Compute log p(target | hidden) and the entropy of each distribution, chunk by chunk.

    Args:
        hidden: [N, H] last hidden states at the positions *before* the targets.
        targets: [N] token ids.
        head: Maps [n, H] to logits [n, V]; a module, so that sharded weights gather as usual.
        temperature: Logits are divided by it, as the sampler did.
        chunk_tokens: Rows a chunk; 0 takes all rows at once and keeps their logits.

    Returns:
        Two float32 tensors [N]: log-probabilities (with gradient) and entropies (without).
    """

    def chunk(states: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
        return _chunk_logprobs(states, ids, head, temperature)

    if chunk_tokens <= 0 or hidden.shape[0] == 0:
        return chunk(hidden, targets)
    logprobs: list[Tensor] = []
    entropies: list[Tensor] = []
    for start in range(0, hidden.shape[0], chunk_tokens):
        piece = slice(start, start + chunk_tokens)
        # The backward pass begins with the last chunk: to drop it and make it again saves nothing.
        last = piece.stop >= hidden.shape[0]
        if torch.is_grad_enabled() and not last:
            logp, entropy = checkpoint(chunk, hidden[piece], targets[piece], use_reentrant=False)
        else:
            logp, entropy = chunk(hidden[piece], targets[piece])
        logprobs.append(logp)
        entropies.append(entropy)
    return torch.cat(logprobs), torch.cat(entropies)


def _chunk_logprobs(
    hidden: Tensor, targets: Tensor, head: Callable[[Tensor], Tensor], temperature: float
) -> tuple[Tensor, Tensor]:
    logits = head(hidden).float() / temperature  # [n, V]
    normaliser = torch.logsumexp(logits, dim=-1)  # [n]
    chosen = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # [n]
    with torch.no_grad():
        probabilities = torch.exp(logits - normaliser.unsqueeze(-1))
        entropy = normaliser - (probabilities * logits).sum(-1)
    return chosen - normaliser, entropy
