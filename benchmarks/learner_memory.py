"""Does chunking log-probabilities save the learner's memory? Peak growth as episodes double.

Prints, for each length, the peak with all logits at once, the peak with chunks, and their ratio.
Each measurement is a process of its own, since a peak never falls.

    python benchmarks/learner_memory.py [--lengths 2048 4096 8192 16384] [--vocab 32768]
"""

import argparse
import resource
import subprocess
import sys

import torch

from tb_trainer.learners import LearnerSettings, TrainSequence
from tb_trainer.learners.torch_learner import TorchLearner
from tb_trainer.models import build_model
from tb_trainer.trajectory import Trajectory


def peak_mib() -> float:
    """Peak memory of this process so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(length: int, chunk: int, vocab: int) -> float:
    """Peak memory of one update above that of the loaded learner, MiB."""
    torch.set_num_threads(1)
    model = build_model(
        {
            "model_type": "qwen3", "vocab_size": vocab, "hidden_size": 64, "intermediate_size": 128,
            "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1,
            "head_dim": 32, "max_position_embeddings": 32768, "tie_word_embeddings": True,
        },
        seed=0,
    )  # fmt: skip
    learner = TorchLearner(model, LearnerSettings(logprob_chunk=chunk, gradient_checkpointing=True))
    mask = (0, *[1] * (length - 1))
    ids = tuple(torch.randint(1, vocab, (length,)).tolist())
    trajectory = Trajectory(ids, mask, (0.0,) * length, ((1, length),))
    before = peak_mib()
    learner.update([TrainSequence(trajectory, 1.0, 1.0 / length)])
    return peak_mib() - before


def measured_apart(length: int, chunk: int, vocab: int) -> float:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--one", str(length), str(chunk), "--vocab", str(vocab)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[2048, 4096, 8192, 16384])
    parser.add_argument("--vocab", type=int, default=32768)
    parser.add_argument("--one", type=int, nargs=2)
    arguments = parser.parse_args()
    if arguments.one:
        print(measure(*arguments.one, arguments.vocab))
        return
    print(f"{'tokens':>8} {'all at once':>12} {'chunks':>10} {'ratio':>6}   (MiB)")
    for length in arguments.lengths:
        whole = measured_apart(length, 0, arguments.vocab)
        chunked = measured_apart(length, 1024, arguments.vocab)
        print(f"{length:>8} {whole:>12.0f} {chunked:>10.0f} {whole / chunked:>6.1f}", flush=True)


if __name__ == "__main__":
    main()
