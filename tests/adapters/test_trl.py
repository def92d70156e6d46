"""TRL's own ``GRPOTrainer`` on our tasks: its loop calls the tools, our verdict is its reward."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="TRL has an environment of its own; see .ci/adapters")

import torch
import trl
from transformers import PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer

from tb_envs.adapters.trl import ThinkingBoxSpec
from tb_envs.policies import IdlePolicy, OraclePolicy, Policy, TrapPolicy
from tb_envs.policies.protocol import PolicySession
from tb_envs.specs import find_task
from tb_envs.tools import load_toolset
from tb_trainer.chat import family_of
from tb_trainer.chat.training import train_tokenizer
from tb_trainer.models import build_model
from tests.adapters.players import (
    DATABASE,
    SEED,
    TASK,
    act,
    break_tools,
    lent_databases,
    plain_reward,
    run_example,
    start,
)

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]

GROUP: list[Policy] = [OraclePolicy(), TrapPolicy(), OraclePolicy(), IdlePolicy()]
COLUMN = "rewards/ThinkingBoxTravel"
_RESULT = re.compile(r"<tool_response>\n(.*?)\n</tool_response>", re.DOTALL)


@pytest.fixture(autouse=True, scope="module")
def _quiet_single_thread() -> Iterator[None]:
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
        yield


@pytest.fixture
def spec() -> ThinkingBoxSpec:
    return ThinkingBoxSpec([TASK], seeds=(SEED,), database=DATABASE)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    """A small tokenizer with the template that TRL knows as Qwen3's."""
    task = find_task(TASK)
    tools = [tool.info.openai() for tool in load_toolset(task.domain.toolsets)]
    texts = [task.domain.system_prompt, json.dumps(tools)]
    tokenizer = train_tokenizer(texts, family_of("qwen3"), vocab_size=3000)
    tokenizer.chat_template = (
        Path(trl.__file__).with_name("chat_templates") / "qwen3.jinja"
    ).read_text()
    return tokenizer


def make_model(tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    """Make a random model with a few thousand parameters."""
    return build_model(
        {
            "model_type": "qwen3",
            "vocab_size": len(tokenizer),
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 16,
            "max_position_embeddings": 65536,
            "tie_word_embeddings": True,
        },
        seed=0,
    )


def make_trainer(
    kind: type[GRPOTrainer],
    spec: ThinkingBoxSpec,
    tokenizer: PreTrainedTokenizerFast,
    folder: Path,
    **settings: Any,
) -> GRPOTrainer:
    model = make_model(tokenizer)
    config = GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=len(GROUP),
        num_generations=len(GROUP),
        max_steps=1,
        learning_rate=1e-2,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        **settings,
    )
    return kind(
        model=model,
        args=config,
        processing_class=tokenizer,
        train_dataset=spec.train_dataset,
        environment_factory=spec.environment_factory,
    )


class ScriptedTrainer(GRPOTrainer):
    """The released trainer, but what its model samples is scripted, one policy a completion."""

    def _generate_single_turn(
        self, prompt_ids: Sequence[list[int]], *_: Any, **__: Any
    ) -> tuple[list[list[int]], None]:
        if not hasattr(self, "scripts"):
            self.scripts = [_Script(policy) for policy in GROUP]
        left = list(self.scripts)
        turns: list[list[int]] = []
        for ids in prompt_ids:
            # Scripts that have said the same so far are as good as each other.
            script = next(one for one in left if ids[: len(one.ids)] == one.ids)
            left.remove(script)
            turns.append(script.answer(ids, self.processing_class))
        return turns, None


class _Script:
    """One policy's side of a rollout, in tokens."""

    def __init__(self, policy: Policy) -> None:
        self.ids: list[int] = []
        self._idle = isinstance(policy, IdlePolicy)
        self._session: PolicySession = start(policy)

    def answer(self, prompt: list[int], tokenizer: Any) -> list[int]:
        text = tokenizer.decode(prompt)
        results = _RESULT.findall(text)
        over = self._idle or (results and "(The case is closed" in results[-1])
        turn = "I am done." if over else self._call(results[-1] if results else "")
        ids = tokenizer.encode(f"{turn}<|im_end|>", add_special_tokens=False)
        self.ids = prompt + ids
        return ids

    def _call(self, result: str) -> str:
        turn = act(self._session, [{"role": "tool", "content": result}])
        if turn.tool_calls:
            name, arguments = turn.tool_calls[0]
        else:
            name, arguments = "message_user", json.dumps({"message": turn.content})
        return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def weights(trainer: GRPOTrainer) -> torch.Tensor:
    return torch.cat([p.detach().clone().flatten() for p in trainer.model.parameters()])


def test_a_step_on_scripted_completions_rewards_and_learns_by_our_verdicts(
    spec: ThinkingBoxSpec, tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    trainer = make_trainer(
        ScriptedTrainer, spec, tokenizer, tmp_path, max_completion_length=20000, temperature=1.0
    )
    before = weights(trainer)
    trainer.train()
    log = trainer.state.log_history[0]
    expected = [plain_reward(policy) for policy in GROUP]
    assert expected == [1.0, 0.0, 1.0, 0.0]
    assert list(trainer._logs["rewards"]["ThinkingBoxTravel"]) == expected
    assert log[f"{COLUMN}/mean"] == 0.5
    assert log["tools/call_frequency"] > 5
    assert log["tools/failure_frequency"] == 0.0
    assert not torch.equal(weights(trainer), before)
    assert lent_databases() == 0


def test_a_step_with_what_a_random_model_samples(
    spec: ThinkingBoxSpec, tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    trainer = make_trainer(GRPOTrainer, spec, tokenizer, tmp_path, max_completion_length=8)
    trainer.train()
    assert trainer.state.log_history[0][f"{COLUMN}/mean"] == 0.0
    assert lent_databases() == 0


def test_a_system_error_gives_no_reward_and_no_gradient(
    spec: ThinkingBoxSpec,
    tokenizer: PreTrainedTokenizerFast,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(f"{__name__}.GROUP", [TrapPolicy(), OraclePolicy()] * 2)
    break_tools(monkeypatch)
    trainer = make_trainer(
        ScriptedTrainer, spec, tokenizer, tmp_path, max_completion_length=20000, weight_decay=0.0
    )
    before = weights(trainer)
    trainer.train()
    assert all(map(math.isnan, trainer._logs["rewards"]["ThinkingBoxTravel"]))
    assert "system error: database: the server is gone" in caplog.text
    assert torch.equal(weights(trainer), before)


def test_a_broken_rollout_stays_outside_its_groups_baseline(
    spec: ThinkingBoxSpec,
    tokenizer: PreTrainedTokenizerFast,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    break_tools(monkeypatch, calls=1)  # of the first rollout, an oracle's
    trainer = make_trainer(ScriptedTrainer, spec, tokenizer, tmp_path, max_completion_length=20000)
    trainer.train()
    rewards = list(trainer._logs["rewards"]["ThinkingBoxTravel"])
    advantages = list(trainer._logs["advantages"])
    assert math.isnan(rewards[0])
    assert rewards[1:] == [0.0, 1.0, 0.0]
    assert trainer.state.log_history[0][f"{COLUMN}/mean"] == pytest.approx(1 / 3)
    assert advantages[0] == 0.0
    assert sum(advantages) == pytest.approx(0.0, abs=1e-5)
    assert advantages[2] > 0 > advantages[1]


def test_a_method_says_what_the_tools_schema_says(spec: ThinkingBoxSpec) -> None:
    environment = spec.environment_factory["travel"]()
    for tool in load_toolset(find_task(TASK).domain.toolsets):
        ours = tool.info.openai()["function"]
        theirs = get_json_schema(getattr(environment, tool.name))["function"]
        assert (theirs["name"], theirs["description"]) == (ours["name"], ours["description"])
        assert list(theirs["parameters"]["properties"]) == list(ours["parameters"]["properties"])
        assert theirs["parameters"].get("required", []) == ours["parameters"].get("required", [])


def test_a_group_begins_on_one_database(spec: ThinkingBoxSpec) -> None:
    environments = [spec.environment_factory["travel"]() for _ in range(3)]
    row = spec.train_dataset[0]
    openings = {environment.reset(**row) for environment in environments}
    digests = {environment._episode.info["database_digest"] for environment in environments}
    assert (len(openings), len(digests)) == (1, 1)
    assert lent_databases() == 3
    environments.clear()
    assert lent_databases() == 0


def test_the_example_trains(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    make_model(tokenizer).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    output = run_example(
        "trl_grpo.py", "--model", tmp_path / "model", "--out", tmp_path / "out", "--tokens", 8
    )
    assert "mean reward 0.0" in output
