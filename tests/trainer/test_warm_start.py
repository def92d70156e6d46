"""A model from nothing: what its tokenizer sees, and how teachers are weighed."""

from pathlib import Path

import pytest

from tb_trainer.config import load_config
from tb_trainer.models import load_tokenizer
from tb_trainer.warm_start import WarmStart, read_architecture, warm_start

ROOT = Path(__file__).resolve().parents[2]
TASK = "locker-request.unlock-paid-silver"


def test_the_demo_s_model_is_made_from_its_shipped_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_DATABASE", "embedded")
    config = load_config(
        ROOT / "configs/demo-cpu.yaml", [f"model.path={tmp_path}", f"tasks.train=[{TASK}]"]
    )
    nats: list[float] = []
    warm_start(
        config,
        read_architecture(ROOT / "configs/models/demo.yaml"),
        WarmStart(("oracle", "oracle", "trap:0"), steps=12, batch=2, copies=2),
        lambda step, value: nats.append(value),
    )
    assert len(nats) == 12
    assert nats[-1] < nats[0]
    tokenizer = load_tokenizer(str(tmp_path))
    assert len(tokenizer.tokenize('<tool_call>\n{"name": "unlock", "arguments": {"')) == 3
    assert tokenizer.tokenize("system") == ["system"], "the template's own words, too"
