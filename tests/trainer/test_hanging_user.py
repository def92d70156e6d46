"""A simulated user behind a real endpoint that hangs, in whole runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gymnasium
import pytest

from tb_envs.chat_client import shared_client
from tb_envs.endpoints import Endpoint
from tb_envs.errors import SystemFailure
from tb_trainer.metrics import read_lines
from tb_trainer.run import train
from tests.fake_openai import Hang, fake_openai
from tests.trainer.locker_run import Typist, config


@pytest.fixture
def typist(model_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Typist:
    """Takes the place of the run's engine."""
    engine = Typist(model_directory)
    monkeypatch.setattr("tb_trainer.build.make_engine", lambda *_: engine)
    return engine


@contextmanager
def model_user(
    typist: Typist, monkeypatch: pytest.MonkeyPatch, *answers: Hang | str, timeout_s: float
) -> Iterator[None]:
    """Let a server play the user of ``Toy/HotelWithModelUser-v0``, to an agent that only talks."""
    monkeypatch.setenv("TB_DATABASE", "embedded")
    typist.answer = lambda _: "Done."
    with fake_openai() as server:
        server.will(*answers)
        for name, value in {
            "MODEL": "fake", "BASE_URL": server.url, "TIMEOUT_S": str(timeout_s),
            "MAX_RETRIES": "0",
        }.items():  # fmt: skip
            monkeypatch.setenv(f"TB_USER_{name}", value)
        yield
    for thread in threading.enumerate():
        if thread.name == "rollout":  # given up, but its request ended only with the server
            thread.join(timeout=30)
    shared_client(Endpoint.from_environment("user")).close()


gymnasium.register(
    "Toy/HotelWithModelUser-v0",
    entry_point="tb_envs.env:ThinkingBoxEnv",
    kwargs={"task": "hotel-downgrade", "user": "llm"},
)
HOTEL = ("tasks.train=[Toy/HotelWithModelUser-v0]", "tasks.validate_every=0", "steps=1",
         "rollout.groups=1", "rollout.max_prompt_tokens=2048")  # fmt: skip


def test_a_user_endpoint_that_hangs_once_costs_a_second_try_and_nothing_else(
    typist: Typist, model_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_user(typist, monkeypatch, Hang(), Hang(), "Thanks.\n###DONE###", timeout_s=1.0):
        train(config(model_directory, tmp_path, *HOTEL))
    (entry,) = read_lines(tmp_path / "ledger.jsonl")
    assert entry["failures"] == ["user", "user"]
    assert entry["rewards"] == [0.0, 0.0, 0.0, 0.0], "thanked, and nothing done"
    assert entry["fate"] == "zero_variance"
    (line,) = read_lines(tmp_path / "metrics.jsonl")
    assert (line["episodes"], line["system_errors"], line["reward"]) == (6, 2, 0.0)


@pytest.mark.parametrize(
    ("timeout_s", "deadline_s", "source"), [(0.5, 60.0, "user"), (60.0, 1.5, "deadline")]
)
def test_a_user_endpoint_that_always_hangs_stops_the_run_and_is_named(
    timeout_s: float,
    deadline_s: float,
    source: str,
    typist: Typist,
    model_directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two tries of four episodes, and two of the four that take their place."""
    changes = ("rollout.replacements=1", f"rollout.episode_deadline_s={deadline_s}")
    with (
        model_user(typist, monkeypatch, Hang(), timeout_s=timeout_s),
        pytest.raises(SystemFailure, match=rf"not one of 16 .*\({source}: 16\)"),
    ):
        train(config(model_directory, tmp_path, *HOTEL, *changes))
