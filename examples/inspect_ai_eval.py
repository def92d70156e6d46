"""Evaluate a model with inspect_ai: pip install 'thinkingbox[inspect]'.

    python examples/inspect_ai_eval.py --model openai/gpt-5-mini --tasks demo

The same from its command line, and its viewer over the log:

    inspect eval tb_envs/thinkingbox -T tasks=demo --model openai/gpt-5-mini
    inspect view
"""

import argparse
import os

from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

from tb_envs.adapters.inspect_ai import thinkingbox


def main() -> None:
    """Play each task and print its score, or why there is none."""
    arguments = _read_arguments()
    model = arguments.model
    if arguments.base_url:
        key = os.environ.get("OPENAI_API_KEY", "none")
        model = get_model(model, base_url=arguments.base_url, api_key=key)
    logs = inspect_eval(
        thinkingbox(arguments.tasks, judge="skip"),
        model=model,
        epochs=arguments.epochs,
        log_dir=arguments.logs,
        display="plain",
        fail_on_error=False,  # a system error costs its own sample, not the campaign
        retry_on_error=2,
    )
    for sample in logs[0].samples or []:
        print(sample.id, sample.scores["verdict"].value if sample.scores else sample.error.message)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="as inspect names it")
    parser.add_argument("--base-url", help="an OpenAI-compatible server of your own")
    parser.add_argument("--tasks", default="demo", help="a split, a pool file or a task's name")
    parser.add_argument("--epochs", type=int, default=1, help="attempts at each task")
    parser.add_argument("--logs", default="runs/inspect")
    return parser.parse_args()


if __name__ == "__main__":
    main()
