"""Make a SkyRL dataset of our tasks and try its first row: pip install 'thinkingbox[skyrl]'.

    python examples/skyrl_gym_rows.py --tasks train --out train.jsonl

In the training script's Ray entry point, call ``register_with_skyrl()`` before the trainer is made.
"""

import argparse
import json
from pathlib import Path

import skyrl_gym

from tb_envs.adapters.skyrl_gym import ENV_ID, dataset_rows, register_with_skyrl


def main() -> None:
    """Write the rows, then play the first with an agent that refuses to help: the verdict is 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", default="train", help="a split, a pool file or a task's name")
    parser.add_argument("--out", type=Path, default=Path("thinkingbox.jsonl"))
    arguments = parser.parse_args()
    rows = dataset_rows(arguments.tasks)
    arguments.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(len(rows), "rows in", arguments.out)

    register_with_skyrl()
    env = skyrl_gym.make(ENV_ID, env_config={"judge": "skip"}, extras=rows[0])
    env.init(rows[0]["prompt"])
    output = env.step("I am sorry, I cannot help you with that.")
    while not output["done"]:
        output = env.step("No.")
    print("reward", output["reward"])


if __name__ == "__main__":
    main()
