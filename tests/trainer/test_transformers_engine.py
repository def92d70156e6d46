"""The batched engine with kept caches must say what a plain forward pass over the prefix says."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from tb_envs.errors import PolicyFailure, UsageError
from tb_trainer.engines import Request
from tb_trainer.engines.transformers_engine import TransformersEngine
from tb_trainer.learners.sequence_parallel import use_sequence_parallel
from tb_trainer.trajectory import Sampled

Maker = Callable[..., PreTrainedModel]


def request(episode: str, ids: tuple[int, ...], *, seed: int = 1, new: int = 12, t: float = 1.0):
    return Request(episode, ids, new, t, seed, frozenset({5}))


@pytest.fixture(params=["qwen3", "qwen2"])
def engine(request: pytest.FixtureRequest, tiny_model: Maker) -> Iterator[TransformersEngine]:
    engine = TransformersEngine(tiny_model(request.param), context_tokens=256, gather_s=0.2)
    yield engine
    engine.close()


def logprobs_of(model: PreTrainedModel, prompt: tuple[int, ...], sampled: Sampled, t: float):
    ids = torch.tensor([prompt + sampled.ids])
    with torch.no_grad():
        logits = model(input_ids=ids).logits[0, len(prompt) - 1 : -1] / t
    return torch.log_softmax(logits, -1).gather(-1, torch.tensor(sampled.ids)[:, None]).squeeze(-1)


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_logprobs_are_those_of_a_plain_forward_pass_over_several_turns(
    engine: TransformersEngine, temperature: float
) -> None:
    prompts = {f"e{n}": tuple(range(10, 13 + 7 * n)) for n in range(4)}
    engine.expect(4, 4)
    with ThreadPoolExecutor(4) as pool:
        for turn in range(3):
            asked = [
                request(e, ids, seed=turn, new=4 + 3 * n, t=temperature)
                for n, (e, ids) in enumerate(prompts.items())
            ]
            answers = list(pool.map(lambda r: engine.generate(r, timeout_s=60), asked))
            for asked_one, sampled in zip(asked, answers, strict=True):
                expected = logprobs_of(engine._model, asked_one.ids, sampled, temperature)
                torch.testing.assert_close(
                    torch.tensor(sampled.logprobs), expected, atol=2e-5, rtol=1e-4
                )
                prompts[asked_one.episode] = asked_one.ids + sampled.ids + (7, 8, 9)


def test_sampled_tokens_depend_on_the_seed_and_not_on_who_shares_the_batch(
    engine: TransformersEngine,
) -> None:
    alone = engine.generate(request("a", (10, 11, 12)), timeout_s=60)
    engine.forget("a")
    engine.expect(3, 3)
    asked = [request(e, tuple(range(10, 13 + n))) for n, e in enumerate("abc")]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda r: engine.generate(r, timeout_s=60), asked))
    assert together[0].ids == alone.ids
    assert engine.generate(request("d", (10, 11, 12), seed=2), timeout_s=60).ids != alone.ids


def test_a_prompt_that_episodes_share_is_read_once_and_each_samples_its_own(
    engine: TransformersEngine,
) -> None:
    read: list[torch.Size] = []
    engine._model.register_forward_pre_hook(
        lambda _module, _args, given: read.append(given["input_ids"].shape), with_kwargs=True
    )
    short, long = tuple(range(10, 16)), tuple(range(10, 19))

    def turn(prompts: dict[str, tuple[int, ...]]) -> dict[str, Sampled]:
        asked = [request(e, ids, seed=n, new=4) for n, (e, ids) in enumerate(prompts.items())]
        engine.expect(len(asked), len(asked))
        read.clear()
        with ThreadPoolExecutor(len(asked)) as pool:
            answers = list(pool.map(lambda r: engine.generate(r, timeout_s=60), asked))
        for one, sampled in zip(asked, answers, strict=True):
            torch.testing.assert_close(
                torch.tensor(sampled.logprobs),
                logprobs_of(engine._model, one.ids, sampled, 1.0),
                atol=2e-5,
                rtol=1e-4,
            )
        return dict(zip(prompts, answers, strict=True))

    first = turn({"a": short, "b": short, "c": long, "d": short})
    assert read[0] == (2, 9)
    assert len({first[episode].ids for episode in "abd"}) == 3

    further = short + first["a"].ids + (7, 8)
    turn({"new": further, "a": further})  # the new one has nothing kept; both need 3 tokens read
    assert read[0] == (1, 3)


def test_a_turn_ends_at_a_stop_token_or_at_its_limit(tiny_model: Maker) -> None:
    model = tiny_model()
    engine = TransformersEngine(model, context_tokens=256, gather_s=0.0)
    free = engine.generate(Request("a", (1, 2), 8, 0.0, 0, frozenset()), timeout_s=60)
    assert len(free.ids) == 8
    assert not free.stopped
    stop = frozenset({free.ids[3]})
    cut = engine.generate(Request("b", (1, 2), 8, 0.0, 0, stop), timeout_s=60)
    first = free.ids.index(free.ids[3])
    assert cut.ids == free.ids[: first + 1]
    assert cut.stopped
    engine.close()


def test_new_weights_are_used_at_once_and_old_caches_are_dropped(tiny_model: Maker) -> None:
    engine = TransformersEngine(tiny_model(seed=0), context_tokens=256, gather_s=0.0)
    first = engine.generate(request("a", (10, 11)), timeout_s=60)
    other = tiny_model(seed=1)
    engine.update_weights(lambda: other.named_parameters(remove_duplicate=False))
    prompt = (10, 11, *first.ids, 7)
    second = engine.generate(request("a", prompt), timeout_s=60)
    torch.testing.assert_close(
        torch.tensor(second.logprobs), logprobs_of(other, prompt, second, 1.0), atol=2e-5, rtol=1e-4
    )
    engine.close()


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("qwen3", {"layer_types": ["full_attention", "sliding_attention"], "sliding_window": 8}),
        ("mistral", {"sliding_window": 8}),  # one window for all layers, and no list of kinds
    ],
)
def test_a_model_with_windows_of_attention_is_refused(
    tiny_model: Maker, kind: str, changes: dict[str, Any]
) -> None:
    model = tiny_model(kind, **changes)
    with pytest.raises(UsageError, match="sliding_attention; use the vllm engine"):
        TransformersEngine(model, context_tokens=256)
    with pytest.raises(UsageError, match=r"sliding_attention; set learner\.sequence_parallel=1"):
        use_sequence_parallel(model, 2)


def test_a_window_that_is_not_used_is_none(tiny_model: Maker) -> None:
    unused = {"use_sliding_window": False, "sliding_window": 8}
    for kind, changes in (("qwen2", unused), ("mistral", {"sliding_window": 4096}), ("llama", {})):
        TransformersEngine(tiny_model(kind, **changes), context_tokens=256).close()


def test_an_incomplete_weight_update_is_refused(tiny_model: Maker) -> None:
    engine = TransformersEngine(tiny_model(), context_tokens=256)
    weights = dict(tiny_model().named_parameters())
    weights.pop("model.norm.weight")
    with pytest.raises(UsageError, match=r"model\.norm\.weight"):
        engine.update_weights(weights.items)
    engine.close()


def test_a_model_that_raises_is_a_policy_failure_and_the_engine_lives_on(tiny_model: Maker) -> None:
    engine = TransformersEngine(tiny_model(vocab_size=20), context_tokens=256, gather_s=0.0)
    with pytest.raises(PolicyFailure, match="IndexError"):
        engine.generate(request("a", (10_000,)), timeout_s=60)
    assert engine.generate(request("b", (1,)), timeout_s=60).ids
    engine.close()


def test_a_turn_that_takes_too_long_is_a_policy_failure(tiny_model: Maker) -> None:
    engine = TransformersEngine(tiny_model(), context_tokens=256, gather_s=5.0)
    engine.expect(2, 2)
    with pytest.raises(PolicyFailure, match=r"within 0\.1 s"):
        engine.generate(request("a", (1,)), timeout_s=0.1)
    engine.close()


def test_closing_fails_the_requests_that_wait(tiny_model: Maker) -> None:
    engine = TransformersEngine(tiny_model(), context_tokens=256, gather_s=30.0)
    engine.expect(2, 2)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(engine.generate, request("a", (1,)), timeout_s=20)
        while not engine._waiting:
            time.sleep(0.01)
        engine.close()
        with pytest.raises(PolicyFailure, match="closed"):
            waiting.result()
    assert not engine._worker.is_alive()
