"""Validation on an environment that hangs: it ends all the same, and without a score."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.groups import CollectSettings
from tb_trainer.models import load_tokenizer
from tb_trainer.policy import EnginePolicy, SamplingLimits
from tb_trainer.tasks import resolve
from tb_trainer.validation import validate
from tests.typist import TypingEngine

Faults = dict[str, list[Exception | Callable[[], None]]]


def test_a_validation_ends_with_its_time_and_has_no_score(
    model_directory: Path, faults: Faults
) -> None:
    """The other processes of a run wait for it, and would give it up with the whole run."""
    released = threading.Event()
    faults["step"] = [lambda: released.wait(20)] * 2  # pyright: ignore[reportAssignmentType]
    codec = ChatCodec(load_tokenizer(str(model_directory)), family_of("qwen3"))
    policy = EnginePolicy(
        TypingEngine(codec, lambda _: "ae"), codec, SamplingLimits(1.0, 256, 64, 16), name="t",
        seed=1,
    )  # fmt: skip
    settings = CollectSettings(
        groups=1, group_size=4, replacements=0, retries=2, concurrency=4,
        episode_deadline_s=60.0, step_deadline_s=1.0, overlong="keep",
    )  # fmt: skip
    started = time.monotonic()
    scores = validate(resolve(["Toy/Letter-v0"]), policy, attempts=4, seed=0, settings=settings)
    released.set()
    assert time.monotonic() - started < 10.0
    assert (scores.attempts, scores.system_errors, scores.pass_at_1) == (4, 2, None)
