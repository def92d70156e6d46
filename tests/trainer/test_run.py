"""Whole runs on an environment that is not ours, with a model of a few thousand parameters."""

import importlib
import json
import multiprocessing
import signal
import struct
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import tb_trainer.build
from tb_envs.errors import UsageError
from tb_trainer.checkpoint import latest_checkpoint, read_state
from tb_trainer.config import RunConfig, load_config, render_config
from tb_trainer.engines import Engine
from tb_trainer.export import export_checkpoint
from tb_trainer.metrics import read_lines
from tb_trainer.run import train
from tests.trainer.workers.killed_run import STAGES, run_until_killed


def config(model: Path, output: Path, *changes: str) -> RunConfig:
    return load_config(
        None,
        [
            f"output={output}", "steps=3", f"model.path={model}", "model.chat_template=qwen3",
            "tasks.train=[Toy/Letter-v0]", "rollout.groups=2", "rollout.group_size=4",
            "rollout.replacements=6", "rollout.max_prompt_tokens=64",
            "rollout.max_response_tokens=32", "rollout.max_turn_tokens=6",
            "rollout.concurrency=8", "learner.learning_rate=1e-3", *changes,
        ],
    )  # fmt: skip


SIX_STEPS = ("steps=6", "tasks.held_out=[Toy/Letter-v0]", "tasks.validate_every=2")


def weights(output: Path) -> dict[str, torch.Tensor]:
    checkpoint = latest_checkpoint(output / "checkpoints")
    assert checkpoint is not None
    return torch.load(checkpoint / "learner.pt")["model"]


def test_a_policy_learns_an_environment_that_is_not_ours(
    model_directory: Path, tmp_path: Path
) -> None:
    train(
        config(model_directory, tmp_path, "steps=12", "learner.learning_rate=1e-2",
               "rollout.groups=4", "rollout.group_size=8", "tasks.held_out=[Toy/Letter-v0]",
               "tasks.validate_every=12")
    )  # fmt: skip
    rewards = [line["reward"] for line in read_lines(tmp_path / "metrics.jsonl")]
    assert sum(rewards[:3]) / 3 < 0.5
    assert sum(rewards[-3:]) / 3 > sum(rewards[:3]) / 3 + 0.2, rewards
    last = read_lines(tmp_path / "metrics.jsonl")[-1]
    assert last["held_out/pass_at_1"] > 0.4
    assert last["sampler_gap_max"] < 1e-3, "engine and learner must agree on log-probabilities"


def test_weights_and_biases_gets_the_same_numbers_when_it_is_asked_for(
    model_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wandb", reason="wandb is an option")
    monkeypatch.setenv("WANDB_PROJECT", "tests")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    train(config(model_directory, tmp_path))
    (written,) = (tmp_path / "wandb").glob("offline-run-*/run-*.wandb")
    shown = read_wandb(written)
    metrics = read_lines(tmp_path / "metrics.jsonl")
    assert [shown[line["step"]]["reward"] for line in metrics] == [
        line["reward"] for line in metrics
    ]
    assert len(metrics) == 3


def read_wandb(path: Path) -> dict[int, dict[str, float]]:
    """Read the history that Weights & Biases wrote, by step.

    A file is seven bytes of header, then LevelDB log records (checksum, length, type, data) in
    blocks of 32 KiB; ours fit into the first block, so every record is whole (type 1).
    """
    record_type = importlib.import_module("wandb.proto.wandb_internal_pb2").Record
    raw, at = path.read_bytes(), 7
    assert len(raw) < 32768
    history: dict[int, dict[str, float]] = {}
    while at + 7 <= len(raw):
        length, kind = struct.unpack_from("<HB", raw, at + 4)
        assert kind == 1
        record = record_type.FromString(raw[at + 7 : at + 7 + length])
        at += 7 + length
        if record.WhichOneof("record_type") == "history":
            values = history.setdefault(record.history.step.num, {})
            for item in record.history.item:
                values[item.key or "/".join(item.nested_key)] = json.loads(item.value_json)
    return history


def test_the_same_run_twice_writes_the_same_metrics(model_directory: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        train(config(model_directory, tmp_path / name))
    for file in ("metrics.jsonl", "ledger.jsonl"):
        assert (tmp_path / "a" / file).read_text() == (tmp_path / "b" / file).read_text()


def test_six_steps_equal_three_and_three_resumed_to_the_bit(
    model_directory: Path, tmp_path: Path
) -> None:
    train(config(model_directory, tmp_path / "whole", "steps=6"))
    train(config(model_directory, tmp_path / "halves", "steps=3"))
    train(config(model_directory, tmp_path / "halves", "steps=6"), resume=True)
    for file in ("metrics.jsonl", "ledger.jsonl"):
        whole = (tmp_path / "whole" / file).read_text()
        assert (tmp_path / "halves" / file).read_text() == whole
    for name, tensor in weights(tmp_path / "whole").items():
        assert torch.equal(tensor, weights(tmp_path / "halves")[name]), name


def test_a_run_begins_by_giving_its_engine_the_first_weights(
    model_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers outlive runs: what they hold may be the last weights of one that was killed."""
    train(config(model_directory, tmp_path / "new"))
    build = tb_trainer.build.build_engine

    def served_another_run(settings: RunConfig) -> Engine:
        engine = build(settings)
        model = AutoModelForCausalLM.from_pretrained(model_directory)
        named = model.named_parameters(remove_duplicate=False)
        engine.update_weights(lambda: [(name, 3 * tensor) for name, tensor in named])
        return engine

    monkeypatch.setattr(tb_trainer.build, "build_engine", served_another_run)
    train(config(model_directory, tmp_path / "used"))
    for file in ("metrics.jsonl", "ledger.jsonl"):
        assert (tmp_path / "used" / file).read_text() == (tmp_path / "new" / file).read_text()


def test_a_step_without_signal_changes_nothing(model_directory: Path, tmp_path: Path) -> None:
    train(
        config(model_directory, tmp_path, "tasks.train=[Toy/Impossible-v0]", "steps=1",
               "rollout.replacements=1")
    )  # fmt: skip
    (line,) = read_lines(tmp_path / "metrics.jsonl")
    assert json.loads((tmp_path / "tasks.json").read_text()) == {
        "Toy/Impossible-v0": {
            "drawn": 3, "trained": 0, "zero_variance": 3, "failed": 0, "episodes": 12,
            "reward": 0.0,
        }
    }  # fmt: skip
    assert line["skipped"] == 1.0
    assert line["groups_without_signal"] == 3, "two, and one replacement"
    first = AutoModelForCausalLM.from_pretrained(model_directory).state_dict()
    for name, tensor in weights(tmp_path).items():
        assert torch.equal(tensor, first[name])


def test_several_updates_on_one_batch_are_clipped_against_the_first_policy(
    model_directory: Path, tmp_path: Path
) -> None:
    train(config(model_directory, tmp_path, "grpo.updates=2", "grpo.kl_coef=0.1", "steps=2",
                 "learner.learning_rate=3e-3", "rollout.groups=4"))  # fmt: skip
    lines = [line for line in read_lines(tmp_path / "metrics.jsonl") if not line["skipped"]]
    assert all(line["approx_kl"] > 0 for line in lines)
    assert lines[-1]["ref_kl"] > 0


def test_a_run_is_not_overwritten_and_a_finished_one_does_not_pass_for_work(
    model_directory: Path, tmp_path: Path
) -> None:
    train(config(model_directory, tmp_path, "steps=1"))
    with pytest.raises(UsageError, match="resume it"):
        train(config(model_directory, tmp_path, "steps=2"))
    with pytest.raises(UsageError, match="nothing is left to do"):
        train(config(model_directory, tmp_path, "steps=1"), resume=True)


def test_a_damaged_checkpoint_is_refused(model_directory: Path, tmp_path: Path) -> None:
    train(config(model_directory, tmp_path, "steps=1"))
    checkpoint = latest_checkpoint(tmp_path / "checkpoints")
    assert checkpoint is not None
    with (checkpoint / "learner.pt").open("r+b") as file:
        file.seek(1000)
        file.write(b"\xff\xff\xff")
    with pytest.raises(UsageError, match=r"learner\.pt differ"):
        train(config(model_directory, tmp_path, "steps=2"), resume=True)
    (checkpoint / "learner.pt").unlink()
    with pytest.raises(UsageError, match=r"learner\.pt differ"):
        train(config(model_directory, tmp_path, "steps=2"), resume=True)
    (checkpoint / "manifest.json").unlink()
    with pytest.raises(UsageError, match=r"has no manifest\.json"):
        train(config(model_directory, tmp_path, "steps=2"), resume=True)


def test_only_the_latest_checkpoints_stay(model_directory: Path, tmp_path: Path) -> None:
    train(config(model_directory, tmp_path, "steps=4", "keep_checkpoints=2"))
    names = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert names == ["step-000003", "step-000004"]


def test_the_best_validated_checkpoint_stays_besides_the_latest(
    model_directory: Path, tmp_path: Path
) -> None:
    train(
        config(model_directory, tmp_path, "steps=6", "keep_checkpoints=1", "rollout.groups=4",
               "learner.learning_rate=3e-2", "tasks.held_out=[Toy/Letter-v0]",
               "tasks.validate_every=1")
    )  # fmt: skip
    scores = [line["held_out/pass_at_1"] for line in read_lines(tmp_path / "metrics.jsonl")]
    best = scores.index(max(scores)) + 1
    assert best < 6, f"the last step must not be the best for this test to show anything: {scores}"
    folders = sorted(path.name for path in (tmp_path / "checkpoints").glob("step-*"))
    assert folders == [f"step-{best:06d}", "step-000006"]


def test_a_pool_whose_task_has_changed_is_refused_before_anything_starts(
    model_directory: Path, tmp_path: Path
) -> None:
    pool = tmp_path / "pool.json"
    entry = {"id": "hotel-downgrade.approval-missing", "hash": "0" * 64}
    pool.write_text(json.dumps({"tasks": [entry]}))
    output = tmp_path / "run"
    with pytest.raises(UsageError, match="1 tasks have changed since the pool was frozen"):
        train(config(model_directory, output, f"tasks.train=[{pool}]"))
    assert not output.exists()


def test_an_exported_model_loads_and_renders_its_template(
    model_directory: Path, tmp_path: Path
) -> None:
    train(config(model_directory, tmp_path / "run", "steps=1"))
    state = export_checkpoint(tmp_path / "run", tmp_path / "model")
    assert state.step == 1
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, weights(tmp_path / "run")[name])
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    text = tokenizer.apply_chat_template([{"role": "user", "content": "a"}], tokenize=False)
    assert text == "<|im_start|>user\na<|im_end|>\n"


@pytest.fixture(scope="module")
def whole(model_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six validated steps that nothing interrupted."""
    output = tmp_path_factory.mktemp("whole")
    train(config(model_directory, output, *SIX_STEPS))
    lines = read_lines(output / "metrics.jsonl")
    assert [line["step"] for line in lines if "held_out/pass_at_1" in line] == [2, 4, 6]
    return output


@pytest.fixture(scope="module")
def forks() -> ForkServerContext:
    """Starts processes that have the trainer imported already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.trainer.workers.killed_run"])
    return context


@pytest.mark.parametrize("stage", STAGES)
def test_three_steps_a_kill_and_three_equal_six_to_the_bit_when_killed_while(
    stage: str, whole: Path, forks: ForkServerContext, model_directory: Path, tmp_path: Path
) -> None:
    settings = config(model_directory, tmp_path / "killed", *SIX_STEPS)
    written = tmp_path / "config.yaml"
    written.write_text(render_config(settings))
    process = forks.Process(target=run_until_killed, args=(written, stage))
    process.start()
    process.join(timeout=120)
    assert process.exitcode == -signal.SIGKILL

    checkpoint = latest_checkpoint(tmp_path / "killed" / "checkpoints")
    assert checkpoint is not None
    done = 4 if stage == "dropping an old one" else 3
    assert read_state(checkpoint).step == done
    train(settings, resume=True)

    for file in ("metrics.jsonl", "ledger.jsonl", "tasks.json"):
        assert (tmp_path / "killed" / file).read_text() == (whole / file).read_text()
    for name, tensor in weights(whole).items():
        assert torch.equal(tensor, weights(tmp_path / "killed")[name]), name
    kept = [sorted(p.name for p in (one / "checkpoints").iterdir())
            for one in (whole, tmp_path / "killed")]  # fmt: skip
    assert kept[0] == kept[1], "no draft and no half of a checkpoint is left"
