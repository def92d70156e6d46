"""PPO of Stable-Baselines3 learns a task from nothing: pip install 'thinkingbox[sb3]'.

    python examples/stable_baselines3_ppo.py --task hotel-downgrade --steps 40960 --curve curve.csv

It chooses among ready moves and reads numbers, so it learns the decision and no language.
"""

import argparse
import csv
import time
from pathlib import Path

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from tb_envs.adapters.menu import menu_env


class Curve(BaseCallback):
    """Prints and keeps the success rate of the last episodes after each rollout."""

    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until
        self.points: list[tuple[int, float, float]] = []
        self._started = time.monotonic()

    def _on_step(self) -> bool:
        return not self.points or self.points[-1][2] < self._until

    def _on_rollout_end(self) -> None:
        ended = self.model.ep_success_buffer
        rate = sum(ended) / len(ended) if ended else 0.0
        self.points.append((self.num_timesteps, time.monotonic() - self._started, rate))
        print(f"{self.num_timesteps:6d} steps  {self.points[-1][1]:5.0f} s  success {rate:.2f}")


def success_rate(model: PPO, task: str, *, most_likely: bool, episodes: int = 20) -> float:
    """Play episodes without partial credit, with sampled moves or the most likely ones."""
    env = menu_env(task, partial_credit=0.0, judge="skip")
    passed = 0.0
    for episode in range(episodes):
        observation, _ = env.reset(seed=1000 + episode)
        ended = False
        while not ended:
            action, _ = model.predict(observation, deterministic=most_likely)
            observation, reward, terminated, truncated, _ = env.step(int(action))
            ended = terminated or truncated
            passed += float(reward)
    env.close()
    return passed / episodes


def main() -> None:
    """Train, then evaluate."""
    arguments = _read_arguments()
    torch.set_num_threads(1)  # the network is tiny, and the database wants the other core
    envs = DummyVecEnv([lambda: Monitor(menu_env(arguments.task, judge="skip"))] * 8)
    model = PPO(
        "MlpPolicy",
        envs,
        n_steps=128,
        batch_size=256,
        learning_rate=1e-3,
        gae_lambda=1.0,  # the whole reward comes at the end
        ent_coef=0.02,
        stats_window_size=50,
        seed=arguments.seed,
        device="cpu",
    )
    curve = Curve(arguments.until)
    model.learn(arguments.steps, callback=curve)
    envs.close()
    if arguments.curve:
        with arguments.curve.open("w", newline="") as file:
            csv.writer(file).writerows([("steps", "seconds", "success_rate"), *curve.points])
    for name, most_likely in (("sampled", False), ("most likely", True)):
        rate = success_rate(model, arguments.task, most_likely=most_likely)
        print(f"success rate of the trained policy, {name} moves: {rate:.2f}")


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
