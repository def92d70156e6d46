"""Real processes: any number of ranks, parallel or sharded, learns what one process does."""

import pickle
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from tb_trainer.grpo import LossSettings
from tb_trainer.learners import LearnerSettings, TrainSequence, UpdateStats
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.models import build_model
from tb_trainer.trajectory import Trajectory
from tests.launch import launch

WORKER = Path(__file__).parent / "workers" / "learn.py"
STEPS = 4
MODEL = {
    "model_type": "qwen3", "vocab_size": 120, "hidden_size": 32, "intermediate_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "tie_word_embeddings": True, "initializer_range": 0.1,
}  # fmt: skip

HYBRID = MODEL | {
    "model_type": "qwen3_5_text", "layer_types": ["linear_attention", "full_attention"],
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,
    "linear_value_head_dim": 8, "head_dim": 32, "tie_word_embeddings": False,
}  # fmt: skip
"""Qwen3.5's to 3.8's architecture: a layer of a gated delta rule, and one of attention."""


def sequence(length: int, advantage: float) -> TrainSequence:
    ids = torch.randint(1, 110, (length,), generator=torch.Generator().manual_seed(length))
    mask = tuple(1 if place % 4 else 0 for place in range(length))
    trajectory = Trajectory(
        tuple(ids.tolist()), mask, tuple(-4.7 * m for m in mask), ((1, length),)
    )
    return TrainSequence(trajectory, advantage, weight=1 / 60)


@cache
def batch() -> list[TrainSequence]:
    """Sequences with the first policy's log-probabilities, so that the loss moves with the weights.

    Without them the ratio is 1 in each step, and the loss is the same number whatever is learned.
    """
    drawn = [
        sequence(23, 1.0),
        sequence(9, -0.5),
        sequence(30, -1.0),
        sequence(14, 0.7),
        sequence(5, 1),
    ]
    old = TorchLearner(build_model(MODEL, seed=0), settings()).logprobs(drawn)
    return [replace(one, old_logprobs=before) for one, before in zip(drawn, old, strict=True)]


def settings(**changes: Any) -> LearnerSettings:
    base = {"learning_rate": 2e-3, "micro_batch_tokens": 40, "logprob_chunk": 8,
            "loss": LossSettings(importance_cap=None)}  # fmt: skip
    return LearnerSettings(**(base | changes))


@dataclass(frozen=True)
class Outcome:
    stats: list[UpdateStats]
    logprobs: list[tuple[float, ...]]
    weights: dict[str, torch.Tensor]


def learn_alone(model: dict[str, Any]) -> Outcome:
    learner = TorchLearner(build_model(model, seed=0), settings())
    logprobs = learner.logprobs(batch())
    stats = [learner.update(batch()) for _ in range(STEPS)]
    weights = {name: tensor.clone() for name, tensor in learner.weights()}
    return Outcome(stats, logprobs, weights)


def learn(directory: Path, ranks: int, learner: str = "torch", **job: Any) -> Outcome:
    default = {"model": MODEL, "steps": STEPS, "sequences": batch(), "resume_at": None}
    work = {name: job.pop(name, value) for name, value in default.items()}
    work |= {"learner": learner, "settings": settings(**job)}
    (directory / "job.pkl").write_bytes(pickle.dumps(work))
    launch(ranks, WORKER, directory)
    stats, logprobs = pickle.loads((directory / "out.pkl").read_bytes())
    return Outcome(stats, logprobs, torch.load(directory / "weights.pt"))


@pytest.fixture(scope="module")
def one_process() -> Outcome:
    outcome = learn_alone(MODEL)
    losses = [one.loss for one in outcome.stats]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] - losses[-1] > 0.05, losses
    return outcome


def assert_same(got: Outcome, expected: Outcome, *, tolerance: float = 2e-5) -> None:
    for mine, theirs in zip(got.logprobs, expected.logprobs, strict=True):
        assert mine == pytest.approx(theirs, abs=tolerance)
    for mine, theirs in zip(got.stats, expected.stats, strict=True):
        assert mine.loss == pytest.approx(theirs.loss, abs=tolerance)
        assert mine.clip_fraction == pytest.approx(theirs.clip_fraction, abs=tolerance)
        assert mine.entropy == pytest.approx(theirs.entropy, abs=1e-4)
        assert mine.grad_norm == pytest.approx(theirs.grad_norm, rel=1e-3)
    assert got.weights.keys() == expected.weights.keys()
    for name, tensor in got.weights.items():
        # Adam divides by the gradient's own size, so rounding shows where gradients are near zero.
        assert (tensor - expected.weights[name]).abs().mean() < tolerance, name


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "parallel"), [(2, 1), (2, 2), (4, 2)])
def test_plain_ranks_learn_what_one_process_learns(
    tmp_path: Path, one_process: Outcome, ranks: int, parallel: int
) -> None:
    assert_same(learn(tmp_path, ranks, sequence_parallel=parallel), one_process)


@pytest.mark.slow
def test_ranks_that_share_sequences_of_a_gated_delta_model_learn_what_one_process_learns(
    tmp_path: Path,
) -> None:
    got = learn(tmp_path, 2, model=HYBRID, sequence_parallel=2)
    assert_same(got, learn_alone(HYBRID))


@pytest.mark.deepspeed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("ranks", "changes"),
    [
        (1, {"zero_stage": 1}),
        (2, {"zero_stage": 1}),
        (2, {"zero_stage": 2}),
        (2, {"zero_stage": 3}),
        (2, {"zero_stage": 2, "offload": "optimizer"}),
        (2, {"zero_stage": 3, "offload": "all"}),
        (2, {"zero_stage": 3, "gradient_checkpointing": True}),
        (2, {"zero_stage": 3, "sequence_parallel": 2}),
    ],
    ids=lambda value: (
        "-".join(f"{k}={v}" for k, v in value.items())
        if isinstance(value, dict)
        else f"{value}ranks"
    ),
)
def test_deepspeed_learns_what_plain_torch_learns(
    tmp_path: Path, one_process: Outcome, ranks: int, changes: dict[str, Any]
) -> None:
    assert_same(learn(tmp_path, ranks, "deepspeed", **changes), one_process)


@pytest.mark.deepspeed
@pytest.mark.slow
@pytest.mark.parametrize("stage", [2, 3])
def test_deepspeed_resumes_from_its_checkpoint(
    tmp_path: Path, one_process: Outcome, stage: int
) -> None:
    assert_same(learn(tmp_path, 2, "deepspeed", zero_stage=stage, resume_at=2), one_process)


@pytest.mark.deepspeed
@pytest.mark.slow
def test_deepspeed_in_bfloat16_stays_near_float32(tmp_path: Path, one_process: Outcome) -> None:
    got = learn(tmp_path, 2, "deepspeed", zero_stage=3, dtype="bfloat16")
    for mine, theirs in zip(got.logprobs, one_process.logprobs, strict=True):
        assert mine == pytest.approx(theirs, abs=0.05)
    for mine, theirs in zip(got.stats, one_process.stats, strict=True):
        assert mine.loss == pytest.approx(theirs.loss, abs=0.02)
    # Later steps clip other tokens: rounding decides about ratios at the edge.
    assert got.stats[0].grad_norm == pytest.approx(one_process.stats[0].grad_norm, rel=0.01)


@pytest.mark.deepspeed
@pytest.mark.slow
@pytest.mark.parametrize("stage", [1, 3])
def test_deepspeed_in_bfloat16_resumes_from_its_checkpoint(tmp_path: Path, stage: int) -> None:
    resumed, straight = (
        learn(tmp_path, 2, "deepspeed", zero_stage=stage, dtype="bfloat16", resume_at=at)
        for at in (2, None)
    )
    assert_same(resumed, straight, tolerance=1e-6)


@pytest.mark.deepspeed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "offload"),
    [(1, "none"), (2, "none"), (3, "none"), (2, "optimizer"), (3, "optimizer")],
)
def test_deepspeed_in_bfloat16_adds_the_micro_batches_up_in_float32(
    tmp_path: Path, stage: int, offload: str
) -> None:
    """Added up in bfloat16, with 8 bits, a sum would not grow beyond 256 equal gradients."""
    copies = [sequence(6, 1.0)] * 600
    got = learn(
        tmp_path, 1, "deepspeed", sequences=copies, steps=1, zero_stage=stage, offload=offload,
        dtype="bfloat16", micro_batch_tokens=6,
    )  # fmt: skip
    one = TorchLearner(build_model(MODEL, seed=0), settings()).update(copies[:1])
    assert got.stats[0].grad_norm == pytest.approx(600 * one.grad_norm, rel=0.02)


@pytest.mark.deepspeed
@pytest.mark.slow
def test_deepspeed_shards_and_shares_sequences_of_a_gated_delta_model(tmp_path: Path) -> None:
    got = learn(tmp_path, 2, "deepspeed", model=HYBRID, zero_stage=3, sequence_parallel=2)
    assert_same(got, learn_alone(HYBRID))
