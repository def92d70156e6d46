"""Group bookkeeping with faults injected at every stage, on a small honest engine."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tb_envs.errors import DatabaseFailure, PolicyFailure, UsageError, UserFailure
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.engines import Request
from tb_trainer.groups import Collection, CollectSettings, collect
from tb_trainer.ledger import totals_by_task
from tb_trainer.models import load_tokenizer
from tb_trainer.policy import EnginePolicy, PromptView, SamplingLimits
from tb_trainer.tasks import TaskRef, TaskStream, resolve
from tests.typist import TypingEngine

Faults = dict[str, list[Exception | Callable[[], None]]]
SETTINGS = CollectSettings(
    groups=2, group_size=4, replacements=0, retries=1, concurrency=8,
    episode_deadline_s=60.0, step_deadline_s=240.0, overlong="keep",
)  # fmt: skip


def odd_ones_pass(request: Request) -> str:
    """Attempts 1 and 3 say every letter that could be asked for."""
    return "ae" if int(request.episode.rsplit("/", 1)[1]) % 2 else "no"


@pytest.fixture(scope="session")
def codec(model_directory: Path) -> ChatCodec:
    return ChatCodec(load_tokenizer(str(model_directory)), family_of("qwen3"))


def gather(
    codec: ChatCodec,
    answer: Callable[[Request], str] = odd_ones_pass,
    tasks: tuple[str, ...] = ("Toy/Letter-v0",),
    *,
    response_tokens: int = 64,
    **changes: object,
) -> Collection:
    limits = SamplingLimits(1.0, 256, response_tokens, 16)
    policy = EnginePolicy(TypingEngine(codec, answer), codec, limits, name="typist", seed=1)
    return collect(
        1, TaskStream(resolve(tasks), 3), policy, replace(SETTINGS, **changes)  # pyright: ignore
    )  # fmt: skip


def fates(collection: Collection) -> list[str]:
    return [entry.fate for entry in collection.entries]


def test_a_group_shares_task_seed_and_prompt_and_keeps_its_order(codec: ChatCodec) -> None:
    collection = gather(codec)
    assert fates(collection) == ["trained", "trained"]
    seeds = {group.episodes[0].seed for group in collection.groups}
    assert len(seeds) == 2
    for group in collection.groups:
        assert [episode.attempt for episode in group.episodes] == [0, 1, 2, 3]
        assert {episode.seed for episode in group.episodes} == {group.episodes[0].seed}
        assert group.rewards == (0.0, 1.0, 0.0, 1.0)
        assert len({t.ids[: t.turns[0][0]] for t in group.trajectories}) == 1


def test_groups_without_signal_are_replaced_within_the_budget(codec: ChatCodec) -> None:
    tasks = ("Toy/Impossible-v0", "Toy/Letter-v0")
    collection = gather(codec, tasks=tasks, groups=4, replacements=20)
    assert len(collection.groups) == 4
    assert {group.task.name for group in collection.groups} == {"Toy/Letter-v0"}
    totals = totals_by_task(collection.entries)
    assert totals["Toy/Letter-v0"].trained == 4
    assert totals["Toy/Impossible-v0"].zero_variance == totals["Toy/Impossible-v0"].drawn > 0


def test_the_budget_of_replacements_is_an_end(codec: ChatCodec) -> None:
    collection = gather(codec, tasks=("Toy/Impossible-v0",), replacements=3)
    assert collection.groups == ()
    assert fates(collection) == ["zero_variance"] * 5


@pytest.mark.parametrize("stage", ["reset", "step"])
def test_an_episode_that_the_infrastructure_broke_is_played_again(
    codec: ChatCodec, faults: Faults, stage: str
) -> None:
    faults[stage] = [DatabaseFailure("gone"), UserFailure("no answer")]
    collection = gather(codec)
    assert fates(collection) == ["trained", "trained"]
    assert sorted(f for entry in collection.entries for f in entry.failures) == [
        "database",
        "user",
    ]
    for group in collection.groups:
        assert group.rewards == (0.0, 1.0, 0.0, 1.0), "a system error is never a reward"


def test_an_engine_that_raises_is_retried_too(codec: ChatCodec) -> None:
    broken = threading.Semaphore(2)

    def answer(request: Request) -> str:
        if broken.acquire(blocking=False):
            raise PolicyFailure("out of memory")
        return odd_ones_pass(request)

    collection = gather(codec, answer)
    assert fates(collection) == ["trained", "trained"]
    assert [f for entry in collection.entries for f in entry.failures] == ["policy", "policy"]


def test_a_group_that_cannot_be_completed_is_replaced_whole(codec: ChatCodec) -> None:
    first: list[str] = []

    def answer(request: Request) -> str:
        seed = request.episode.split("/")[-2]
        first.append(seed)
        if seed == first[0] and request.episode.endswith("/2"):
            raise PolicyFailure("always")
        return odd_ones_pass(request)

    collection = gather(codec, answer, groups=1, replacements=1)
    assert fates(collection) == ["system_error", "trained"]
    assert [len(group.episodes) for group in collection.groups] == [4]
    broken = collection.entries[0]
    assert broken.failures == ("policy", "policy"), "once, and once more"
    assert len(broken.rewards) == 3, "the three that ended are known, and not trained on"


def test_a_straggler_is_cut_by_its_deadline_and_recorded_as_that(codec: ChatCodec) -> None:
    def answer(request: Request) -> str:
        if request.episode.endswith("/3"):
            time.sleep(2.5)
        return odd_ones_pass(request)

    started = time.monotonic()
    collection = gather(codec, answer, groups=1, episode_deadline_s=0.8, retries=0)
    assert time.monotonic() - started < 10.0
    assert fates(collection) == ["system_error"]
    assert collection.entries[0].failures == ("deadline",)


@pytest.mark.parametrize("stage", ["reset", "step"])
def test_an_environment_that_hangs_is_cut_by_the_same_deadline(
    codec: ChatCodec, faults: Faults, stage: str
) -> None:
    """One deadline for all of an episode: setting up, acting and grading."""
    released = threading.Event()
    faults[stage] = [lambda: released.wait(20)] * 2  # pyright: ignore[reportAssignmentType]
    started = time.monotonic()
    collection = gather(codec, groups=1, episode_deadline_s=0.6, retries=1)
    released.set()
    assert time.monotonic() - started < 10.0
    assert fates(collection) == ["trained"]
    assert collection.entries[0].failures == ("deadline", "deadline")


@pytest.mark.parametrize("what", ["prompts", "databases"])
def test_a_group_whose_episodes_begin_differently_stops_the_run(
    codec: ChatCodec, what: str
) -> None:
    with pytest.raises(UsageError, match=rf"began with different {what}.*reset\(seed="):
        gather(codec, tasks=(f"Toy/Unlike-{what}-v0",))


def test_a_step_whose_time_is_over_keeps_what_is_complete(codec: ChatCodec) -> None:
    def answer(request: Request) -> str:
        if request.episode.endswith("/0") and request.episode.split("/")[-2] == slow[0]:
            time.sleep(3.0)
        return odd_ones_pass(request)

    stream = TaskStream(resolve(["Toy/Letter-v0"]), 3)
    slow = [str(stream.draw()[1])]
    collection = gather(codec, answer, step_deadline_s=1.2, replacements=5)
    assert sorted(fates(collection)) == ["deadline", "trained"]


def test_an_episode_cut_by_its_tokens_is_graded_and_masked_if_asked(codec: ChatCodec) -> None:
    # The second turn does not fit: the environment that would pass after two turns is cut.
    collection = gather(
        codec, tasks=("Toy/LetterTwice-v0",), response_tokens=6, groups=1, overlong="penalise"
    )
    assert collection.entries[0].cut == 4
    assert fates(collection) == ["zero_variance"]


def test_a_group_whose_episodes_are_all_masked_has_nothing_to_teach(codec: ChatCodec) -> None:
    tasks = ("Toy/LetterCut-v0", "Toy/Letter-v0")
    kept = gather(codec, tasks=tasks, overlong="keep")
    assert fates(kept) == ["trained", "trained"]
    assert sorted(entry.cut for entry in kept.entries) == [0, 4]
    masked = gather(codec, tasks=tasks, overlong="mask", replacements=2)
    assert [group.task.name for group in masked.groups] == ["Toy/Letter-v0"] * 2
    assert totals_by_task(masked.entries)["Toy/LetterCut-v0"].trained == 0


def test_a_first_prompt_that_does_not_fit_stops_the_run(codec: ChatCodec) -> None:
    limits = SamplingLimits(1.0, 5, 32, 8)
    policy = EnginePolicy(TypingEngine(codec, odd_ones_pass), codec, limits, name="t", seed=1)
    with pytest.raises(UsageError, match="max_prompt_tokens = 5"):
        collect(1, TaskStream(resolve(["Toy/Letter-v0"]), 3), policy, SETTINGS)


def test_each_sample_has_a_seed_of_its_own_and_a_retry_has_the_same(codec: ChatCodec) -> None:
    asked: list[tuple[str, int]] = []
    broken = threading.Semaphore(1)

    def answer(request: Request) -> str:
        asked.append((request.episode, request.seed))
        if request.episode.endswith("/2") and broken.acquire(blocking=False):
            raise PolicyFailure("once")
        return odd_ones_pass(request)

    def seeds(run_seed: int) -> dict[str, int]:
        asked.clear()
        policy = EnginePolicy(
            TypingEngine(codec, answer), codec, SamplingLimits(1.0, 256, 64, 16), name="t",
            seed=run_seed,
        )  # fmt: skip
        stream = TaskStream(resolve(["Toy/Letter-v0"]), run_seed)
        for step in (1, 2):
            collect(step, stream, policy, SETTINGS)
        return dict(asked)

    first = seeds(1)
    assert len(asked) == 17, "two steps of two groups of four, and one retry"
    assert len(set(asked)) == len(set(first.values())) == len(first) == 16
    assert seeds(1) == first
    assert not set(seeds(2).values()) & set(first.values())


def test_the_engine_forgets_each_episode_that_has_ended(codec: ChatCodec) -> None:
    engine = TypingEngine(codec, odd_ones_pass)
    policy = EnginePolicy(engine, codec, SamplingLimits(1.0, 256, 64, 16), name="t", seed=1)
    collect(1, TaskStream(resolve(["Toy/Letter-v0"]), 3), policy, SETTINGS)
    assert len(set(engine.forgotten)) == 8


def test_a_stream_gives_every_task_once_an_epoch_and_goes_on_where_it_stood() -> None:
    tasks = [TaskRef(f"T{n}-v0") for n in range(5)]
    stream = TaskStream(tasks, 7)
    drawn = [stream.draw() for _ in range(15)]
    for epoch in range(3):
        names = {task.name for task, _ in drawn[5 * epoch : 5 * epoch + 5]}
        assert len(names) == 5
    assert len({seed for _, seed in drawn}) == 15
    assert [TaskStream(tasks, 7, drawn=8).draw()] == drawn[8:9]


def test_an_entry_that_names_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="no-such-task"):
        resolve(["no-such-task"])
    with pytest.raises(UsageError, match="No module named 'no_module'"):
        resolve(["no_module:Env-v0"])
    with pytest.raises(UsageError, match="'json:Env-v0' is not a registered environment"):
        resolve(["json:Env-v0"])


@pytest.mark.slow
def test_a_group_is_gathered_on_a_real_database(codec: ChatCodec) -> None:
    limits = SamplingLimits(1.0, 60_000, 4_096, 64)
    policy = EnginePolicy(
        TypingEngine(codec, lambda _: "I cannot help with that."),
        codec, limits, name="typist", seed=1, view=PromptView(tools=(), system_prompt="Agent."),
    )  # fmt: skip
    stream = TaskStream(resolve(["hotel-downgrade"]), 3)
    collection = collect(1, stream, policy, replace(SETTINGS, groups=1, retries=0))
    (entry,) = collection.entries
    assert entry.failures == ()
    assert entry.fate == "zero_variance"
    assert entry.rewards == (0.0,) * 4
    assert {episode.task_id for episode in collection.episodes} == {entry.task}
    assert all(episode.grade is not None for episode in collection.episodes)
