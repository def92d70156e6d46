import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from tb_trainer.config import RunConfig, load_config
from tb_trainer.models import build_model
from tb_trainer.plan import Plan, make_plan, show_plan
from tb_trainer.plan.check import _topology  # pyright: ignore[reportPrivateUsage]
from tb_trainer.plan.memory import (
    ATTENTION_VALUES,
    OTHER_VALUES,
    engine_memory,
    learner_memory,
    offloaded_gib,
)
from tb_trainer.plan.shape import ModelShape, read_shape
from tests.trainer.locker_run import CASE

GIB = 2**30
SHAPE = ModelShape(
    parameters=8 * GIB, layers=32, attention_layers=32, hidden=4096, heads=32, kv_heads=8,
    head_dim=128, vocabulary=2**17, max_positions=40_960,
)  # fmt: skip


def config(*changes: str) -> RunConfig:
    return load_config(
        None,
        ["output=out", "tasks.train=[Toy/Letter-v0]", "model.path=m",
         "rollout.max_prompt_tokens=64", "rollout.max_response_tokens=192",
         "rollout.max_turn_tokens=64", *changes],
    )  # fmt: skip


def test_a_sound_configuration_is_a_go(model_directory: Path) -> None:
    plan = make_plan(config(f"model.path={model_directory}"))
    assert plan.faults == ()
    assert plan.memory is not None
    assert plan.tokens_per_step == 18 * 8 * 256


def test_all_faults_are_found_at_once_each_with_a_remedy(model_directory: Path) -> None:
    plan = make_plan(
        config(
            f"model.path={model_directory}", "learner.sequence_parallel=3",
            "engine.tensor_parallel=8", "rollout.max_response_tokens=5000",
            "rollout.max_turn_tokens=6000", "tasks.held_out=[Toy/Letter-v0]",
            "engine.kind=served", "engine.urls=['http://127.0.0.1:9']", "grpo.updates=40",
            "model.chat_template=qwen9",
        ),
        processes=4,
    )  # fmt: skip
    text = "\n".join(fault.what for fault in plan.faults)
    for part in (
        "sequence_parallel = 3 does not divide", "tensor_parallel = 8 does not divide",
        "4 learning processes", "1024 positions", "max_turn_tokens = 6000", "held out",
        "does not answer", "grpo.updates = 40", "qwen9",
    ):  # fmt: skip
        assert part in text
    assert all(fault.remedy for fault in plan.faults)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (("learner.offload=optimizer",), "learner.offload = optimizer is DeepSpeed's"),
        (("learner.kind=deepspeed", "learner.offload=all"), "zero_stage = 2 keeps them whole"),
        (("learner.kind=deepspeed",), "deepspeed is not installed here"),
        (("engine.kind=vllm",), "vllm is not installed here"),
        (("model.chat_template=llama3",), "the tokenizer lacks <|begin_of_text|>"),
        (("tasks.validate_every=5",), "tasks.held_out is empty"),
        (("keep_checkpoints=1000000000",), "checkpoints need about"),
        (("engine.kind=served",), "engine.urls is empty"),
        ((f"tasks.train=[{CASE}]",), f"the first prompt of {CASE} has"),
        ((f"tasks.held_out=[{CASE}]",), f"the first prompt of {CASE} has"),
        ((f"tasks.train=[{CASE}]", "model.tools=[fly]"), "the task has no tool 'fly'"),
    ],
)
def test_the_plan_finds(
    changes: tuple[str, ...], what: str, model_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tb_trainer.plan.check.find_spec", lambda _: None)
    plan = make_plan(config(f"model.path={model_directory}", *changes))
    found = [fault for fault in plan.faults if what in fault.what]
    assert len(found) == 1, plan.faults
    assert found[0].remedy


def test_a_model_that_is_not_there_is_one_fault_among_the_others(tmp_path: Path) -> None:
    plan = make_plan(config(f"model.path={tmp_path}", "tasks.train=[no-such-task]"))
    assert len(plan.faults) == 2
    assert plan.shape is None


def test_the_memory_of_sharded_training_by_hand() -> None:
    settings = config(
        "learner.kind=deepspeed", "learner.zero_stage=3", "learner.dtype=bfloat16",
        "learner.gradient_checkpointing=true", "learner.micro_batch_tokens=8192",
    )  # fmt: skip
    memory = learner_memory(settings, SHAPE, processes=8)
    # 8 Gi parameters over 8 processes: 2 bytes, 4 bytes, and 12 (master copy and two moments).
    assert memory.weights == pytest.approx(2.0)
    assert memory.gradients == pytest.approx(4.0)
    assert memory.optimizer == pytest.approx(12.0)
    # 2 bytes of a bucket of 5e8, of 1e9 parameters in use, and of the head and its gradient, which
    # have 2**17 x 4096 = Gi / 2 values each.
    buffers = 2 * (1.5e9 / GIB + 1)
    assert memory.buffers == pytest.approx(buffers)
    # 8192 tokens x 4096 x 2 bytes = 64 MiB; 32 layer inputs and one layer of 40.
    assert memory.activations == pytest.approx(72 / 16)
    # Three float32 tensors of 1024 x 131072.
    assert memory.logits == pytest.approx(1.5)
    assert memory.total == pytest.approx(2 + 4 + 12 + buffers + 72 / 16 + 1.5)
    assert offloaded_gib(settings, SHAPE, processes=8) == 0.0


@pytest.mark.parametrize(
    ("offload", "weights", "on_cpu"), [("optimizer", 2.0, 16.0), ("all", 0.0, 18.0)]
)
def test_what_is_offloaded_is_counted_on_the_cpu(
    offload: str, weights: float, on_cpu: float
) -> None:
    settings = config(
        "learner.kind=deepspeed", "learner.zero_stage=3", "learner.dtype=bfloat16",
        f"learner.offload={offload}",
    )  # fmt: skip
    memory = learner_memory(settings, SHAPE, processes=8)
    assert (memory.weights, memory.gradients, memory.optimizer) == (weights, 0.0, 0.0)
    assert offloaded_gib(settings, SHAPE, processes=8) == on_cpu


QWEN38_27B: dict[str, Any] = {
    "model_type": "qwen3_5_text", "vocab_size": 248_320, "hidden_size": 5120,
    "intermediate_size": 17_408, "num_hidden_layers": 64, "num_attention_heads": 24,
    "num_key_value_heads": 4, "head_dim": 256, "linear_num_key_heads": 16,
    "linear_num_value_heads": 48, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
    "max_position_embeddings": 262_144, "tie_word_embeddings": False,
}  # fmt: skip
"""The published language model's dimensions; every fourth layer is full attention."""


def test_the_memory_of_the_reference_run_by_hand(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(QWEN38_27B))
    shape = read_shape(str(tmp_path))
    feed_forward = 3 * 5120 * 17_408
    # Queries come with a gate each; two norms of 256.
    attention = 5120 * 2 * 6144 + 2 * 5120 * 1024 + 6144 * 5120 + 2 * 256
    # Queries, keys and values; gate; output; a rate and a decay a head; convolution of 4; norm.
    delta = 5120 * (10_240 + 6144 + 6144 + 2 * 48) + 10_240 * 4 + 2 * 48 + 128
    head = 248_320 * 5120
    count = 64 * (feed_forward + 2 * 5120) + 16 * attention + 48 * delta + 5120 + 2 * head
    assert (shape.parameters, shape.layers, shape.attention_layers) == (count, 64, 16)

    settings = load_config(Path("configs/qwen3.8-27b-24xh100.yaml"))
    assert list(_topology(settings, shape, 24)) == []
    memory = learner_memory(settings, shape, processes=24)
    assert memory.weights == pytest.approx(2 * count / 24 / GIB)  # 2.1
    assert (memory.gradients, memory.optimizer) == (0.0, 0.0), "they lie on the CPU"
    assert offloaded_gib(settings, shape, 24) == pytest.approx((4 + 12) * count / 24 / GIB)  # 16.7
    assert memory.buffers == pytest.approx(2 * (1.5e9 + 2 * head) / GIB)  # 7.5
    # 133,120 tokens over 4 processes; 64 layer inputs and one layer of 80, 2 bytes each.
    assert memory.activations == pytest.approx(33_280 * 5120 * 2 * 144 / GIB)  # 45.7
    assert memory.logits == pytest.approx(3 * 4 * 1024 * 248_320 / GIB)  # 2.8
    assert memory.total < 80

    engine = engine_memory(settings, shape)
    assert engine.weights == pytest.approx(2 * count / 4 / GIB)  # 12.5
    # 2 x 16 layers x 133,120 tokens x 4 heads x 256 x 2 bytes over 4 GPUs.
    assert engine.cache_per_episode == pytest.approx(2.03125)
    assert engine.episodes == 144 // 6


def saved_values(layers: list[str], base: dict[str, Any], tokens: int) -> float:
    """Values of the hidden size a token that autograd saves in bfloat16, parameters left out."""
    settings = base | {"num_hidden_layers": len(layers), "layer_types": layers}
    model = build_model(settings, seed=0).to(torch.bfloat16).train()
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    saved: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage().data_ptr() not in weights:
            saved[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        kept = model.base_model(torch.zeros(1, tokens, dtype=torch.long), use_cache=False)
    count = sum(tensor.untyped_storage().nbytes() for tensor in saved.values())
    del kept
    return count / 2 / tokens / base["hidden_size"]


@pytest.mark.parametrize(
    ("kind", "base", "bound"),
    [
        ("full_attention", {
            "model_type": "qwen3", "hidden_size": 512, "intermediate_size": 1536,
            "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 128,
        }, ATTENTION_VALUES),
        ("full_attention", QWEN38_27B | {
            "hidden_size": 640, "intermediate_size": 2176, "num_attention_heads": 3,
            "num_key_value_heads": 1,
        }, ATTENTION_VALUES),
        ("linear_attention", QWEN38_27B | {
            "hidden_size": 640, "intermediate_size": 2176, "num_attention_heads": 3,
            "num_key_value_heads": 1, "linear_num_key_heads": 2, "linear_num_value_heads": 6,
        }, OTHER_VALUES),
    ],
    ids=["qwen3-8b", "qwen3.8-27b attention", "qwen3.8-27b other"],
)  # fmt: skip
def test_a_layer_keeps_no_more_than_the_plan_says(
    kind: str, base: dict[str, Any], bound: int
) -> None:
    """At an eighth of the published sizes; what two layers keep, less what one does."""
    small = base | {"vocab_size": 128}
    layer = saved_values([kind] * 2, small, 256) - saved_values([kind], small, 256)
    assert bound * 0.6 < layer <= bound


def test_the_first_policy_is_kept_like_the_weights_where_there_is_a_penalty() -> None:
    sharded = ("learner.kind=deepspeed", "learner.zero_stage=3", "grpo.kl_coef=0.1")
    assert learner_memory(config(*sharded), SHAPE, processes=8).reference == pytest.approx(4.0)
    whole = learner_memory(config("grpo.kl_coef=0.1"), SHAPE, processes=8)
    assert whole.reference == pytest.approx(32.0), "8 Gi parameters of 4 bytes"
    on_cpu = learner_memory(config(*sharded, "learner.offload=all"), SHAPE, processes=8)
    assert on_cpu.reference == 0.0


def test_the_cache_of_an_episode_by_hand() -> None:
    # 2 x 32 layers x 256 tokens x 8 heads x 128 x 2 bytes = 32 MiB, over two GPUs.
    memory = engine_memory(
        config("engine.tensor_parallel=2", "learner.dtype=bfloat16", "engine.urls=[a, b, c]"), SHAPE
    )
    assert memory.cache_per_episode == pytest.approx(1 / 64)
    assert memory.weights == pytest.approx(8.0), "8 Gi parameters of 2 bytes, over two GPUs"
    assert memory.episodes == 48, "a third of 144"


@pytest.mark.parametrize(("window", "full"), [(None, 3), (64, 0), (1024, 3)])
def test_a_window_of_attention_over_all_layers_is_no_full_attention(
    window: int | None, full: int, tmp_path: Path
) -> None:
    settings = {
        "model_type": "mistral", "vocab_size": 64, "hidden_size": 32, "intermediate_size": 64,
        "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 2,
        "max_position_embeddings": 1024, "sliding_window": window,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(settings))
    assert read_shape(str(tmp_path)).attention_layers == full


def test_models_with_other_layers_than_full_attention_are_told_apart() -> None:
    hybrid = ModelShape(
        parameters=1000, layers=4, attention_layers=1, hidden=8, heads=4, kv_heads=4, head_dim=2,
        vocabulary=10, max_positions=10_000,
    )  # fmt: skip
    faults = list(_topology(config("learner.sequence_parallel=2"), hybrid, 2))
    assert ["neither full attention" in fault.what for fault in faults] == [True]
    delta = replace(hybrid, delta_key_heads=2)
    assert list(_topology(config("learner.sequence_parallel=2"), delta, 2)) == []
    (fault,) = _topology(config("learner.sequence_parallel=4"), delta, 4)
    assert "does not divide the 2 key heads" in fault.what


def test_the_plan_says_what_is_on_which_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    urls = [f"http://127.0.0.1:{port}" for port in (9, 10, 11, 12)]
    plan = make_plan(
        config(
            f"model.path={tmp_path}", "learner.kind=deepspeed", "learner.zero_stage=3",
            "learner.sequence_parallel=4", "engine.kind=served", f"engine.urls={urls}",
            "engine.tensor_parallel=4",
        )
    )  # fmt: skip
    text = shown(plan)
    lines = [" ".join(re.split(r"\s*│\s*", line)).strip() for line in text.splitlines()]
    shards = "1/16 of parameters, gradients and optimizer; each sequence in 4 parts"
    assert f"node 1: 4 to 7 learner, rank 4 to 7: replica 1 {shards}" in lines
    assert f"node 2: 0 to 3 learner, rank 8 to 11: replica 2 {shards}" in lines
    server = "vLLM at http://127.0.0.1:10 1/4 of the model on each of 4; KV cache"
    assert f"4 of its host {server}" in lines


def shown(plan: Plan) -> str:
    console = Console(width=400, record=True, file=StringIO())
    show_plan(console, plan)
    return console.export_text()


def test_the_plan_says_which_prompt_is_the_longest_and_what_was_not_checked(
    model_directory: Path, tmp_path: Path
) -> None:
    fields = ("tasks.train=[locker-request, Toy/Letter-v0]", "rollout.max_prompt_tokens=9000")
    plan = make_plan(config(f"model.path={model_directory}", *fields))
    assert plan.prompts is not None
    longest = plan.prompts.longest
    assert longest is not None
    text = shown(plan)
    assert f"{plan.prompts.tokens[longest]:,} tokens ({longest}), of 9,000 at most" in text
    assert "16 of 61 tasks were rendered" in text
    assert "1 not checked: they tell it when an episode begins" in text
    assert "not checked: the tokenizer is not at hand" in shown(
        make_plan(config(f"model.path={tmp_path}", *fields))
    )


def test_a_remedy_with_brackets_is_shown_whole(
    model_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tb_trainer.plan.check.find_spec", lambda _: None)
    plan = make_plan(config(f"model.path={model_directory}", "engine.kind=vllm"))
    text = shown(plan)
    assert "pip install 'thinkingbox[gpu]'" in text
    assert "no-go: 1 fault\n" in text
