"""Warm start by imitation: a policy's turns, as a model would have written them, learned by heart.

GRPO needs a policy that sometimes succeeds. For a model too small to be prompted into that,
scripted episodes show it how, the usual mistakes included: what it should not learn from them is
which of the two to do, and that is what the database's verdict teaches afterwards.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tb_envs.episode import Usage
from tb_envs.messages import AssistantTurn, Observation, ObservedMessage, ToolCall
from tb_envs.outcome import SystemErrored
from tb_envs.policies.protocol import EpisodeContext, Policy, PolicySession
from tb_envs.rollout import rollout
from tb_trainer.chat import ChatCodec
from tb_trainer.grpo import token_weights
from tb_trainer.learners import Learner, TrainSequence
from tb_trainer.policy import PromptView
from tb_trainer.seeds import derive_seed
from tb_trainer.tasks import TaskRef
from tb_trainer.trajectory import Sampled, Trajectory, TrajectoryBuilder

_ID = re.compile(r"\b(?P<prefix>[A-Z]+-?)(?P<digits>\d+)\b")


@dataclass(slots=True)
class Recording:
    """One played episode at the level of text: what was observed, and what was answered."""

    context: EpisodeContext
    steps: list[tuple[Observation, AssistantTurn]] = field(
        default_factory=list[tuple[Observation, AssistantTurn]]
    )


class Recorder:
    """Plays as another policy does, and keeps what was said."""

    def __init__(self, teacher: Policy) -> None:
        self._teacher = teacher

    @property
    def name(self) -> str:
        """The teacher's name."""
        return self._teacher.name

    def start(self, context: EpisodeContext) -> "RecorderSession":
        """Begin an episode."""
        return RecorderSession(self._teacher.start(context), Recording(context))


class RecorderSession:
    """One episode of the teacher."""

    def __init__(self, session: PolicySession, recording: Recording) -> None:
        self._session = session
        self.recording = recording

    def act(self, observation: Observation, *, timeout_s: float) -> AssistantTurn:
        """Let the teacher act."""
        turn = self._session.act(observation, timeout_s=timeout_s)
        self.recording.steps.append((observation, turn))
        return turn

    def usage(self) -> Usage:
        """The teacher's."""
        return self._session.usage()

    def close(self) -> None:
        """Close the teacher's session."""
        self._session.close()


def record(
    tasks: Sequence[TaskRef], teachers: Mapping[str, Policy], *, seed: int, concurrency: int
) -> list[Recording]:
    """Let each teacher play each task once; what the infrastructure broke is left out.

    Returns:
        Recordings in the order of teachers and tasks.
    """
    found: list[Recording] = []
    for teacher in teachers.values():
        jobs = [task.job(seed=derive_seed(seed, "teacher", task.name), attempt=0) for task in tasks]
        played: dict[str, Recording] = {}
        for result in rollout(jobs, Recorder(teacher), concurrency=concurrency):
            if isinstance(result.session, RecorderSession) and not isinstance(
                result.episode.outcome, SystemErrored
            ):
                recording = result.session.recording
                played[recording.context.task_id] = recording
        found += [played[name] for name in sorted(played)]
    return found


def rename_ids(recording: Recording, draw: random.Random) -> Recording:
    """Give every id of a recording, such as ``TCK-1041`` or ``R42``, other digits throughout.

    A small model that sees few episodes many times learns their ids by heart; one that sees the
    same episode under ever other ids has to look where they stand, and copy.
    """
    renamed: dict[str, str] = {}

    def rename(text: str) -> str:
        return _ID.sub(lambda match: _renamed(match, renamed, draw), text)

    steps: list[tuple[Observation, AssistantTurn]] = []
    for observation, turn in recording.steps:
        observed = tuple(
            ObservedMessage(role=one["role"], name=one["name"], content=rename(one["content"]))
            for one in observation
        )
        calls = tuple(ToolCall(call.name, rename(call.arguments)) for call in turn.tool_calls)
        steps.append((observed, turn._replace(content=rename(turn.content), tool_calls=calls)))
    return Recording(recording.context, steps)


def _renamed(match: re.Match[str], renamed: dict[str, str], draw: random.Random) -> str:
    """Find an id's new name; two ids never share one."""
    while match[0] not in renamed:
        name = match["prefix"] + "".join(draw.choice("0123456789") for _ in match["digits"])
        if name not in renamed.values():
            renamed[match[0]] = name
    return renamed[match[0]]


def write_trajectory(recording: Recording, codec: ChatCodec, view: PromptView) -> Trajectory:
    """Encode a recording as if the model had sampled the teacher's turns."""
    context = recording.context
    system = context.system_prompt if view.system_prompt is None else view.system_prompt
    builder = TrajectoryBuilder(codec, system, view.select(context.tools))
    for observation, turn in recording.steps:
        builder.observe(observation)
        ids = tuple(codec.write_turn(turn))
        builder.sampled(Sampled(ids, (0.0,) * len(ids), stopped=True), turn)
    return builder.build()


def imitate(
    learner: Learner, trajectories: Sequence[Trajectory], *, steps: int, batch: int, seed: int
) -> Iterator[float]:
    """Maximise the likelihood of the trajectories; yields nats a token, step by step.

    It is the policy gradient with every advantage 1: at ratio 1 the gradient of the surrogate is
    that of the log-likelihood. Trajectories carry sampling log-probabilities of 0, so the gap to
    the sampler is the negative log-likelihood. The learner's importance correction must be off.
    """
    draw = random.Random(derive_seed(seed, "imitation"))
    for _ in range(steps):
        chosen = draw.choices(trajectories, k=batch)
        weights = token_weights([one.sampled_tokens for one in chosen], "token")
        stats = learner.update(
            [TrainSequence(one, 1.0, weight) for one, weight in zip(chosen, weights, strict=True)]
        )
        yield stats.sampler_gap
