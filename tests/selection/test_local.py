"""Weights in a directory as a policy: a random tiny model, saved as a user has one."""

import pytest

from tb_envs.errors import UsageError
from tb_envs.policies.protocol import EpisodeContext
from tb_trainer.selection.policies import PolicySettings, closing_policy, engine_of, policy_of

pytest.importorskip("transformers", reason="the extra `train` brings it")
pytest.importorskip("torch", reason="the extra `train` brings it")

SHORT = PolicySettings(temperature=0.0, context_tokens=512, turn_tokens=8)
CONTEXT = EpisodeContext(
    env_id="tests/One-v0", task_id="one", seed=0, attempt=0, system_prompt="Be brief.", tools=()
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    from tests.tiny_model import save_tiny_model

    return save_tiny_model(tmp_path_factory.mktemp("model"), ["Be brief. Hello"])


def test_a_saved_model_plays_a_turn_under_its_directorys_name(directory):
    with closing_policy(policy_of(f"hf:{directory}", SHORT)) as policy:
        assert policy.name == f"hf:{directory}"
        assert engine_of(policy).context_tokens == 512
        session = policy.start(CONTEXT)
        session.act(({"role": "user", "name": "", "content": "Hello"},), timeout_s=60)
        usage = session.usage()
        session.close()
    assert 1 <= usage.completion_tokens <= 8


def test_the_models_own_limit_bounds_the_context(directory):
    with closing_policy(policy_of(f"hf:{directory}", PolicySettings())) as policy:
        assert engine_of(policy).context_tokens == 1024


def test_a_template_that_is_not_shipped_must_be_named(directory, tmp_path):
    for path in directory.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    with pytest.raises(UsageError, match="--chat-template"):
        policy_of(f"hf:{tmp_path}", SHORT)
    named = SHORT.model_copy(update={"chat_template": "qwen3"})
    with closing_policy(policy_of(f"hf:{tmp_path}", named)) as policy:
        assert policy.name == f"hf:{tmp_path}"


def test_a_kind_without_a_directory_is_refused():
    with pytest.raises(UsageError, match="hf:DIR"):
        policy_of("hf:", SHORT)


def test_a_scripted_policy_has_no_engine_and_closes_quietly():
    with closing_policy(policy_of("oracle", PolicySettings())) as policy:
        assert engine_of(policy) is None
