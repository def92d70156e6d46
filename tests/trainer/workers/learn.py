"""One rank of a learner test: reads job.pkl, makes its updates, writes what came out.

Usage: learn.py DIRECTORY, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set.
"""

import os
import pickle
import sys
from pathlib import Path

import torch
import torch.distributed as dist

from tb_trainer.models import build_model


def main(directory: Path) -> None:
    torch.set_num_threads(1)
    job = pickle.loads((directory / "job.pkl").read_bytes())
    dist.init_process_group("gloo")
    model = build_model(job["model"], seed=0)
    if job["learner"] == "deepspeed":
        import deepspeed

        deepspeed.init_distributed("gloo")
        from tb_trainer.learners.deepspeed_learner import DeepSpeedLearner as Chosen
    else:
        from tb_trainer.learners.torch_learner import TorchLearner as Chosen
    learner = Chosen(model, job["settings"])
    stats = []
    logprobs = learner.logprobs(job["sequences"])
    for step in range(job["steps"]):
        if step == job.get("resume_at"):
            learner.save(directory)
            dist.barrier()
            learner = Chosen(build_model(job["model"], seed=99), job["settings"])
            learner.load(directory)
        stats.append(learner.update(job["sequences"]))
    weights = {name: tensor.clone() for name, tensor in learner.weights()}
    if os.environ["RANK"] == "0":
        torch.save(weights, directory / "weights.pt")
        (directory / "out.pkl").write_bytes(pickle.dumps((stats, logprobs)))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
