"""Train a model with TRL's GRPO on our tasks: pip install 'thinkingbox[trl]'.

    python examples/trl_grpo.py --model Qwen/Qwen3-0.6B --tasks demo --group 4 --tokens 4096

The model must have a chat template with tool calls that TRL knows, such as Qwen3's.
"""

import argparse

import torch
from trl import GRPOConfig, GRPOTrainer

from tb_envs.adapters.trl import ThinkingBoxSpec


def main() -> None:
    """Train for some steps and print the mean reward of each."""
    arguments = _read_arguments()
    spec = ThinkingBoxSpec(arguments.tasks, judge="skip")
    trainer = GRPOTrainer(
        model=arguments.model,
        args=GRPOConfig(
            output_dir=arguments.out,
            max_steps=arguments.steps,
            per_device_train_batch_size=arguments.group,
            num_generations=arguments.group,
            max_completion_length=arguments.tokens,  # what the tools answer counts too
            mask_truncated_completions=True,
            learning_rate=1e-6,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            bf16=torch.cuda.is_available(),
        ),
        train_dataset=spec.train_dataset,
        environment_factory=spec.environment_factory,
    )
    trainer.train()
    for entry in trainer.state.log_history:
        if "reward" in entry:
            print(f"step {entry['step']}: mean reward {entry['reward']}")


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="Qwen/Qwen3-0.6B")
    parser.add_argument("--tasks", default="demo", help="a split, a pool file or a task's name")
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--group", type=int, default=4, help="completions of each task")
    parser.add_argument("--tokens", type=int, default=4096, help="completion length at most")
    parser.add_argument("--out", default="runs/trl")
    return parser.parse_args()


if __name__ == "__main__":
    main()
