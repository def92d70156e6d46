"""What a step hands to the learner, worked out by hand, and what it says about itself."""

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.config import load_config
from tb_trainer.engines import Request
from tb_trainer.groups import CollectSettings
from tb_trainer.grpo import Overlong
from tb_trainer.learners import TrainSequence, UpdateStats
from tb_trainer.models import load_tokenizer
from tb_trainer.policy import EnginePolicy, SamplingLimits
from tb_trainer.progress import Progress
from tb_trainer.step import Objective, Parts, train_step
from tb_trainer.tasks import TaskStream, resolve
from tb_trainer.validation import Scores
from tests.typist import TypingEngine

SETTINGS = CollectSettings(
    groups=1, group_size=4, replacements=0, retries=0, concurrency=4,
    episode_deadline_s=60.0, step_deadline_s=240.0, overlong="keep",
)  # fmt: skip
OBJECTIVE = Objective("grpo", "token", max_response_tokens=64, updates=1)
STATS = UpdateStats(
    loss=0.0, grad_norm=1.0, entropy=1.0, clip_fraction=0.0, approx_kl=0.0, ref_kl=0.0,
    importance=1.0, sampler_gap=0.0, sampler_gap_max=0.0, learning_rate=1e-6,
)  # fmt: skip


class NotingLearner:
    """Learns nothing, and keeps what it was given."""

    is_main = True

    def __init__(self) -> None:
        self.batches: list[Sequence[TrainSequence]] = []

    def update(self, sequences: Sequence[TrainSequence]) -> UpdateStats:
        self.batches.append(sequences)
        return STATS

    def logprobs(self, sequences: Sequence[TrainSequence]) -> list[tuple[float, ...]]:
        return [(-1.0,) * one.trajectory.sampled_tokens for one in sequences]

    def weights(self) -> list[tuple[str, Any]]:
        return []

    def save(self, directory: Path) -> None: ...
    def load(self, directory: Path) -> None: ...


def two_pass_one_is_cut(request: Request) -> str:
    """Attempts 1 and 3 say the right letter in each of two turns, 2 talks until it is cut."""
    attempt = int(request.episode.rsplit("/", 1)[1])
    return {0: "n", 2: "n" * 200}.get(attempt, "ae")


def parts(model_directory: Path, learner: NotingLearner, **changes: Any) -> Parts:
    codec = ChatCodec(load_tokenizer(str(model_directory)), family_of("qwen3"))
    engine = TypingEngine(codec, two_pass_one_is_cut)
    policy = EnginePolicy(engine, codec, SamplingLimits(1.0, 256, 64, 64), name="t", seed=1)
    collect = {name: changes.pop(name) for name in ("overlong", "groups") if name in changes}
    return Parts(
        learner=learner, policy=policy, reference=None,
        stream=TaskStream(resolve(["Toy/LetterTwice-v0"]), 3),
        collect=replace(SETTINGS, **collect), objective=replace(OBJECTIVE, **changes),
    )  # fmt: skip


# Two turns of "n" and of "ae", a token for each letter and one that closes; and 64 that are cut.
TOKENS = {0: 4, 1: 6, 2: 64, 3: 6}


@pytest.mark.parametrize(
    ("overlong", "rewards", "trained"),
    [
        ("keep", [0.0, 1.0, 0.0, 1.0], [0, 1, 2, 3]),
        ("mask", [0.0, 1.0, 0.0, 1.0], [0, 1, 3]),
        ("penalise", [0.0, 1.0, -0.5, 1.0], [0, 1, 2, 3]),
    ],
)
def test_the_loss_is_the_mean_over_the_tokens_that_are_trained(
    overlong: Overlong, rewards: list[float], trained: list[int], model_directory: Path
) -> None:
    learner = NotingLearner()
    report = train_step(1, parts(model_directory, learner, overlong=overlong))
    assert report.collection.entries[0].cut == 1
    (batch,) = learner.batches
    assert [one.trajectory.sampled_tokens for one in batch] == [TOKENS[n] for n in trained]
    total = sum(TOKENS[n] for n in trained)
    assert {one.weight for one in batch} == {1 / total}, "what is masked is not counted either"
    mean = sum(rewards) / 4
    deviation = (sum((reward - mean) ** 2 for reward in rewards) / 3) ** 0.5
    assert [one.advantage for one in batch] == pytest.approx(
        [(rewards[n] - mean) / deviation for n in trained], abs=1e-5
    )


@pytest.mark.parametrize("aggregation", ["token", "sequence", "constant"])
def test_each_aggregation_weighs_the_batch_as_a_whole(
    aggregation: str, model_directory: Path
) -> None:
    learner = NotingLearner()
    train_step(1, parts(model_directory, learner, aggregation=aggregation, groups=2))
    (batch,) = learner.batches
    assert [one.trajectory.sampled_tokens for one in batch] == [4, 6, 64, 6] * 2
    expected = {
        "token": [1 / 160] * 8,
        "sequence": [1 / 32, 1 / 48, 1 / 512, 1 / 48] * 2,
        "constant": [1 / 512] * 8,  # 8 episodes, and a fixed length of 64
    }
    assert [one.weight for one in batch] == pytest.approx(expected[aggregation])


def test_the_engine_wakes_before_it_takes_the_weights(model_directory: Path) -> None:
    made = parts(model_directory, NotingLearner())
    engine = made.engine
    assert engine is not None
    calls: list[str] = []
    for name in ("expect", "sleep", "wake", "update_weights"):
        setattr(engine, name, lambda *_, name=name: calls.append(name))
    train_step(1, made)
    assert calls == ["expect", "sleep", "wake", "update_weights"]


def test_several_updates_take_whole_groups_each_and_note_the_first_policy(
    model_directory: Path,
) -> None:
    learner = NotingLearner()
    train_step(1, parts(model_directory, learner, groups=3, updates=2))
    assert [len(batch) for batch in learner.batches] == [8, 4]
    for batch in learner.batches:
        assert all(one.old_logprobs == (-1.0,) * one.trajectory.sampled_tokens for one in batch)
        assert sum(one.weight * one.trajectory.sampled_tokens for one in batch) == pytest.approx(1)


def test_progress_says_step_reward_groups_seconds_and_time_left(model_directory: Path) -> None:
    config = load_config(
        None, ["output=o", "model.path=m", "tasks.train=[demo]", "steps=5", "rollout.groups=1"]
    )
    console = Console(width=300, file=StringIO(), record=True)
    report = train_step(1, parts(model_directory, NotingLearner(), groups=2))
    report = replace(report, seconds={"rollout": 2.0, "learn": 1.25, "sync": 0.5})
    with Progress(console, config) as progress:
        progress.watch(report, Scores(3, 4, 0.5, 0.75, 0.25, 0))
        progress.watch(replace(report, updates=()), Scores(3, 4, None, None, None, 2))
        progress.watch(replace(report, updates=(replace(STATS, sampler_gap=0.3),)), None)
    first, second, third = console.export_text().splitlines()
    assert first == (
        "step 1/5 | reward 0.500 | groups 2 trained, 0 without signal, 0 failed, 1 replaced"
        " | rollout 2.0s learn 1.2s sync 0.5s | 0.0 min left | held out pass@1 0.500 all 0.250"
    )
    assert "no signal: weights unchanged" in second
    assert third.endswith("WARNING: engine and learner differ by 0.300 nats a token")
    assert "WARNING" not in first + second
    assert second.endswith("held out: no score, 2 attempts are system errors")


def test_a_terminal_sees_what_the_step_is_doing_and_a_log_does_not(model_directory: Path) -> None:
    config = load_config(None, ["output=o", "model.path=m", "tasks.train=[demo]"])
    shown: list[str] = []
    for terminal in (True, False):
        live = Console(width=80, file=StringIO(), force_terminal=terminal)
        lines = Console(width=300, file=StringIO())
        with Progress(lines, config, live) as progress:
            told: list[tuple[str, int, int]] = []

            def tell(stage: str, done: int, total: int) -> None:
                told.append((stage, done, total))  # noqa: B023 - used within the turn
                progress.tell(stage, done, total)

            report = train_step(
                1, replace(parts(model_directory, NotingLearner(), groups=2), tell=tell)
            )
            progress.watch(report, None)
        assert told == [
            *(("rollout", done, 8) for done in range(9)), ("learn", 0, 1), ("sync", 0, 1),
        ]  # fmt: skip
        assert isinstance(live.file, StringIO)
        assert isinstance(lines.file, StringIO)
        assert lines.file.getvalue().startswith("step 1/50 |")
        shown.append(live.file.getvalue())
    assert "sync" in shown[0]
    assert "0/1" in shown[0]
    assert shown[1] == ""
