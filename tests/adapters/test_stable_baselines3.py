"""Stable-Baselines3 learns a task through the menu, by our verdicts."""

import pytest

pytest.importorskip(
    "stable_baselines3", reason="SB3 has an environment of its own; see .ci/adapters"
)

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from tb_envs.adapters.menu import menu_env
from tb_envs.errors import DatabaseFailure
from tests.adapters.menus import moves_of
from tests.adapters.players import (
    DATABASE,
    SEED,
    TASK,
    break_tools,
    lent_databases,
    plain_reward,
    policies,
    run_example,
)

pytestmark = pytest.mark.filterwarnings("default")


def make(partial_credit: float = 0.5) -> Monitor[object, object]:
    env = menu_env(TASK, partial_credit=partial_credit, database=DATABASE, judge="skip")
    return Monitor(env)


def test_the_librarys_checker_finds_no_fault() -> None:
    env = make()
    check_env(env)
    env.close()


def test_the_rewards_are_those_of_the_plain_environment() -> None:
    """The oracle, doing nothing and each trap, side by side in the library's vector env."""
    players = policies()
    env = DummyVecEnv([lambda: make(partial_credit=0.0)] * len(players))
    scripts = [moves_of(player) for player in players]
    earned = np.zeros(len(players))
    ended = np.zeros(len(players), bool)
    env.seed(SEED)
    env.reset()
    for _ in range(40):
        actions = [next(script) for script in scripts]
        _, rewards, dones, _ = env.step(np.array(actions))
        earned += np.where(ended, 0.0, rewards)
        ended |= dones
        if ended.all():
            break
    env.close()
    assert ended.all()
    assert earned.tolist() == [plain_reward(player) for player in players]
    assert lent_databases() == 0


def test_partial_credit_is_less_than_success_and_kept_out_of_the_verdict() -> None:
    env = make()
    env.reset(seed=SEED)
    talk = next(index for index, move in enumerate(env.get_wrapper_attr("menu")) if move.say)
    done = False
    while not done:
        _, reward, terminated, truncated, info = env.step(talk)
        done = terminated or truncated
    env.close()
    assert 0.0 < float(reward) < 0.5
    assert info["is_success"] is False


def test_a_system_error_stops_the_training_instead_of_teaching_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = DummyVecEnv([make])
    model = PPO("MlpPolicy", env, n_steps=64, device="cpu")
    break_tools(monkeypatch)
    with pytest.raises(DatabaseFailure, match="the server is gone"):
        model.learn(64)
    env.close()
    assert lent_databases() == 0


@pytest.mark.timeout(600)
def test_ppo_learns_the_hotel_task_from_nothing() -> None:
    output = run_example(
        "stable_baselines3_ppo.py", "--steps", 40960, "--until", 0.8, timeout_s=500
    )
    rates = [float(line.rpartition(" ")[2]) for line in output.splitlines() if " s " in line]
    assert rates[0] == 0.0
    assert rates[-1] >= 0.8
    assert float(output.splitlines()[-2].rpartition(" ")[2]) >= 0.6
