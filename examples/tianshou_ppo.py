"""PPO of Tianshou learns a task from nothing: pip install 'thinkingbox[tianshou]'.

    python examples/tianshou_ppo.py --task hotel-downgrade --steps 40960 --curve curve.csv

It chooses among ready moves and reads numbers, so it learns the decision and no language.
"""

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

from tb_envs.adapters.menu import menu_env

ROLLOUT = 1024
ENVS = 8


def make_ppo(env: Any) -> PPO:
    """Make the algorithm with two networks of 64 and 64 units, which begin as usual for PPO.

    Orthogonal weights, and a last layer of the actor near zero: the first policy prefers no move
    (Huang et al. 2022, "The 37 Implementation Details of Proximal Policy Optimization").
    """
    observation, actions = env.observation_space.shape, env.action_space.n
    actor = DiscreteActor(
        preprocess_net=Net(
            state_shape=observation, hidden_sizes=(64, 64), activation=torch.nn.Tanh
        ),
        action_shape=actions,
        softmax_output=False,
    )
    critic = DiscreteCritic(
        preprocess_net=Net(state_shape=observation, hidden_sizes=(64, 64), activation=torch.nn.Tanh)
    )
    for network in (actor, critic):
        for layer in network.modules():
            if isinstance(layer, torch.nn.Linear):
                torch.nn.init.orthogonal_(layer.weight, gain=2**0.5)
                torch.nn.init.zeros_(layer.bias)
    for layer in actor.last.modules():
        if isinstance(layer, torch.nn.Linear):
            torch.nn.init.orthogonal_(layer.weight, gain=0.01)
    policy = DiscreteActorPolicy(
        actor=actor, action_space=env.action_space, deterministic_eval=True
    )
    return PPO(
        policy=policy,
        critic=critic,
        optim=AdamOptimizerFactory(lr=1e-3),
        ent_coef=0.02,
        max_grad_norm=0.5,
    )


def main() -> None:
    """Train, then evaluate without partial credit."""
    arguments = _read_arguments()
    torch.set_num_threads(1)  # the network is tiny, and the database wants the other core
    np.random.seed(arguments.seed)
    torch.manual_seed(arguments.seed)
    training = DummyVectorEnv([lambda: menu_env(arguments.task, judge="skip")] * ENVS)
    testing = DummyVectorEnv([lambda: menu_env(arguments.task, judge="skip", partial_credit=0.0)])
    algorithm = make_ppo(menu_env(arguments.task, judge="skip"))
    collector = Collector(algorithm, training, VectorReplayBuffer(ROLLOUT * 2, ENVS))
    tester = Collector(algorithm, testing)
    points: list[tuple[int, float, float]] = []
    started = time.monotonic()

    def keep(stats: Any) -> float:
        rate = float(stats.returns.mean())
        points.append((ROLLOUT * len(points), time.monotonic() - started, rate))
        print(f"{points[-1][0]:6d} steps  {points[-1][1]:5.0f} s  success {rate:.2f}")
        return rate

    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            test_collector=tester,
            test_step_num_episodes=5,
            compute_score_fn=keep,
            stop_fn=lambda rate: rate >= arguments.until,
            max_epochs=max(1, arguments.steps // ROLLOUT),
            epoch_num_steps=ROLLOUT,
            collection_step_num_env_steps=ROLLOUT,
            batch_size=256,
            update_step_num_repetitions=10,
            show_progress=False,
            verbose=False,
        )
    )
    rate = float(tester.collect(n_episode=20, reset_before_collect=True).returns.mean())
    training.close()
    testing.close()
    if arguments.curve:
        with arguments.curve.open("w", newline="") as file:
            csv.writer(file).writerows([("steps", "seconds", "success_rate"), *points])
    print(f"success rate of the trained policy: {rate:.2f}")


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="hotel-downgrade")
    parser.add_argument("--steps", type=int, default=40960)
    parser.add_argument("--until", type=float, default=2.0, help="stop at this success rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", type=Path, help="write the learning curve to this CSV file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
