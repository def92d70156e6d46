"""vLLM for real: its log-probabilities are the learner's, before and after a weight update."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from tb_envs.errors import PolicyFailure
from tb_trainer.engines import Engine, Request
from tb_trainer.learners import LearnerSettings, TrainSequence
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.models import named_weights
from tb_trainer.trajectory import Sampled, Trajectory

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    # vLLM and torch warn about each other's deprecations.
    pytest.mark.filterwarnings("ignore"),
]
Maker = Callable[..., PreTrainedModel]
TOLERANCE = 1e-4
# vLLM's attention kernels want heads of at least 32; everything else is as small as can be.
SHAPE: dict[str, Any] = {
    "vocab_size": 320,
    "hidden_size": 64,
    "head_dim": 32,
    "initializer_range": 0.1,
}
ENVIRONMENT = {"TORCHDYNAMO_DISABLE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def directory(tiny_model: Maker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vllm-model")
    tiny_model(**SHAPE).save_pretrained(path)
    # The server wants a tokenizer, though only ids travel: a word for each id.
    words = {f"w{number}": number for number in range(SHAPE["vocab_size"])}
    PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel(words, unk_token="w0")), unk_token="w0"
    ).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def in_process(directory: Path) -> Iterator[Engine]:
    os.environ.update(ENVIRONMENT)
    from tb_trainer.engines.vllm_engine import VllmEngine

    engine = VllmEngine(str(directory), context_tokens=512, dtype="float32")
    yield engine
    engine.close()
    with pytest.raises(PolicyFailure, match="the engine is closed"):
        engine.generate(Request("late", (10, 11), 4, 1.0, 0, frozenset()), timeout_s=60)


@pytest.fixture(scope="module")
def served(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    from tb_trainer.engines.served_engine import ServedEngine

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as file, subprocess.Popen(
        [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(directory),
         "--port", str(port), "--dtype", "float32", "--max-model-len", "512", "--enforce-eager",
         "--logprobs-mode", "processed_logprobs",
         "--generation-config", "vllm"],
        env=os.environ | ENVIRONMENT | {"VLLM_SERVER_DEV_MODE": "1"}, stdout=file, stderr=file,
    ) as server:  # fmt: skip
        url = f"http://127.0.0.1:{port}"
        try:
            _wait_for(f"{url}/health", server, log)
            yield ServedEngine([url], exchange=tmp_path_factory.mktemp("exchange"))
        finally:
            server.terminate()


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(400):
        assert server.poll() is None, log.read_text()[-3000:]
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(1.0)
    raise AssertionError(log.read_text()[-3000:])


@pytest.fixture(params=["in_process", "served"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.getfixturevalue(request.param)


def ask(engine: Engine, n: int, *, temperature: float = 1.0) -> tuple[Request, Sampled]:
    ids = tuple(range(10, 20 + 3 * n))
    request = Request(f"e{n}", ids, 12, temperature, 7 + n, frozenset({5}))
    return request, engine.generate(request, timeout_s=300)


def learner_logprobs(
    model: PreTrainedModel, request: Request, sampled: Sampled, temperature: float
) -> torch.Tensor:
    mask = (0,) * len(request.ids) + (1,) * len(sampled.ids)
    trajectory = Trajectory(request.ids + sampled.ids, mask, (0.0,) * len(mask), ())
    learner = TorchLearner(model, LearnerSettings(temperature=temperature))
    return torch.tensor(learner.logprobs([TrainSequence(trajectory, 0.0, 0.0)])[0])


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_logprobs_are_the_learners_before_and_after_an_update(
    engine: Engine, tiny_model: Maker, temperature: float
) -> None:
    for seed in (0, 1, 2):
        model = tiny_model(seed=seed, **SHAPE)
        assert model.config.tie_word_embeddings
        engine.update_weights(lambda m=model: named_weights(m))
        with ThreadPoolExecutor(6) as pool:
            asked = list(pool.map(lambda n: ask(engine, n, temperature=temperature), range(6)))
        for request, sampled in asked:
            expected = learner_logprobs(model, request, sampled, temperature)
            gap = (torch.tensor(sampled.logprobs) - expected).abs().max()
            assert gap < TOLERANCE, f"seed {seed}: {gap}"


def test_a_turn_ends_at_a_stop_token_that_is_returned(engine: Engine) -> None:
    _, free = ask(engine, 0)
    request = Request("e0", tuple(range(10, 20)), 12, 1.0, 7, frozenset({free.ids[2]}))
    cut = engine.generate(request, timeout_s=300)
    assert cut.ids == free.ids[: free.ids.index(free.ids[2]) + 1]
    assert cut.stopped
    assert len(cut.logprobs) == len(cut.ids)


def test_the_same_seed_samples_the_same_turn(engine: Engine) -> None:
    assert ask(engine, 3)[1].ids == ask(engine, 3)[1].ids


def test_a_prompt_beyond_the_context_is_a_policy_failure(engine: Engine) -> None:
    request = Request("long", (10,) * 600, 5, 1.0, 0, frozenset())
    with pytest.raises(PolicyFailure):
        engine.generate(request, timeout_s=300)
    assert ask(engine, 1)[1].ids
