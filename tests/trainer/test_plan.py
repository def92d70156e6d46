import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tb_trainer.config import RunConfig, load_config
from tb_trainer.plan import make_plan, show_plan
from tb_trainer.plan.check import _topology  # pyright: ignore[reportPrivateUsage]
from tb_trainer.plan.memory import cache_gib, learner_memory
from tb_trainer.plan.shape import ModelShape

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
    # 8 Gi parameters over 8 processes: 2 bytes, 2 bytes, and 12 (master copy and two moments).
    assert memory.weights == pytest.approx(2.0)
    assert memory.gradients == pytest.approx(2.0)
    assert memory.optimizer == pytest.approx(12.0)
    # 8192 tokens x 4096 x 2 bytes = 64 MiB; 32 layer inputs and one layer of 34.
    assert memory.activations == pytest.approx(66 / 16)
    # Three float32 tensors of 1024 x 131072.
    assert memory.logits == pytest.approx(1.5)
    assert memory.total == pytest.approx(2 + 2 + 12 + 66 / 16 + 1.5)


def test_the_first_policy_is_kept_like_the_weights_where_there_is_a_penalty() -> None:
    sharded = ("learner.kind=deepspeed", "learner.zero_stage=3", "grpo.kl_coef=0.1")
    assert learner_memory(config(*sharded), SHAPE, processes=8).reference == pytest.approx(4.0)
    whole = learner_memory(config("grpo.kl_coef=0.1"), SHAPE, processes=8)
    assert whole.reference == pytest.approx(32.0), "8 Gi parameters of 4 bytes"
    on_cpu = learner_memory(config(*sharded, "learner.offload=all"), SHAPE, processes=8)
    assert on_cpu.reference == 0.0


def test_the_cache_of_an_episode_by_hand() -> None:
    # 2 x 32 layers x 256 tokens x 8 heads x 128 x 2 bytes = 32 MiB, over two GPUs.
    assert cache_gib(config("engine.tensor_parallel=2"), SHAPE, 2) == pytest.approx(1 / 64)


def test_models_with_other_layers_than_full_attention_are_told_apart() -> None:
    hybrid = ModelShape(
        parameters=1000, layers=4, attention_layers=1, hidden=8, heads=4, kv_heads=4, head_dim=2,
        vocabulary=10, max_positions=10_000,
    )  # fmt: skip
    faults = list(_topology(config("learner.sequence_parallel=2"), hybrid, 2))
    assert ["not full attention" in fault.what for fault in faults] == [True]


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
    console = Console(width=160, record=True, file=StringIO())
    show_plan(console, plan)
    text = console.export_text()
    lines = [" ".join(re.split(r"\s*│\s*", line)).strip() for line in text.splitlines()]
    shards = "1/16 of parameters, gradients and optimizer; each sequence in 4 parts"
    assert f"node 1: 4 to 7 learner, rank 4 to 7: replica 1 {shards}" in lines
    assert f"node 2: 0 to 3 learner, rank 8 to 11: replica 2 {shards}" in lines
    server = "vLLM at http://127.0.0.1:10 1/4 of the model on each of 4; KV cache"
    assert f"4 of its host {server}" in lines
