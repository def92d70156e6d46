from pathlib import Path

import pytest

from tb_envs.errors import UsageError
from tb_trainer.build import learner_settings
from tb_trainer.config import load_config, render_config
from tb_trainer.config.load import field_names
from tb_trainer.grpo import LossSettings

NEEDED = ["output=o", "model.path=m", "tasks.train=[demo]"]
CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))


def test_a_user_sees_at_most_forty_fields() -> None:
    assert len(field_names()) <= 40


def test_the_defaults_are_those_of_the_papers() -> None:
    grpo = load_config(None, NEEDED).grpo
    assert (grpo.advantage, grpo.aggregation) == ("grpo", "token")  # Shao 2024; DAPO's token mean
    assert grpo.clip == (0.2, 0.28)  # DAPO's clip-higher
    assert grpo.importance_cap == 2.0  # Yao 2025, truncated importance sampling
    assert (grpo.kl_coef, grpo.overlong, grpo.updates) == (0.0, "keep", 1)
    settings = learner_settings(load_config(None, NEEDED))
    assert (settings.learning_rate, settings.weight_decay, settings.warmup_steps) == (1e-6, 0.0, 0)
    assert settings.loss == LossSettings()


def test_overrides_beat_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("output: o\nmodel: {path: m}\ntasks: {train: [demo]}\nsteps: 3\n")
    config = load_config(path, ["steps=7", "learner.learning_rate=1e-5", "tasks.train=[a, b]"])
    assert config.steps == 7
    assert config.learner.learning_rate == 1e-5
    assert config.tasks.train == ["a", "b"]


def test_an_unknown_key_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"lerning_rate: unknown key; the nearest is learner\."):
        load_config(None, [*NEEDED, "learner.lerning_rate=1"])


def test_an_override_that_is_no_yaml_is_refused() -> None:
    with pytest.raises(UsageError, match=r"override 'rollout.groups=\[': '\[' is not a YAML value"):
        load_config(None, [*NEEDED, "rollout.groups=["])


def test_all_faults_are_listed_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        load_config(None, ["output=o", "rollout.group_size=1", "steps=no", "modle.path=x"])
    text = str(caught.value)
    for key in ("rollout.group_size", "steps", "modle", "model", "tasks"):
        assert f"  {key}:" in text


def test_what_is_rendered_reads_back_the_same(tmp_path: Path) -> None:
    config = load_config(None, [*NEEDED, "grpo.importance_cap=null"])
    (tmp_path / "c.yaml").write_text(render_config(config))
    assert load_config(tmp_path / "c.yaml") == config


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_shipped_configuration_loads(path: Path) -> None:
    load_config(path)
