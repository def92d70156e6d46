"""The demo that learns, with a budget of seconds: its parts fit, and it goes on where it was."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tb_bench.cli import app
from tb_bench.learning import TASKS, WHEN, Figures, SeedResult, figures_of
from tb_bench.learning_report import draw_study, study_markdown
from tb_bench.synthetic import synthetic_episode
from tb_envs.episode import Episode, read_episodes
from tb_envs.errors import UsageError
from tb_envs.outcome import SystemErrored
from tests.bench.conftest import SUITE

ROOT = Path(__file__).resolve().parents[2]
RUNNER = CliRunner()
SMALL = [
    "steps=1", "tasks.train=[locker-request.unlock-paid-silver, locker-request.release-paid-basic]",
    "tasks.held_out=[locker-request-unseen.unlock-paid-gold]", "rollout.groups=1",
    "rollout.group_size=2", "rollout.replacements=0", "rollout.max_response_tokens=64",
]  # fmt: skip


def episodes(task: int, verdicts: str) -> list[Episode]:
    """Attempts at one task, ``p`` for each that passed."""
    rng = np.random.default_rng(0)
    return [
        synthetic_episode(SUITE.tasks[task], attempt, verdict == "p", policy="x", rng=rng)
        for attempt, verdict in enumerate(verdicts)
    ]


def result(seed: int, after: float) -> SeedResult:
    shares = {"before": 0.25, "after": after}
    return SeedResult(
        seed,
        {
            (tasks, when): Figures(
                4, 8, pass_1=shares[when], pass_k=1.0, all_of_half=0.1, observed_k=0.0
            )
            for tasks, when in product(TASKS, WHEN)
        },
        rewards=(0.2, 0.3, 0.5),
    )


def test_figures_are_those_of_tasks_with_equally_many_attempts() -> None:
    found = figures_of([*episodes(0, "pppp"), *episodes(1, "pfff"),
                        *episodes(2, "ffff")])  # fmt: skip
    assert found == Figures(3, 4, pass_1=5 / 12, pass_k=2 / 3, all_of_half=1 / 3, observed_k=1 / 3)


def test_a_system_error_leaves_no_figure() -> None:
    broken = episodes(0, "pp")[0].model_copy(
        update={"outcome": SystemErrored(source="database", message="gone")}
    )
    with pytest.raises(UsageError, match="run the same command again"):
        figures_of([broken])


def test_several_seeds_are_shown_as_mean_and_spread(tmp_path: Path) -> None:
    one, two = result(0, 0.5), result(1, 1.0)
    page = study_markdown([one, two])
    assert "| unseen | after | 75.0% (50.0 to 100.0) | 100.0% (100.0 to 100.0) | 10.0%" in page
    assert "| unseen | after | 50.0% |" in study_markdown([one])
    draw_study([one, two], tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_study_is_made_measured_trained_and_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_DATABASE", "embedded")
    command = [
        "learn", str(ROOT / "configs/demo-cpu.yaml"), str(ROOT / "configs/models/demo.yaml"),
        f"output={tmp_path}", *SMALL, "--imitation-steps", "10", "--copies", "1", "--attempts", "2",
    ]  # fmt: skip
    first = RUNNER.invoke(app, command)
    assert first.exit_code == 0, first.output
    assert "step 1/1" in first.output
    folder = tmp_path / "seed-0"
    assert len(list(read_episodes(folder / "before-trained.jsonl"))) == 4
    assert len(list(read_episodes(folder / "after-unseen.jsonl"))) == 2
    assert (folder / "trained" / "tokenizer.json").exists()
    assert (tmp_path / "learning.png").exists()

    (folder / "after-unseen.jsonl").unlink()
    again = RUNNER.invoke(app, command)
    assert again.exit_code == 0, again.output
    assert "measure after training, on unseen tasks" in again.output
    assert "imitation" not in again.output, "what is done is not done again"
