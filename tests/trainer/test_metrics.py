"""The files of a run when it is killed while they are put in order."""

from pathlib import Path

import pytest

from tb_trainer.metrics import MetricsWriter, read_lines


def test_a_kill_while_later_lines_are_dropped_costs_none_of_the_earlier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MetricsWriter(tmp_path) as writer:
        for step in (1, 2, 3):
            writer.write(step, {"reward": step / 4})

    def killed(path: Path, text: str, **_: str) -> None:
        with path.open("w") as file:
            file.write(text[:10])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", killed)
        with pytest.raises(KeyboardInterrupt):
            MetricsWriter(tmp_path, resume_step=2)

    MetricsWriter(tmp_path, resume_step=2).close()
    assert read_lines(tmp_path / "metrics.jsonl") == [
        {"step": 1, "reward": 0.25},
        {"step": 2, "reward": 0.5},
    ]
