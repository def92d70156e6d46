"""Playing episodes in the terminal: ``play`` and ``demo``."""

from pathlib import Path
from typing import Annotated

import gymnasium
import typer
from rich.console import Console
from rich.rule import Rule

from tb_envs.cli.tasks import DatabaseOption
from tb_envs.display import show_episode
from tb_envs.episode import Episode, write_episodes
from tb_envs.policies import make_policy
from tb_envs.registration import env_id
from tb_envs.rollout import run_episode
from tb_envs.specs import find_task

console = Console()

DEMO_TASK = "hotel-downgrade"


def play(
    task_id: Annotated[str, typer.Argument(help="<family> or <family>.<variant>")],
    policy: Annotated[
        str, typer.Option(help="oracle, idle, trap[:name], random, or openai:<model>.")
    ] = "oracle",
    seed: Annotated[int, typer.Option(help="The episode's seed.")] = 7,
    database: DatabaseOption = None,
    out: Annotated[Path | None, typer.Option(help="Append the episode to this JSONL file.")] = None,
) -> None:
    """Play one episode and show the talk, what each call changed, and the verdict."""
    episode = _play(task_id, policy, seed, database)
    console.print(show_episode(episode))
    if out is not None:
        write_episodes(out, [episode])


def demo(database: DatabaseOption = None) -> None:
    """Play the hotel task three ways: the right way, not at all, and the tempting wrong way."""
    task = find_task(DEMO_TASK)
    trap = task.variant.traps[0]
    console.print(f"[bold]{task.id}[/]: {task.variant.summary.strip()}\n", highlight=False)
    ways = {
        "oracle": "The oracle does what the policy asks",
        "idle": "Nobody does anything",
        f"trap:{trap.name}": f"A trap: {trap.mistake.strip()}",
    }
    rewards: list[str] = []
    for policy, title in ways.items():
        console.print(Rule(title, align="left", style="bold"))
        episode = _play(DEMO_TASK, policy, 7, database)
        console.print(show_episode(episode))
        console.print()
        rewards.append(f"{policy.partition(':')[0]} {episode.reward:.1f}")
    console.print(f"[bold]Rewards[/]: {', '.join(rewards)}", highlight=False)


def _play(task_id: str, policy: str, seed: int, database: str | None) -> Episode:
    task = find_task(task_id)
    env = gymnasium.make(env_id(task.id), database=database)
    try:
        return run_episode(env, make_policy(policy), seed=seed)
    finally:
        env.close()
