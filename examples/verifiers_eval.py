"""Evaluate a served model with verifiers: pip install 'thinkingbox[verifiers]'.

    python examples/verifiers_eval.py --model MODEL --base-url http://localhost:8000/v1

The same from its command line: vf-eval thinkingbox-verifiers -m MODEL --no-push
"""

import argparse
import asyncio

from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig


def main() -> None:
    """Play each task and print its reward, or why there is none."""
    arguments = _read_arguments()
    config = EvalConfig.model_validate(
        {
            "env": {"taskset": {"id": "thinkingbox-verifiers", "tasks": arguments.tasks}},
            "model": arguments.model,
            "client": {"base_url": arguments.base_url, "api_key_var": arguments.api_key_var},
            "num_rollouts": arguments.attempts,
            "output_dir": arguments.out,
            "push": False,  # otherwise the traces are uploaded to the library's makers
            "rich": None,
        }
    )
    for episode in asyncio.run(run_eval(config)):
        for trace in episode.traces:
            error = trace.last_error
            print(trace.task.data.name, trace.reward if error is None else error.message)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", default="https://api.openai.com/v1")
    parser.add_argument("--api-key-var", default="OPENAI_API_KEY", help="variable with the key")
    parser.add_argument("--tasks", default="demo", help="a split, a pool file or names")
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--out", default="runs/verifiers")
    return parser.parse_args()


if __name__ == "__main__":
    main()
