"""The model with its loss, as one module: what a learner's backward pass starts from."""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from tb_envs.errors import UsageError
from tb_trainer.grpo.logprobs import token_logprobs
from tb_trainer.grpo.loss import LossInputs, LossOutputs, policy_loss
from tb_trainer.learners.batch import MicroBatch
from tb_trainer.learners.protocol import LearnerSettings
from tb_trainer.learners.sequence_parallel import SequenceShard

_AFTER_THE_HEAD = (
    "final_logit_softcapping", "logit_scale", "logits_scaling", "lm_head_multiplier",
    "output_multiplier",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ObjectiveOutputs:
    """The loss part of a micro-batch, its tokens' weights and weighted entropies, both added up."""

    loss: LossOutputs
    entropy: float
    weight: float


class Objective(nn.Module):
    """Runs the decoder, takes log-probabilities where tokens were sampled, computes the loss.

    Args:
        model: The policy.
        settings: Chunk, temperature, clipping.
        shard: This rank's part of each sequence, with sequence parallelism.

    Raises:
        UsageError: the model scales or caps the logits that its head gives; the chunked head here
            does not, so that its probabilities would be another distribution's.
    """

    def __init__(
        self, model: PreTrainedModel, settings: LearnerSettings, shard: SequenceShard | None = None
    ) -> None:
        super().__init__()
        text = model.config.get_text_config()
        for name in _AFTER_THE_HEAD:
            if (value := getattr(text, name, None)) not in (None, 1.0):
                raise UsageError(
                    f"{model.config.model_type} changes logits after its head ({name} = {value}), "
                    "which the learners do not follow; train a model without it"
                )
        self.model = model
        self._head = LogprobHead(cast("nn.Linear", model.get_output_embeddings()), settings)
        self._settings = settings
        self._shard = shard

    def forward(
        self, micro: MicroBatch, *, loss: bool = True
    ) -> tuple[Tensor, ObjectiveOutputs | None]:
        """Return log-probabilities [N] without a loss, or the scalar loss with its statistics.

        With sequence parallelism the loss is that of the tokens which this rank's slice predicts.
        """
        whole = micro
        if self._shard is not None:
            micro = self._shard.take(whole)
        logprobs, entropy = self._logprobs(micro)
        if not loss:
            return logprobs if self._shard is None else self._shard.join(whole, logprobs), None
        old = logprobs.detach() if micro.old_logprobs is None else micro.old_logprobs
        outputs = policy_loss(
            LossInputs(
                logprobs=logprobs,
                old_logprobs=old,
                sampling_logprobs=micro.sampling_logprobs,
                advantages=micro.advantages,
                weights=micro.weights,
                ref_logprobs=micro.ref_logprobs,
            ),
            self._settings.loss,
        )
        weighted = float((entropy * micro.weights).sum())
        return outputs.loss, ObjectiveOutputs(outputs, weighted, float(micro.weights.sum()))

    def _logprobs(self, micro: MicroBatch) -> tuple[Tensor, Tensor]:
        positions = None if self._shard is None else self._shard.positions(micro.ids)
        hidden = self.model.get_decoder()(
            input_ids=micro.ids, position_ids=positions, use_cache=False
        ).last_hidden_state  # [B, T, H]
        chosen = hidden.flatten(0, 1).index_select(0, micro.sources)  # [N, H]
        return cast("tuple[Tensor, Tensor]", self._head(chosen, micro.targets))


class LogprobHead(nn.Module):
    """The output layer, called once a micro-batch however many chunks it works in.

    Parameter sharding gathers a module's weights when the module is called. Were each chunk a call,
    ranks with different numbers of chunks would wait for each other for ever.
    """

    def __init__(self, head: nn.Linear, settings: LearnerSettings) -> None:
        super().__init__()
        self.weight = head.weight
        self.bias = head.bias
        self._settings = settings

    def forward(self, hidden: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities and entropies, both [N], of states [N, H] and targets [N]."""
        return token_logprobs(
            hidden,
            targets,
            lambda states: nn.functional.linear(states, self.weight, self.bias),
            temperature=self._settings.temperature,
            chunk_tokens=self._settings.logprob_chunk,
        )


def autocast(settings: LearnerSettings, device: torch.device) -> torch.autocast:
    """Compute in the configured type while parameters stay as they are."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=settings.dtype == "bfloat16")
