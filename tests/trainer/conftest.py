import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Protocol

import gymnasium
import pytest
import torch
from transformers import PreTrainedModel

from tb_envs import spaces
from tb_trainer.chat import family_of
from tb_trainer.chat.training import train_tokenizer
from tb_trainer.models import build_model


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


class ModelMaker(Protocol):
    def __call__(
        self, kind: str = "qwen3", *, seed: int = 0, **changes: Any
    ) -> PreTrainedModel: ...


@pytest.fixture(scope="session")
def tiny_model() -> ModelMaker:
    """Makes models of a few thousand parameters with the real architectures."""

    def make(kind: str = "qwen3", *, seed: int = 0, **changes: Any) -> PreTrainedModel:
        settings = {
            "model_type": kind,
            "vocab_size": 300,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 1024,
            "tie_word_embeddings": True,
            "initializer_range": 0.2,
        }
        if kind == "qwen3":
            settings["head_dim"] = 8
        return build_model(settings | changes, seed=seed)

    return make


Faults = dict[str, list[Exception | Callable[[], None]]]


class LetterEnv(gymnasium.Env[Any, Any]):
    """Not one of ours: reward 1 for an answer that holds the letter that the seed chose.

    ``faults`` holds what the next resets or steps raise or do, by the name of the call; ``unlike``
    says what differs from one reset to the next, whatever the seed.
    """

    faults: ClassVar[Faults] = {}
    resets: ClassVar[Iterator[int]] = itertools.count()
    lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, letters: str = "ae", turns: int = 1, unlike: str = "") -> None:
        self._letters = letters
        self._unlike = unlike
        self._turns = turns
        self.observation_space = spaces.observation_space()
        self.action_space = spaces.action_space(())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._break("reset")
        self._letter = self._letters[int(self.np_random.integers(len(self._letters)))]
        self._left = self._turns
        number = next(self.resets)
        prompt = f"Obey {number}." if self._unlike == "prompts" else "Obey."
        digest = f"d{number}" if self._unlike == "databases" else "d"
        return self._say(f"Say {self._letter}"), {
            "system_prompt": prompt, "database_digest": digest,
        }  # fmt: skip

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._break("step")
        self._left -= 1
        passed = self._letter in action["content"]
        return self._say("and?"), float(passed and not self._left), not self._left, False, {}

    def _say(self, text: str) -> Any:
        return ({"role": "user", "name": "", "content": text},)

    def _break(self, call: str) -> None:
        with self.lock:
            pending = self.faults.get(call, [])
            fault = pending.pop(0) if pending else None
        if isinstance(fault, Exception):
            raise fault
        if fault is not None:
            fault()


gymnasium.register("Toy/Letter-v0", entry_point=LetterEnv)
gymnasium.register("Toy/LetterTwice-v0", entry_point=LetterEnv, kwargs={"turns": 2})
gymnasium.register("Toy/LetterCut-v0", entry_point=LetterEnv, max_episode_steps=1)
for _what in ("prompts", "databases"):
    gymnasium.register(f"Toy/Unlike-{_what}-v0", entry_point=LetterEnv, kwargs={"unlike": _what})
gymnasium.register("Toy/Impossible-v0", entry_point=LetterEnv, kwargs={"letters": "\u2603"})


@pytest.fixture
def faults() -> Iterator[Faults]:
    LetterEnv.faults.clear()
    yield LetterEnv.faults
    LetterEnv.faults.clear()


@pytest.fixture(scope="session")
def model_directory(tmp_path_factory: pytest.TempPathFactory, tiny_model: ModelMaker) -> Path:
    """A model directory as a user has one: a random tiny model with a tokenizer of its own."""
    directory = tmp_path_factory.mktemp("model")
    family = family_of("qwen3")
    tokenizer = train_tokenizer(["Say a", "Say e", "Obey and tell"], family, vocab_size=300)
    model = tiny_model(vocab_size=len(tokenizer), initializer_range=0.05)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory
