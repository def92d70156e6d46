"""One update of the learner against a plain full-batch computation, and its invariances."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import PreTrainedModel

from tb_envs.errors import UsageError
from tb_trainer.grpo import LossSettings
from tb_trainer.learners import LearnerSettings, TrainSequence, micro_batches
from tb_trainer.learners.torch_learner import TorchLearner, learning_rate
from tb_trainer.trajectory import Trajectory

Maker = Callable[..., PreTrainedModel]


def sequence(
    length: int, *, advantage: float = 1.0, weight: float = 0.05, seed: int = 0
) -> TrainSequence:
    ids = torch.randint(
        1, 290, (length,), generator=torch.Generator().manual_seed(seed + length)
    ).tolist()
    mask = tuple(1 if place % 3 else 0 for place in range(length))
    return TrainSequence(
        Trajectory(tuple(ids), mask, tuple(-4.0 * m for m in mask), ((1, length),)),
        advantage,
        weight,
    )


BATCH = [
    sequence(17, advantage=1.5),
    sequence(9, advantage=-0.5),
    sequence(30, advantage=-1.0),
    sequence(12, advantage=0.7),
    sequence(12, advantage=-0.7, seed=9),
]


def settings(**changes: object) -> LearnerSettings:
    base: dict[str, object] = {"learning_rate": 1e-2, "loss": LossSettings(importance_cap=None)}
    return LearnerSettings(**(base | changes))  # pyright: ignore[reportArgumentType]


def plain_gradient(model: PreTrainedModel) -> dict[str, torch.Tensor]:
    """The gradient by the book: sum of weight x advantage x logprob, one sequence at a time."""
    for one in BATCH:
        ids = torch.tensor([one.trajectory.ids])
        logprobs = torch.log_softmax(model(input_ids=ids).logits[0, :-1], -1)
        chosen = logprobs.gather(-1, ids[0, 1:, None]).squeeze(-1)
        mask = torch.tensor(one.trajectory.loss_mask[1:])
        (-(chosen * mask).sum() * one.weight * one.advantage).backward()
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("budget", [1, 40, 10_000])
@pytest.mark.parametrize("checkpointing", [False, True])
def test_an_update_is_the_same_however_the_batch_is_cut(
    tiny_model: Maker, budget: int, checkpointing: bool
) -> None:
    reference = tiny_model()
    gradient = plain_gradient(reference)
    norm = torch.cat([g.flatten() for g in gradient.values()]).norm()
    optimizer = torch.optim.AdamW(reference.parameters(), lr=1e-2, weight_decay=0.0)
    torch.nn.utils.clip_grad_norm_(reference.parameters(), 1.0)
    optimizer.step()

    learner = TorchLearner(
        tiny_model(),
        settings(micro_batch_tokens=budget, logprob_chunk=7, gradient_checkpointing=checkpointing),
    )
    stats = learner.update(BATCH)

    assert stats.grad_norm == pytest.approx(float(norm), rel=1e-4)
    for (name, got), (_, expected) in zip(
        learner.model.named_parameters(), reference.named_parameters(), strict=True
    ):
        # Adam's first step is the sign of the gradient: a gradient near zero may flip.
        close = torch.isclose(got, expected, atol=1e-4).float().mean()
        assert close > 0.99, name


@pytest.mark.parametrize("weight", [0.05, 0.001])
def test_statistics_are_means_a_token_whatever_the_weights_add_up_to(
    tiny_model: Maker, weight: float
) -> None:
    """Dr. GRPO's fixed length makes the weights add up to less than 1, and an alarm reads nats."""
    batch = [replace(one, weight=weight) for one in BATCH]
    model = tiny_model()
    nats = [-value for one in TorchLearner(model, settings()).logprobs(batch) for value in one]
    stats = TorchLearner(model, settings(micro_batch_tokens=40)).update(batch)
    # All were sampled with -4.
    gaps = [abs(-value + 4.0) for value in nats]
    assert stats.sampler_gap == pytest.approx(sum(gaps) / len(gaps), rel=1e-4)
    assert stats.importance == pytest.approx(1.0)


def test_logprobs_keep_the_order_of_the_sequences(tiny_model: Maker) -> None:
    model = tiny_model()
    together = TorchLearner(model, settings(micro_batch_tokens=40)).logprobs(BATCH)
    for one, got in zip(BATCH, together, strict=True):
        (alone,) = TorchLearner(model, settings()).logprobs([one])
        assert len(got) == one.trajectory.sampled_tokens
        assert got == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "dropout"),
    [
        ("qwen3", {"attention_dropout": 0.5}),
        ("gpt2", {"attn_pdrop": 0.5, "resid_pdrop": 0.5, "embd_pdrop": 0.5}),
    ],
)
def test_a_models_dropout_is_off_since_the_sampler_has_none(
    tiny_model: Maker, kind: str, dropout: dict[str, float]
) -> None:
    model = tiny_model(kind, **dropout)
    learner = TorchLearner(model, settings(gradient_checkpointing=True))
    first = learner.update(BATCH)
    again = TorchLearner(tiny_model(kind, **dropout), settings()).logprobs(BATCH)
    alone = tiny_model(kind, **dropout).eval()
    for one, got in zip(BATCH, again, strict=True):
        ids = torch.tensor([one.trajectory.ids])
        expected = torch.log_softmax(alone(input_ids=ids).logits[0, :-1], -1)
        chosen = expected.gather(-1, ids[0, 1:, None]).squeeze(-1)
        mask = torch.tensor(one.trajectory.loss_mask[1:], dtype=torch.bool)
        torch.testing.assert_close(torch.tensor(got), chosen[mask], atol=1e-5, rtol=1e-4)
    gaps = [abs(value + 4.0) for one in again for value in one]
    assert first.sampler_gap == pytest.approx(sum(gaps) / len(gaps), rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("granite", "logits_scaling", 8.0),
        ("cohere", "logit_scale", 0.0625),
        ("gemma2", "final_logit_softcapping", 30.0),
    ],
)
def test_a_model_that_changes_logits_after_its_head_is_refused(
    tiny_model: Maker, kind: str, name: str, value: float
) -> None:
    with pytest.raises(UsageError, match=rf"{kind}.*{name} = {value}"):
        TorchLearner(tiny_model(kind, **{name: value}), settings())
    TorchLearner(tiny_model("granite", logits_scaling=1.0), settings())


def test_a_second_update_on_one_batch_is_measured_against_the_first_policy(
    tiny_model: Maker,
) -> None:
    learner = TorchLearner(tiny_model(), settings(learning_rate=1e-3))
    old = learner.logprobs(BATCH)
    batch = [replace(s, old_logprobs=o) for s, o in zip(BATCH, old, strict=True)]
    first = learner.update(batch)
    second = learner.update(batch)
    assert first.approx_kl == pytest.approx(0.0, abs=1e-6)
    assert second.approx_kl > 1e-6


def test_micro_batches_respect_the_budget_and_lose_nothing() -> None:
    shares = [
        micro_batches(BATCH, budget_tokens=40, multiple=4, rank=rank, world=3) for rank in range(3)
    ]
    assert len({len(share) for share in shares}) == 1, "ranks must stay in step"
    indices = sorted(n for share in shares for cut, _ in share for n in cut)
    assert indices == [0, 1, 2, 3, 4]
    for share in shares:
        for cut, micro in share:
            assert micro.ids.shape[1] % 4 == 0
            assert len(cut) <= 1 or micro.ids.numel() <= 48
            assert cut or not micro.weights.any()


@pytest.mark.parametrize(
    ("lengths", "budget", "padded"),
    [
        # Four of 100 fill one micro-batch and four of 10 another: nothing is padded. As they come,
        # each micro-batch would hold both lengths, 4 x 100 twice, 800 tokens.
        ([100, 10] * 4, 400, [400, 40]),
        # 100 and 90 in 2 x 100, the rest in 3 x 50. As they come: 2 x 100, 2 x 90 and 50.
        ([10, 100, 40, 90, 50], 200, [200, 150]),
        # One that exceeds the budget goes alone.
        ([10, 300, 10], 200, [300, 20]),
    ],
)
def test_sorting_by_length_leaves_little_to_pad(
    lengths: list[int], budget: int, padded: list[int]
) -> None:
    made = micro_batches([sequence(length) for length in lengths], budget_tokens=budget)
    assert [micro.ids.numel() for _, micro in made] == padded


def test_the_budget_counts_the_padding_that_sequence_parallelism_adds() -> None:
    # Lengths 17 and 17 become 20 and 20.
    made = micro_batches([sequence(17), sequence(17)], budget_tokens=39, multiple=4)
    assert [micro.ids.numel() for _, micro in made] == [20, 20]


def test_a_gradient_beyond_the_limit_is_scaled_down_to_it(tiny_model: Maker) -> None:
    learner = TorchLearner(tiny_model(), settings(max_grad_norm=0.01))
    stats = learner.update(BATCH)
    assert stats.grad_norm > 0.01, "what is reported is the norm before"
    # Adam's first moment after one step is 0.1 of the gradient that it was given.
    moments = [state["exp_avg"].flatten() for state in learner._optimizer.state.values()]
    assert torch.cat(moments).norm().item() == pytest.approx(0.1 * 0.01, rel=1e-4)


class LargestLogits(TorchDispatchMode):
    """Notes the most rows of any tensor whose last dimension is the vocabulary."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self.rows = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, tuple | list) else [out]:
            if isinstance(tensor, torch.Tensor) and tensor.shape[-1:] == (self._vocabulary,):
                self.rows = max(self.rows, tensor.numel() // self._vocabulary)
        return out


def test_no_tensor_holds_the_vocabulary_for_more_than_a_chunk_of_tokens(tiny_model: Maker) -> None:
    learner = TorchLearner(tiny_model(vocab_size=1111), settings(logprob_chunk=40))
    assert sequence(200).trajectory.sampled_tokens == 133
    with LargestLogits(1111) as largest:
        learner.update([sequence(200), sequence(150)])
        learner.logprobs([sequence(200)])
    assert largest.rows == 40, "the head's own weight, transposed, has 32"


def test_a_learner_that_was_saved_and_loaded_goes_on_to_the_same_bits(
    tiny_model: Maker, tmp_path: Path
) -> None:
    straight = TorchLearner(tiny_model(), settings(warmup_steps=3))
    stats = [straight.update(BATCH) for _ in range(4)]

    broken = TorchLearner(tiny_model(), settings(warmup_steps=3))
    broken.update(BATCH)
    broken.update(BATCH)
    broken.save(tmp_path)
    resumed = TorchLearner(tiny_model(seed=5), settings(warmup_steps=3))
    resumed.load(tmp_path)
    assert [resumed.update(BATCH), resumed.update(BATCH)] == stats[2:]
    for (_, a), (_, b) in zip(resumed.weights(), straight.weights(), strict=True):
        assert torch.equal(a, b)


def test_a_checkpoint_of_another_kind_of_learner_is_refused(
    tiny_model: Maker, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"learner\.kind=torch did not write it"):
        TorchLearner(tiny_model(), settings()).load(tmp_path)


def test_the_tied_head_is_among_the_weights(tiny_model: Maker) -> None:
    names = [name for name, _ in TorchLearner(tiny_model(), settings()).weights()]
    assert "lm_head.weight" in names
    assert len(names) == len(set(names))


def test_the_rate_rises_in_a_line_and_stays_or_falls_in_a_line() -> None:
    constant = LearnerSettings(learning_rate=1.0, warmup_steps=4)
    assert [learning_rate(constant, step) for step in (0, 3, 4, 99)] == [0.25, 1.0, 1.0, 1.0]
    falling = LearnerSettings(learning_rate=1.0, warmup_steps=4, decay_steps=8)
    assert [learning_rate(falling, step) for step in (3, 4, 8, 12, 99)] == [1, 1, 0.5, 0.05, 0.05]
