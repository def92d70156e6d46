"""Start the processes of a distributed run, as torchrun does, and wait for them."""

import os
import socket
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def launch(ranks: int, *arguments: str | Path) -> None:
    """Run Python with the arguments on each of ``ranks`` processes; each must end well."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    common = os.environ | {
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(ranks),
        "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu",
        "LOCAL_SIZE": str(ranks), "DS_SKIP_CUDA_CHECK": "1",
    }  # fmt: skip
    processes = [
        subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            env=common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(ranks)
    ]
    outputs = [process.communicate(timeout=280)[0] for process in processes]
    for process, output in zip(processes, outputs, strict=True):
        assert process.returncode == 0, output[-4000:]
