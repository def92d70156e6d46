"""First prompts are counted before anything starts, as the engine will get them."""

from pathlib import Path

import pytest

from tb_envs.rollout import rollout
from tb_envs.specs import find_task
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.engines import Request
from tb_trainer.models import load_tokenizer
from tb_trainer.policy import EnginePolicy, PromptView, SamplingLimits
from tb_trainer.prompts import OPENINGS_A_DOMAIN, measure_prompts
from tb_trainer.tasks import resolve
from tests.trainer.locker_run import CASE
from tests.typist import TypingEngine


@pytest.fixture
def codec(model_directory: Path) -> ChatCodec:
    return ChatCodec(load_tokenizer(str(model_directory)), family_of("qwen3"))


@pytest.mark.parametrize("view", [PromptView(), PromptView(("member", "refuse"), "Desk.")])
@pytest.mark.parametrize("entry", [CASE, f"ThinkingBox/{CASE}-v0"])
def test_what_is_counted_is_what_the_engine_gets(
    entry: str, view: PromptView, codec: ChatCodec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_DATABASE", "embedded")
    prompts: list[tuple[int, ...]] = []

    def answer(request: Request) -> str:
        prompts.append(request.ids)
        return "Done."

    policy = EnginePolicy(
        TypingEngine(codec, answer), codec, SamplingLimits(1.0, 50_000, 256, 256),
        name="t", seed=0, view=view,
    )  # fmt: skip
    refs = resolve([entry])
    list(rollout([refs[0].job(seed=5, attempt=0)], policy, concurrency=1))
    lengths = measure_prompts(refs, codec, view)
    assert lengths.tokens == {refs[0].name: len(prompts[0])}
    assert (lengths.tasks, lengths.unknown) == (1, 0)


def test_of_many_tasks_the_longest_openings_of_each_domain_are_rendered(codec: ChatCodec) -> None:
    refs = resolve(["locker-request", "hotel-downgrade"])
    lengths = measure_prompts(refs, codec, PromptView((), "Work."))
    chosen: dict[str, list[int]] = {"locker-request": [], "hotel-downgrade": []}
    left_out: dict[str, list[int]] = {"locker-request": [], "hotel-downgrade": []}
    for ref in refs:
        task = find_task(ref.name)
        user = task.variant.user
        opening = task.variant.instruction if user is None else user.opening
        side = chosen if ref.name in lengths.tokens else left_out
        side[task.family].append(len(opening))
    for family, openings in chosen.items():
        others = left_out[family]
        assert len(openings) == min(OPENINGS_A_DOMAIN, len(openings) + len(others))
        assert min(openings) >= max(others, default=0)
    assert left_out["locker-request"], "there must be more for this test to show anything"


def test_what_is_told_only_when_an_episode_begins_is_said_to_be_unknown(codec: ChatCodec) -> None:
    refs = resolve(["Toy/Letter-v0", "ThinkingBox/Suite-v0", CASE])
    lengths = measure_prompts(refs, codec, PromptView())
    assert (lengths.tasks, lengths.unknown) == (3, 2)
    assert list(lengths.tokens) == [CASE]


def test_a_prompt_that_is_too_long_is_named_with_its_tokens_and_the_remedy(
    codec: ChatCodec,
) -> None:
    lengths = measure_prompts(resolve([CASE]), codec, PromptView())
    tokens = lengths.tokens[CASE]
    assert lengths.fault(tokens) is None
    fault = lengths.fault(tokens - 1)
    assert fault is not None
    what, remedy = fault
    assert what.startswith(
        f"the first prompt of {CASE} has {tokens} tokens, more than rollout.max_prompt_tokens = "
        f"{tokens - 1} (1 of 1 rendered prompts"
    )
    assert f"rollout.max_prompt_tokens={tokens} " in remedy
