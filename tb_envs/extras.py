"""Programs whose libraries are an extra: without it, they say what to install."""

import sys
from collections.abc import Callable
from importlib import import_module


def run_program(module: str, extra: str) -> None:
    """Run a module's ``main``; a library that is not installed is a message, not a traceback."""
    try:
        main: Callable[[], None] = import_module(module).main
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] in ("tb_envs", "tb_trainer", "tb_bench"):
            raise
        sys.exit(
            f"{error.name} is not installed. Install it with: pip install thinkingbox[{extra}]"
        )
    main()


def bench() -> None:
    """Run ``tb-bench``."""
    run_program("tb_bench.cli", "bench")


def train() -> None:
    """Run ``tb-train``."""
    run_program("tb_trainer.cli", "train")
