"""Where a run's numbers are shown while it runs: TensorBoard always, Weights & Biases when asked.

Asked for means what its own users expect: ``WANDB_PROJECT`` is set. All else that it reads from the
environment (``WANDB_MODE=offline``, ``WANDB_ENTITY``, ...) holds as usual.
"""

import hashlib
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from torch.utils.tensorboard.writer import SummaryWriter

from tb_envs.errors import UsageError


class Tracker(Protocol):
    """Shows numbers step by step."""

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Show a step's values."""
        ...

    def close(self) -> None:
        """Flush, and end."""
        ...


class TensorBoard:
    """Event files in ``<folder>/tensorboard``; those of steps that are made again are purged."""

    def __init__(self, folder: Path, *, resume_step: int) -> None:
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=resume_step + 1)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Show a step's values."""
        for name, value in values.items():
            self._board.add_scalar(name, value, step)
        self._board.flush()

    def close(self) -> None:
        """Flush, and end."""
        self._board.close()


class WeightsAndBiases:
    """A run of Weights & Biases; a resumed run goes on in the same one."""

    def __init__(self, folder: Path) -> None:
        import wandb

        identity = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
        self._run: Any = wandb.init(dir=str(folder), id=identity, name=folder.name, resume="allow")

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Show a step's values."""
        self._run.log(dict(values), step=step)

    def close(self) -> None:
        """Flush, and end."""
        self._run.finish()


def open_trackers(folder: Path, *, resume_step: int) -> list[Tracker]:
    """Open the trackers of a run.

    Raises:
        UsageError: Weights & Biases is asked for, and not installed.
    """
    trackers: list[Tracker] = [TensorBoard(folder, resume_step=resume_step)]
    if os.environ.get("WANDB_PROJECT"):
        if importlib.util.find_spec("wandb") is None:
            raise UsageError(
                "WANDB_PROJECT is set, but wandb is not installed: pip install wandb, or unset it"
            )
        trackers.append(WeightsAndBiases(folder))
    return trackers
