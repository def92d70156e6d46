"""An episode at the level of tokens: the tokens that were sampled are the tokens that are trained.

Sampled ids are appended as they came and never encoded again; only what the model did not write
is rendered, encoded and appended, with loss mask 0. The oracle test of each template family is
that the ids gathered this way equal the ids of one full rendering.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tb_envs.errors import UsageError
from tb_envs.messages import AssistantTurn, Observation, ToolSchema
from tb_trainer.chat.codec import ChatCodec, ChatMessage, assistant_message, observed_messages


@dataclass(frozen=True, slots=True)
class Sampled:
    """One sampled turn.

    ``ids`` and ``logprobs`` have one length; the log-probabilities are those of the distribution
    that was sampled from (after temperature). ``stopped`` says that the last id is a stop token;
    a turn cut by a limit has none.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    stopped: bool

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.logprobs):
            raise UsageError(f"{len(self.ids)} sampled ids but {len(self.logprobs)} logprobs")


@dataclass(frozen=True, slots=True)
class Trajectory:
    """T tokens of one episode.

    ``ids``, ``loss_mask`` and ``sampling_logprobs`` are all [T]. The mask is 1 exactly where the
    policy sampled the token, and the log-probability is 0.0 elsewhere. ``turns`` holds the
    half-open token range of each sampled turn.
    """

    ids: tuple[int, ...]
    loss_mask: tuple[int, ...]
    sampling_logprobs: tuple[float, ...]
    turns: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        lengths = {len(self.ids), len(self.loss_mask), len(self.sampling_logprobs)}
        if len(lengths) != 1:
            raise UsageError(
                f"a trajectory's ids, loss_mask and sampling_logprobs differ in length: "
                f"{len(self.ids)}, {len(self.loss_mask)}, {len(self.sampling_logprobs)}"
            )

    @property
    def sampled_tokens(self) -> int:
        """How many tokens the policy sampled."""
        return sum(self.loss_mask)


class TrajectoryBuilder:
    """Gathers one episode's tokens, turn by turn: observe, read `prompt`, sample, append.

    Args:
        codec: Tokenizer and template.
        system_prompt: The first message; may be empty.
        tools: The tools shown to the model.
    """

    def __init__(
        self, codec: ChatCodec, system_prompt: str, tools: Sequence[ToolSchema] = ()
    ) -> None:
        self._codec = codec
        self._tools = tuple(tools)
        self._history: list[ChatMessage] = []
        self._opening: list[ChatMessage] = (
            [{"role": "system", "content": system_prompt}] if system_prompt else []
        )
        self._ids: list[int] = []
        self._mask: list[int] = []
        self._logprobs: list[float] = []
        self._turns: list[tuple[int, int]] = []

    @property
    def prompt(self) -> tuple[int, ...]:
        """The ids that the next turn is sampled after."""
        return tuple(self._ids)

    def observe(self, observation: Observation) -> None:
        """Append new messages and the opening of the model's next turn, with mask 0."""
        new = observed_messages(observation)
        if self._history:
            ids = self._codec.continuation(self._history, new, self._tools)
        else:
            new = self._opening + new
            ids = self._codec.opening(new, self._tools)
        self._history += new
        self._append_unsampled(ids)

    def sampled(self, turn: Sampled, read: AssistantTurn) -> None:
        """Append a sampled turn; ``read`` is what its text says.

        A turn without the end-of-turn token is closed with one that is not trained on.
        """
        start = len(self._ids)
        self._ids += turn.ids
        self._mask += [1] * len(turn.ids)
        self._logprobs += turn.logprobs
        self._turns.append((start, len(self._ids)))
        if not turn.ids or turn.ids[-1] != self._codec.end_of_turn_id:
            self._append_unsampled([self._codec.end_of_turn_id])
        self._history.append(assistant_message(read))

    def build(self) -> Trajectory:
        """Return what was gathered, cut after the last sampled turn.

        What follows it teaches nothing, and costs the learner time.
        """
        end = self._turns[-1][1] if self._turns else len(self._ids)
        return Trajectory(
            ids=tuple(self._ids[:end]),
            loss_mask=tuple(self._mask[:end]),
            sampling_logprobs=tuple(self._logprobs[:end]),
            turns=tuple(self._turns),
        )

    def _append_unsampled(self, ids: Sequence[int]) -> None:
        self._ids += ids
        self._mask += [0] * len(ids)
        self._logprobs += [0.0] * len(ids)
