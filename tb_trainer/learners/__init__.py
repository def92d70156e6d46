"""Learners behind one protocol: sequences with advantages in, changed weights out.

``torch`` is one process or several with summed gradients; ``deepspeed`` shards states, gradients
and parameters. Both run the same objective on the same micro-batches.
"""

from tb_trainer.learners.batch import MicroBatch, TrainSequence, micro_batches
from tb_trainer.learners.protocol import Learner, LearnerSettings, Reference, UpdateStats

__all__ = [
    "Learner",
    "LearnerSettings",
    "MicroBatch",
    "Reference",
    "TrainSequence",
    "UpdateStats",
    "micro_batches",
]
