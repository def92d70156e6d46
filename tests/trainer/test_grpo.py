"""Advantages, weights and losses against values worked out by hand."""

import math

import pytest
import torch

from tb_envs.errors import UsageError
from tb_trainer.grpo import (
    LossInputs,
    LossSettings,
    apply_overlong,
    group_advantages,
    policy_loss,
    token_logprobs,
    token_weights,
)
from tb_trainer.grpo.advantages import has_signal


def group(passes: int, size: int = 8) -> list[float]:
    return [1.0] * passes + [0.0] * (size - passes)


@pytest.mark.parametrize(
    ("passes", "won", "lost"),
    [(1, 2.475, -0.354), (2, 1.620, -0.540), (4, 0.935, -0.935), (7, 0.354, -2.475)],
)
def test_grpo_divides_by_the_sample_standard_deviation(
    passes: int, won: float, lost: float
) -> None:
    advantages = group_advantages(group(passes), "grpo")
    assert advantages[0] == pytest.approx(won, abs=1e-3)
    assert advantages[-1] == pytest.approx(lost, abs=1e-3)


def test_dr_grpo_only_centres() -> None:
    assert group_advantages(group(2), "dr_grpo") == pytest.approx([0.75] * 2 + [-0.25] * 6)


def test_rloo_compares_with_the_mean_of_the_others() -> None:
    # 1 - 1/7 for a pass among 2 of 8, 0 - 2/7 for a failure.
    assert group_advantages(group(2), "rloo") == pytest.approx([6 / 7] * 2 + [-2 / 7] * 6)


@pytest.mark.parametrize("estimator", ["grpo", "dr_grpo", "rloo"])
def test_equal_rewards_carry_no_signal(estimator: str) -> None:
    for passes in (0, 8):
        assert not has_signal(group(passes))
        assert group_advantages(group(passes), estimator) == [0.0] * 8  # pyright: ignore[reportArgumentType]


def test_a_group_of_one_is_refused() -> None:
    with pytest.raises(UsageError, match="got 1"):
        group_advantages([1.0], "grpo")


def test_token_weights_are_the_mean_over_all_tokens_of_the_batch() -> None:
    assert token_weights([3, 1], "token") == [0.25, 0.25]


def test_sequence_weights_count_each_sequence_alike() -> None:
    assert token_weights([4, 1, 0], "sequence") == [0.125, 0.5, 0.0]


def test_constant_weights_divide_by_a_fixed_length() -> None:
    assert token_weights([4, 1], "constant", max_response_tokens=10) == [0.05, 0.05]
    with pytest.raises(UsageError, match="max_response_tokens"):
        token_weights([4, 1], "constant")


def inputs(ratio: float, advantage: float, *, gap: float = 0.0) -> LossInputs:
    old = torch.tensor([-1.0])
    return LossInputs(
        logprobs=(old + math.log(ratio)).requires_grad_(),
        old_logprobs=old,
        sampling_logprobs=old - gap,
        advantages=torch.tensor([advantage]),
        weights=torch.tensor([0.5]),
    )


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "moves"),
    [
        (1.0, 2.0, -1.0, True),  # -0.5 * 1 * 2
        (1.5, 2.0, -1.28, False),  # clipped at 1.28
        (0.5, 2.0, -0.5, True),  # not clipped: the pessimistic bound lets it come back
        (0.5, -2.0, 0.8, False),  # clipped at 0.8
        (1.5, -2.0, 1.5, True),
    ],
)
def test_the_ratio_is_clipped_only_where_that_lowers_the_gain(
    ratio: float, advantage: float, loss: float, moves: bool
) -> None:
    given = inputs(ratio, advantage)
    out = policy_loss(given, LossSettings(importance_cap=None))
    out.loss.backward()
    assert out.loss.item() == pytest.approx(loss, abs=1e-5)
    assert (given.logprobs.grad != 0).item() is moves
    assert out.clip_fraction == (0.0 if moves else 0.5)


def test_the_correction_for_the_sampler_is_truncated() -> None:
    assert policy_loss(inputs(1.0, 1.0, gap=math.log(1.5)), LossSettings()).loss.item() == (
        pytest.approx(-0.75)
    )
    assert policy_loss(inputs(1.0, 1.0, gap=math.log(9.0)), LossSettings()).loss.item() == (
        pytest.approx(-1.0)
    )


def test_the_kl_penalty_is_the_k3_estimate() -> None:
    base = inputs(1.0, 0.0)
    with_ref = LossInputs(
        base.logprobs, base.old_logprobs, base.sampling_logprobs, base.advantages, base.weights,
        ref_logprobs=base.old_logprobs + math.log(2.0),
    )  # fmt: skip
    out = policy_loss(with_ref, LossSettings(kl_coef=0.1))
    # 0.5 * 0.1 * (2 - ln 2 - 1)
    assert out.loss.item() == pytest.approx(0.05 * (1.0 - math.log(2.0)), abs=1e-6)


def test_any_cut_into_micro_batches_gives_the_same_gradient() -> None:
    torch.manual_seed(0)
    whole = torch.randn(10, dtype=torch.float64)
    advantages = torch.randn(10, dtype=torch.float64)
    weights = torch.tensor([0.1] * 10, dtype=torch.float64)

    def gradient(cuts: list[slice]) -> torch.Tensor:
        logprobs = whole.clone().requires_grad_()
        for cut in cuts:
            old = whole[cut] + 0.1
            policy_loss(
                LossInputs(logprobs[cut], old, old, advantages[cut], weights[cut]), LossSettings()
            ).loss.backward()
        assert logprobs.grad is not None
        return logprobs.grad

    one = gradient([slice(0, 10)])
    assert torch.equal(one, gradient([slice(0, 3), slice(3, 4), slice(4, 10)]))


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("chunk", [0, 3, 64])
def test_chunked_logprobs_equal_a_full_log_softmax(chunk: int, temperature: float) -> None:
    torch.manual_seed(1)
    hidden = torch.randn(10, 8, dtype=torch.float32, requires_grad=True)
    head = torch.nn.Linear(8, 50, bias=False)
    targets = torch.randint(50, (10,))
    reference = torch.log_softmax(head(hidden) / temperature, -1)
    expected = reference.gather(-1, targets[:, None]).squeeze(-1)
    (expected_grad,) = torch.autograd.grad(expected.sum(), hidden)

    got, entropy = token_logprobs(
        hidden, targets, head, temperature=temperature, chunk_tokens=chunk
    )
    (grad,) = torch.autograd.grad(got.sum(), hidden)

    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(grad, expected_grad)
    torch.testing.assert_close(entropy, -(reference.exp() * reference).sum(-1))
    assert not entropy.requires_grad


def test_a_cut_episode_is_kept_masked_or_penalised() -> None:
    rewards, cut = [1.0, 1.0, 0.0], [True, False, True]
    assert apply_overlong(rewards, cut, "keep") == ([1.0, 1.0, 0.0], [True, True, True])
    assert apply_overlong(rewards, cut, "mask") == ([1.0, 1.0, 0.0], [False, True, False])
    assert apply_overlong(rewards, cut, "penalise") == ([0.5, 1.0, -0.5], [True, True, True])
