"""One rank of a run on the toy environments.

Each number of steps is a call of its own, which goes on from the last checkpoint.

Usage: run.py CONFIG.yaml STEPS [STEPS ...], with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set.
"""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
import conftest  # noqa: F401 - registers the toy environments

from tb_trainer.config import load_config
from tb_trainer.run import train

if __name__ == "__main__":
    torch.set_num_threads(1)
    for steps in sys.argv[2:]:
        train(load_config(Path(sys.argv[1]), [f"steps={steps}"]), resume=True)
