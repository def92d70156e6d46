"""Is a GRPO step of ours faster than TRL's? The demo's policy, one process, both in each step.

TRL's released ``GRPOTrainer`` makes the steps, with our adapter's environments and transformers'
``generate``. In each step our trainer plays the same tasks with the same weights, as many episodes,
and our learner learns from the very tokens and advantages that TRL learned from; then the weights
go to our engine. Loss and gradient norm of both stand side by side, and the weights after the last
step: only if they agree did both do the same work. The first step is not counted.
Time is told twice: by the clock on the wall, and as processor time, which a busy machine disturbs
less and which leaves the database server's own out. It is this process's; for sampling it is the
sampling thread's, because our environments work beside it. torch computes in one thread throughout.

The model is the demo's, with its tokenizer and chat template; ``make demo`` leaves one in
``runs/demo/seed-0/model``. Run it where TRL is installed (``pip install '.[train,trl]'``):

    python benchmarks/grpo_step_against_trl.py [--model DIR] [--steps 5] [--micro 16]
"""

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_template

from tb_envs.adapters.trl import ThinkingBoxSpec
from tb_trainer.build import build_policy, collect_settings, learner_settings
from tb_trainer.config import RunConfig, load_config
from tb_trainer.engines.transformers_engine import TransformersEngine
from tb_trainer.groups import collect
from tb_trainer.learners import LearnerSettings, TrainSequence, UpdateStats
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.models import load_model, load_tokenizer
from tb_trainer.tasks import TaskRef, TaskStream, resolve
from tb_trainer.trajectory import Trajectory

CONFIG = Path(__file__).parent.parent / "configs" / "demo-cpu.yaml"
STAGES = ("rollout", "of it sampling", "learning", "hand-over", "step")
CLOCKS = ("wall", "processor")

Times = npt.NDArray[np.float64]
"""Seconds by each of the clocks."""


def now() -> Times:
    """Read the clocks."""
    return np.array([time.perf_counter(), time.process_time()])


def now_in_thread() -> Times:
    """Read the clocks; the processor time is that of the calling thread."""
    return np.array([time.perf_counter(), time.thread_time()])


@dataclass(slots=True)
class Step:
    """What one trainer did in one step: seconds by stage, tokens, and what the learner says."""

    seconds: dict[str, Times] = field(default_factory=lambda: dict.fromkeys(STAGES, np.zeros(2)))
    episodes: int = 0
    sampled: int = 0
    learned: int = 0
    reward: float = 0.0
    loss: float = 0.0
    grad_norm: float = 0.0


class TimedEngine(TransformersEngine):
    """Our engine; keeps how long it decodes."""

    decoding = np.zeros(2)

    def _decode(self, batch: Any) -> None:
        began = now_in_thread()
        super()._decode(batch)
        self.decoding = self.decoding + now_in_thread() - began


class FixedTasks(TaskStream):
    """Draws the tasks that TRL drew for its step."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        names = list(dict.fromkeys(str(row["task_id"]) for row in rows))
        super().__init__(resolve(names), seed=0)
        self._seeds = [int(row["seed"]) for row in rows]

    def draw(self) -> tuple[TaskRef, int]:
        """The next of TRL's tasks; its seed, told apart by its place in the step."""
        place = self.drawn
        self.drawn += 1
        return self._tasks[place], self._seeds[place] + place


class Ours:
    """Our engine and our learner, both beginning with the model of the directory."""

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        rollout = config.rollout
        context = rollout.max_prompt_tokens + rollout.max_response_tokens
        self._engine = TimedEngine(load_model(config.model.path), context_tokens=context)
        tokenizer = load_tokenizer(config.model.path)
        self._policy = build_policy(config, self._engine, tokenizer)
        self.learner = TorchLearner(load_model(config.model.path), _without_correction(config))
        self.steps: list[Step] = []

    def play(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Begin a step: a group of episodes for each task of TRL's."""
        step = Step()
        size = self._config.rollout.group_size
        self._engine.decoding, began = np.zeros(2), now()
        found = collect(
            len(self.steps), FixedTasks(rows[::size]), self._policy, collect_settings(self._config)
        )
        step.seconds["rollout"] = now() - began
        step.seconds["of it sampling"] = self._engine.decoding
        step.episodes = len(found.episodes)
        step.sampled = sum(one.usage.completion_tokens or 0 for one in found.episodes)
        step.reward = sum(one.reward for one in found.episodes) / len(found.episodes)
        self.steps.append(step)

    def learn(self, sequences: Sequence[TrainSequence]) -> None:
        """End the step: learn what TRL learned, and hand the weights over."""
        step = self.steps[-1]
        began = now()
        stats: UpdateStats = self.learner.update(sequences)
        learned = now()
        self._engine.update_weights(self.learner.weights)
        handed = now()
        step.seconds["learning"], step.seconds["hand-over"] = learned - began, handed - learned
        step.seconds["step"] = handed - began + step.seconds["rollout"]
        step.learned = sum(one.trajectory.sampled_tokens for one in sequences)
        step.loss, step.grad_norm = stats.loss, stats.grad_norm

    def close(self) -> None:
        """Stop the engine."""
        self._engine.close()


class Theirs(GRPOTrainer):
    """The released trainer, with a clock; ours plays between its rollout and its learning."""

    def __init__(self, ours: Ours, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.ours = ours
        self.steps: list[Step] = []
        self.outside = np.zeros(2)
        self.batch: dict[str, Any] = {}

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self.steps.append(Step())
        began = now()
        self.batch = super()._generate_and_score_completions(inputs)
        ended = now()
        step = self.steps[-1]
        step.seconds["rollout"] = ended - began
        step.episodes = len(inputs)
        step.sampled = step.learned = int(self.batch["num_items_in_batch"])
        self.ours.play(inputs)
        self.outside = now() - ended
        return dict(self.batch)

    def _generate_single_turn(self, *arguments: Any, **named: Any) -> Any:
        began = now_in_thread()
        answer = super()._generate_single_turn(*arguments, **named)
        seconds = self.steps[-1].seconds
        seconds["of it sampling"] = seconds["of it sampling"] + now_in_thread() - began
        return answer


class Clock(TrainerCallback):
    """Times TRL's steps, and lets ours learn after each."""

    def __init__(self) -> None:
        self.trainer: Theirs | None = None
        self._began = np.zeros(2)

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        """The rollout comes next."""
        self._began = now()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """The optimizer has stepped."""
        ended, trainer = now(), self.trainer
        assert trainer is not None
        seconds = trainer.steps[-1].seconds
        seconds["step"] = ended - self._began - trainer.outside
        seconds["learning"] = seconds["step"] - seconds["rollout"]
        trainer.ours.learn(list(sequences_of(trainer.batch)))

    def on_log(self, *_: Any, logs: Mapping[str, float], **__: Any) -> None:
        """TRL says what came out."""
        assert self.trainer is not None
        if "grad_norm" in logs:
            step = self.trainer.steps[-1]
            step.loss, step.grad_norm, step.reward = (
                float(logs[name]) for name in ("loss", "grad_norm", "reward")
            )


def sequences_of(batch: Mapping[str, Any]) -> Iterator[TrainSequence]:
    """Take TRL's batch for our learner: the same tokens, mask and advantages, a token mean."""
    weight = 1.0 / float(batch["num_items_in_batch"])
    sampled = batch["completion_mask"] * batch["tool_mask"]
    for row, advantage in enumerate(batch["advantages"].flatten().tolist()):
        prompt = batch["prompt_ids"][row][batch["prompt_mask"][row].bool()].tolist()
        real = batch["completion_mask"][row].bool()
        mask = [0] * len(prompt) + sampled[row][real].tolist()
        ids = prompt + batch["completion_ids"][row][real].tolist()
        trajectory = Trajectory(tuple(ids), tuple(mask), (0.0,) * len(ids), ())
        yield TrainSequence(trajectory, advantage, weight)


def make_theirs(config: RunConfig, ours: Ours, arguments: argparse.Namespace) -> Theirs:
    """Set TRL's trainer up to do what the configuration asks of ours."""
    path = config.model.path
    tokenizer = load_tokenizer(path)
    tokenizer.chat_template = _template_for_trl(tokenizer.chat_template)
    tokenizer.response_template = qwen3_template  # TRL reads calls with it; the demo's are Hermes'
    clock = Clock()
    spec = ThinkingBoxSpec(config.tasks.train)
    prompt = [
        {"role": "system", "content": config.model.system_prompt},
        {"role": "user", "content": ""},
    ]
    trainer = Theirs(
        ours,
        model=load_model(path),
        args=_settings(config, arguments),
        processing_class=tokenizer,
        train_dataset=spec.train_dataset.map(lambda _: {"prompt": prompt}),
        environment_factory=spec.environment_factory,
        callbacks=[clock],
    )
    clock.trainer = trainer
    return trainer


def _template_for_trl(template: str) -> str:
    """Write the demo's template so that TRL takes it; the prompts' tokens stay the same.

    TRL wants a conversation's ids to begin with those of the conversation without its last message,
    and in the demo's vocabulary the newline after a message is one token with the next message's
    opening: so it is written before a message, not after. The demo's policy is shown no tools, and
    TRL always hands them to the template.
    """
    shifted = template.replace("<|im_end|>\\n", "<|im_end|>")
    shifted = shifted.replace("<|im_start|>", "\\n<|im_start|>")
    return shifted.replace("\\n<|im_start|>system", "<|im_start|>system").replace(
        "in tools or []", "in []"
    )


def _settings(config: RunConfig, arguments: argparse.Namespace) -> GRPOConfig:
    episodes = config.rollout.groups * config.rollout.group_size
    return GRPOConfig(
        output_dir=config.output,
        max_steps=arguments.steps + 1,
        per_device_train_batch_size=arguments.micro,
        gradient_accumulation_steps=episodes // arguments.micro,
        num_generations=config.rollout.group_size,
        max_completion_length=config.rollout.max_response_tokens,
        temperature=config.rollout.temperature,
        generation_kwargs={"max_new_tokens": config.rollout.max_turn_tokens},
        learning_rate=config.learner.learning_rate,
        lr_scheduler_type="constant",
        beta=0.0,
        epsilon=config.grpo.clip[0],
        epsilon_high=config.grpo.clip[1],
        loss_type="dapo",
        gradient_checkpointing=False,
        use_cpu=True,
        bf16=False,
        logging_steps=1,
        disable_tqdm=True,
        save_strategy="no",
        report_to=[],
    )


def _without_correction(config: RunConfig) -> LearnerSettings:
    """Our learner's settings; TRL does not correct for the gap between sampler and learner."""
    settings = learner_settings(config)
    return replace(settings, loss=replace(settings.loss, importance_cap=None))


def report(theirs: Sequence[Step], ours: Sequence[Step]) -> Iterator[str]:
    """The agreement of both, step by step, and the table without the first step."""
    yield f"{'step':>4} {'loss':>21} {'gradient norm':>19} {'reward':>15}   (TRL, ours)"
    for number, (one, other) in enumerate(zip(theirs, ours, strict=True)):
        yield (
            f"{number:>4} {one.loss:10.6f} {other.loss:10.6f} {one.grad_norm:9.5f} "
            f"{other.grad_norm:9.5f} {one.reward:7.3f} {other.reward:7.3f}"
        )
    for clock, name in enumerate(CLOCKS):
        yield from _table(theirs[1:], ours[1:], clock, name)
    for name in ("episodes", "sampled", "learned"):
        one, other = (_mean([getattr(s, name) for s in steps[1:]]) for steps in (theirs, ours))
        yield f"{name + ' a step':<32} {one:>9.0f} {other:>9.0f}"


def _table(theirs: Sequence[Step], ours: Sequence[Step], clock: int, name: str) -> Iterator[str]:
    """Seconds by stage and tokens a second, by one of the clocks."""
    pair = (theirs, ours)
    yield f"\n{f'seconds a step, {name}':<32} {'TRL':>9} {'ours':>9} {'ratio':>7}"
    for stage in STAGES:
        one, other = (_mean([s.seconds[stage][clock] for s in steps]) for steps in pair)
        yield f"{stage:<32} {one:>9.3f} {other:>9.3f} {_ratio(one, other)}"
    yield f"{f'tokens a second, {name}':<32} {'TRL':>9} {'ours':>9} {'ratio':>7}"
    for what, tokens, stage in (
        ("sampled, whole rollout", "sampled", "rollout"),
        ("sampled, sampling alone", "sampled", "of it sampling"),
        ("learned", "learned", "learning"),
    ):
        one, other = (
            sum(getattr(s, tokens) for s in steps) / sum(s.seconds[stage][clock] for s in steps)
            for steps in pair
        )
        yield f"{what:<32} {one:>9.0f} {other:>9.0f} {_ratio(other, one)}"


def _ratio(one: float, other: float) -> str:
    return f"{one / other:>6.2f}x" if one and other else ""


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def furthest(theirs: torch.nn.Module, ours: torch.nn.Module) -> float:
    """The largest difference between two models' parameters."""
    pairs = zip(theirs.parameters(), ours.parameters(), strict=True)
    return max(float((one - other).abs().max()) for one, other in pairs)


def main() -> None:
    """Make the steps and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="runs/demo/seed-0/model")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--micro", type=int, default=16, help="TRL's sequences a forward pass")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as output:
        changes = ["rollout.replacements=0", "grpo.kl_coef=0"]  # as many episodes, the same loss
        paths = [f"output={output}", f"model.path={arguments.model}"]
        config = load_config(CONFIG, paths + changes)
        ours = Ours(config)
        try:
            theirs = make_theirs(config, ours, arguments)
            theirs.train()
            for line in report(theirs.steps, ours.steps):
                print(line)
            gap = furthest(theirs.model, ours.learner.model)
            print(f"largest difference between a weight of TRL's and of ours: {gap:.1e}")
        finally:
            ours.close()


if __name__ == "__main__":
    main()
