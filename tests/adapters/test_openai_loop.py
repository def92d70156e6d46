"""Twenty lines around the ``openai`` client play an episode to its verdict."""

from collections.abc import Iterator

import pytest

from tb_envs.policies import Policy
from tests.adapters.players import plain_reward, policies, run_example
from tests.adapters.scripted_model import scripted_model


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with scripted_model() as url:
        yield url


@pytest.mark.parametrize("policy", policies()[:3], ids=lambda policy: policy.name)
def test_the_reward_is_that_of_the_plain_environment(policy: Policy, url: str) -> None:
    output = run_example("openai_loop.py", "--model", policy.name, "--base-url", url)
    assert output.splitlines()[-1] == f"reward {plain_reward(policy)}"
