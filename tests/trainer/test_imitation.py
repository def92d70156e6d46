from pathlib import Path

import pytest

from tb_envs.messages import AssistantTurn, Observation
from tb_envs.policies.idle import TalkSession
from tb_envs.policies.protocol import EpisodeContext
from tb_trainer.chat import ChatCodec, family_of
from tb_trainer.grpo import LossSettings
from tb_trainer.imitation import imitate, record, write_trajectory
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
