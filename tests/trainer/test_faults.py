"""A run whose database, engine, learner or disk breaks at each stage, against one that had luck.

The oracle is the strongest there is: what was broken is played again from the same seed, so the
run ends with the very weights of the run in which nothing broke.
"""

import itertools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import tb_trainer.run
from tb_envs.database import EpisodeDatabase
from tb_envs.errors import PolicyFailure, SystemFailure
from tb_trainer.checkpoint import latest_checkpoint
from tb_trainer.engines import Request
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.metrics import read_lines
from tb_trainer.run import train
from tests.faults import is_postmaster, kill_postmaster, postmaster_of
from tests.trainer.locker_run import Typist, config

LEARNED = ("reward", "loss", "grad_norm", "entropy", "groups_trained", "groups_failed", "skipped")


@pytest.fixture(autouse=True)
def typist(model_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Typist:
    """Takes the place of the run's engine."""
    engine = Typist(model_directory)
    monkeypatch.setattr("tb_trainer.build.make_engine", lambda *_: engine)
    return engine


def before_call(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, act: Callable[[], None], *, number: int
) -> None:
    """Do something once, just before a call of ``owner.name``."""
    original, calls = getattr(owner, name), itertools.count(1)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == number:
            act()
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, wrapped)


def fail(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def weights(output: Path) -> dict[str, torch.Tensor]:
    checkpoint = latest_checkpoint(output / "checkpoints")
    assert checkpoint is not None
    return torch.load(checkpoint / "learner.pt")["model"]


def assert_same_run(output: Path, lucky: Path) -> None:
    for mine, theirs in zip(
        read_lines(output / "metrics.jsonl"), read_lines(lucky / "metrics.jsonl"), strict=True
    ):
        assert [mine[name] for name in LEARNED] == [theirs[name] for name in LEARNED]
        assert mine.get("held_out/pass_at_1") == theirs.get("held_out/pass_at_1")
    for mine, theirs in zip(
        read_lines(output / "ledger.jsonl"), read_lines(lucky / "ledger.jsonl"), strict=True
    ):
        assert {**mine, "failures": []} == {**theirs, "failures": []}
    for name, tensor in weights(lucky).items():
        assert torch.equal(tensor, weights(output)[name]), name


@pytest.fixture(scope="module")
def lucky(model_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run on a real database in which nothing breaks."""
    output = tmp_path_factory.mktemp("lucky")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TB_DATABASE", "embedded")
        patch.setattr("tb_trainer.build.make_engine", lambda *_: Typist(model_directory))
        train(config(model_directory, output))
    lines = read_lines(output / "metrics.jsonl")
    assert [line["reward"] for line in lines] == [0.5, 0.5, 0.5]
    assert [line["groups_trained"] for line in lines] == [2, 2, 2]
    assert lines[-1]["held_out/pass_at_1"] == 0.5
    return output


# In the order in which they come: two a step, the last one after the third step.
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("resetting", EpisodeDatabase, "prepare"),
    ("learning", TorchLearner, "update"),
    ("sampling", Typist, "generate"),
    ("saving", TorchLearner, "save"),
    ("grading", EpisodeDatabase, "run_checks"),
    ("validating", tb_trainer.run, "validate"),
)


class Assassin:
    """Kills the PostgreSQL server once at each stage, the one after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.killed: list[str] = []
        self._postmaster = 0
        self._lock = threading.Lock()
        for stage, owner, name in STAGES:
            monkeypatch.setattr(owner, name, self._watched(stage, getattr(owner, name)))

    def _watched(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                if isinstance(args[0], EpisodeDatabase) and is_postmaster(
                    postmaster := postmaster_of(args[0])
                ):
                    self._postmaster = postmaster
                if len(self.killed) < len(STAGES) and STAGES[len(self.killed)][0] == stage:
                    self.killed.append(stage)
                    kill_postmaster(self._postmaster)
            return call(*args, **kwargs)

        return watched


@pytest.mark.slow
@pytest.mark.parametrize("database_choice", ["embedded"], indirect=True)
def test_postgresql_killed_at_every_stage_of_a_run_changes_nothing_that_is_learned(
    own_server: str,
    model_directory: Path,
    lucky: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TB_DATABASE", own_server)
    assassin = Assassin(monkeypatch)
    train(config(model_directory, tmp_path))
    assert assassin.killed == [stage for stage, _, _ in STAGES]
    assert_same_run(tmp_path, lucky)
    failures: dict[int, set[str]] = {}
    for entry in read_lines(tmp_path / "ledger.jsonl"):
        failures.setdefault(entry["step"], set()).update(entry["failures"])
    assert failures == {1: {"database"}, 2: {"database"}, 3: {"database"}}


def test_a_database_that_stays_away_stops_the_run_and_says_so(
    model_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_DATABASE", "postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(SystemFailure, match=r"step 1: not one of 16 .*\(database: 16\).*--resume"):
        train(config(model_directory, tmp_path))
    assert latest_checkpoint(tmp_path / "checkpoints") is None


def test_a_validation_with_a_broken_attempt_has_no_score_and_is_never_the_best(
    typist: Typist, model_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three of four attempts pass, and one breaks twice: 75% or 100%, if survivors were scored."""
    broken, validations = threading.Event(), itertools.count(1)
    validate = tb_trainer.run.validate

    def answer(request: Request) -> str:
        attempt = int(request.episode.rsplit("/", 1)[1])
        if broken.is_set() and attempt == 2:
            raise PolicyFailure("out of memory")
        return "ae" if broken.is_set() or attempt % 2 else "n"

    def first_one_breaks(*args: Any, **kwargs: Any) -> Any:
        if next(validations) == 1:
            broken.set()
        scores = validate(*args, **kwargs)
        broken.clear()
        return scores

    typist.answer = answer
    monkeypatch.setattr(tb_trainer.run, "validate", first_one_breaks)
    toy = ("tasks.train=[Toy/Letter-v0]", "tasks.held_out=[Toy/Letter-v0]", "steps=2")
    state = train(config(model_directory, tmp_path, *toy, "tasks.validate_every=1"))
    first, second = read_lines(tmp_path / "metrics.jsonl")
    assert (first["held_out/pass_at_1"], first["held_out/system_errors"]) == (None, 1.0)
    assert (second["held_out/pass_at_1"], second["held_out/system_errors"]) == (0.5, 0.0)
    assert (state.best_step, state.best_score) == (2, 0.5)


# With the call that breaks in the second step; the engine gets weights before the first one, too.
BREAKING: dict[str, tuple[Any, str, int, Exception]] = {
    "the engine, as it goes to sleep": (Typist, "sleep", 2, PolicyFailure("gone")),
    "the engine, as it wakes": (Typist, "wake", 3, PolicyFailure("gone")),
    "the engine, as it takes the weights": (Typist, "update_weights", 3, PolicyFailure("gone")),
    "the learner": (TorchLearner, "update", 2, torch.OutOfMemoryError("no memory")),
    "the disk": (TorchLearner, "save", 2, OSError(28, "No space left on device")),
    "the tasks' files, at validation": (tb_trainer.run, "validate", 2, OSError("gone")),
}


@pytest.mark.parametrize("broken", BREAKING)
def test_a_run_that_stops_because_of(
    broken: str, model_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stops with the cause, and goes on from the last step to the same bits."""
    toy = ("tasks.train=[Toy/Letter-v0]", "tasks.held_out=[Toy/Letter-v0]",
           "tasks.validate_every=1")  # fmt: skip
    train(config(model_directory, tmp_path / "lucky", *toy))
    owner, name, number, error = BREAKING[broken]
    before_call(monkeypatch, owner, name, fail(error), number=number)
    with pytest.raises(type(error)):
        train(config(model_directory, tmp_path / "broken", *toy))
    checkpoint = latest_checkpoint(tmp_path / "broken" / "checkpoints")
    assert checkpoint is not None
    assert checkpoint.name == "step-000001"
    train(config(model_directory, tmp_path / "broken", *toy), resume=True)
    assert_same_run(tmp_path / "broken", tmp_path / "lucky")
