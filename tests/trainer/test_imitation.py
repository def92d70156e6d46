import random
from pathlib import Path

import pytest

from tb_envs.messages import AssistantTurn, Observation, ObservedMessage, ToolCall
from tb_envs.policies.idle import TalkSession
from tb_envs.policies.protocol import EpisodeContext
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.grpo import LossSettings
from tb_trainer.imitation import Recording, imitate, record, rename_ids, write_trajectory
from tb_trainer.learners import LearnerSettings
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.models import load_model, load_tokenizer
from tb_trainer.policy import PromptView
from tb_trainer.tasks import resolve


class Parrot:
    name = "parrot"

    def start(self, context: EpisodeContext) -> TalkSession:
        del context
        return ParrotSession(())


class ParrotSession(TalkSession):
    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        del timeout_s
        return AssistantTurn("I say " + observation[-1]["content"][-1])


def test_a_teachers_episodes_become_trajectories_and_are_learned(model_directory: Path) -> None:
    codec = ChatCodec(load_tokenizer(str(model_directory)), family_of("qwen3"))
    recordings = record(
        resolve(["Toy/Letter-v0", "Toy/LetterTwice-v0"]), {"p": Parrot()}, seed=1, concurrency=2
    )
    trajectories = [write_trajectory(one, codec, PromptView()) for one in recordings]
    assert [len(one.turns) for one in trajectories] == [1, 2]
    start, end = trajectories[0].turns[0]
    assert codec.tokenizer.decode(list(trajectories[0].ids[start:end])).startswith("I say ")
    assert trajectories[0].ids[end - 1] == codec.end_of_turn_id

    learner = TorchLearner(
        load_model(str(model_directory)),
        LearnerSettings(learning_rate=1e-2, loss=LossSettings(importance_cap=None)),
    )
    nats = list(imitate(learner, trajectories, steps=25, batch=2, seed=0))
    assert nats[0] > 4.0
    assert nats[-1] < 0.5


def test_a_view_that_names_no_tool_of_the_task_is_refused(model_directory: Path) -> None:
    codec = ChatCodec(load_tokenizer(str(model_directory)), family_of("qwen3"))
    (recording,) = record(resolve(["Toy/Letter-v0"]), {"p": Parrot()}, seed=1, concurrency=1)
    with pytest.raises(ValueError, match="find_booking"):
        write_trajectory(recording, codec, PromptView(tools=("find_booking",)))


def test_ids_get_other_digits_throughout_and_nothing_else_changes() -> None:
    context = EpisodeContext("E-v0", "t", 0, 0, "Desk.", ())
    told = (ObservedMessage(role="user", name="", content="R42 and TCK-1041, not 17 or r2d2"),)
    turn = AssistantTurn("On R42.", (ToolCall("look", '{"id": "R42", "of": "TCK-1041"}'),))
    (observation, renamed), *_ = rename_ids(
        Recording(context, [(told, turn)]), random.Random(3)
    ).steps
    first, _, second, *rest = observation[0]["content"].replace(",", "").split()
    assert (first[0], len(first), second[:4], len(second)) == ("R", 3, "TCK-", 8)
    assert first != "R42"
    assert " ".join(rest) == "not 17 or r2d2"
    assert renamed.content == f"On {first}."
    assert renamed.tool_calls == (ToolCall("look", f'{{"id": "{first}", "of": "{second}"}}'),)


def test_two_ids_never_become_one() -> None:
    context = EpisodeContext("E-v0", "t", 0, 0, "Desk.", ())
    text = " ".join(f"R{digit}" for digit in range(10))
    told = (ObservedMessage(role="user", name="", content=text),)
    recording = Recording(context, [(told, AssistantTurn("ok"))])
    for seed in range(5):
        ((observation, _),) = rename_ids(recording, random.Random(seed)).steps
        assert len(set(observation[0]["content"].split())) == 10
