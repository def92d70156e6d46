"""Make a model from nothing that knows how to hold a conversation of a task family.

Tokenizer from the teachers' episodes, weights from a configuration, imitation: the result is a
model directory like any other, which `tb-train run` then trains.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from tb_envs.errors import UsageError
from tb_envs.policies.making import make_policy
from tb_trainer.build import prompt_view
from tb_trainer.chat import ChatCodec, ChatFamily, family_of
from tb_trainer.chat.training import train_tokenizer
from tb_trainer.config import RunConfig
from tb_trainer.grpo import LossSettings
from tb_trainer.imitation import Recording, imitate, record, rename_ids, write_trajectory
from tb_trainer.learners import LearnerSettings
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.models import build_model, save_model
from tb_trainer.policy import PromptView
from tb_trainer.seeds import derive_seed
from tb_trainer.tasks import resolve


@dataclass(frozen=True, slots=True)
class WarmStart:
    """How much is imitated, and whom.

    ``teachers`` are names of policies, such as ``oracle`` or ``trap:1``; a name that comes twice
    counts twice. Each episode is written ``copies`` times, under other ids from the second on.
    """

    teachers: Sequence[str]
    steps: int
    batch: int = 8
    learning_rate: float = 1e-3
    vocab_size: int = 1024
    copies: int = 1


def warm_start(
    config: RunConfig,
    architecture: Mapping[str, Any],
    settings: WarmStart,
    watch: Callable[[int, float], None],
) -> Path:
    """Make the model that ``config.model.path`` names, from the training tasks alone.

    Args:
        config: The run that the model is for; held-out tasks are not touched.
        architecture: A Hugging Face configuration without a vocabulary size.
        settings: Teachers and steps.
        watch: Called with the step and the nats a token.
    """
    family = family_of(config.model.chat_template)
    view = prompt_view(config)
    recordings = _recordings(config, settings)
    tokenizer = train_tokenizer(
        _texts(recordings, family, view), family, vocab_size=settings.vocab_size
    )
    codec = ChatCodec(tokenizer, family)
    draw = random.Random(derive_seed(config.seed, "ids"))
    renamed = [rename_ids(one, draw) for _ in range(settings.copies - 1) for one in recordings]
    trajectories = [write_trajectory(one, codec, view) for one in recordings + renamed]
    model = build_model(dict(architecture) | {"vocab_size": len(tokenizer)}, seed=config.seed)
    warmup = min(50, settings.steps // 10)
    learner = TorchLearner(
        model,
        LearnerSettings(
            learning_rate=settings.learning_rate,
            warmup_steps=warmup,
            decay_steps=settings.steps - warmup,
            micro_batch_tokens=config.learner.micro_batch_tokens,
            loss=LossSettings(importance_cap=None),
        ),
    )
    nats = imitate(
        learner, trajectories, steps=settings.steps, batch=settings.batch, seed=config.seed
    )
    for step, value in enumerate(nats, start=1):
        watch(step, value)
    directory = Path(config.model.path)
    weights = ((name, tensor.clone()) for name, tensor in learner.weights())
    save_model(directory, weights, model, tokenizer)
    return directory


def _recordings(config: RunConfig, settings: WarmStart) -> list[Recording]:
    """Let the teachers play the training tasks; weigh them by how often each is named."""
    recordings: list[Recording] = []
    for name, times in Counter(settings.teachers).items():
        played = record(
            resolve(config.tasks.train),
            {name: make_policy(name)},
            seed=config.seed,
            concurrency=config.rollout.concurrency,
        )
        recordings += played * times
    if not recordings:
        raise UsageError("no teacher finished an episode; see tb-envs doctor")
    return recordings


def _texts(recordings: Sequence[Recording], family: ChatFamily, view: PromptView) -> Iterator[str]:
    """Write the recordings out, the template's own words included, without control tokens."""
    spelling = train_tokenizer((), family, vocab_size=256)  # bytes alone
    codec = ChatCodec(spelling, family)
    control = "|".join(map(re.escape, (*family.control_tokens, *family.markup_tokens)))
    for recording in recordings:
        ids = write_trajectory(recording, codec, view).ids
        written = cast("str", spelling.decode(list(ids), skip_special_tokens=False))
        yield from re.split(control, written)


def read_architecture(path: Path) -> dict[str, Any]:
    """Read a Hugging Face configuration written as YAML."""
    document: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or "model_type" not in document:
        raise UsageError(f"{path}: expected a mapping with model_type, hidden_size and so on")
    return document
