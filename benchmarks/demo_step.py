"""Where does the time of a training step go? The demo's model, on real episodes.

Prints, for the steps after the first three, in which databases are opened, the share of each stage
in a step's wall time (rollout, learning, handing the weights over), and within the rollout the
share that the episodes spent in the environment (reset, tools, grading) against the policy. Sampled
tokens per second stand beside them. Make the model first: ``make demo`` leaves one in
``runs/demo/seed-0/model``.

    python benchmarks/demo_step.py [--model runs/demo/seed-0/model] [--steps 10]
"""

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tb_trainer.config import load_config
from tb_trainer.run import train
from tb_trainer.step import StepReport

CONFIG = Path(__file__).parent.parent / "configs" / "demo-cpu.yaml"
WARM_UP = 3


def measure(model: str, steps: int) -> list[StepReport]:
    """Make steps, and keep the reports of those after the warm-up."""
    reports: list[StepReport] = []
    with tempfile.TemporaryDirectory() as output:
        config = load_config(CONFIG, [f"output={output}", f"model.path={model}", f"steps={steps}"])
        train(config, watch=lambda report, _: reports.append(report))
    return reports[WARM_UP:]


def lines(reports: list[StepReport]) -> Iterator[str]:
    """The table."""
    total = sum(sum(report.seconds.values()) for report in reports)
    yield f"{len(reports)} steps, {total / len(reports):.2f} s each"
    for stage in ("rollout", "learn", "sync"):
        spent = sum(report.seconds.get(stage, 0.0) for report in reports)
        yield f"{stage:12} {spent / total:6.1%}"
    episodes = [episode for report in reports for episode in report.collection.episodes]
    timings = [episode.timings for episode in episodes]
    environment = sum(one.reset_s + one.environment_s for one in timings)
    policy = sum(one.policy_s for one in timings)
    share = environment / (environment + policy)
    rollout = sum(report.seconds["rollout"] for report in reports)
    yield f"of the episodes' own time, the environment has {share:.1%}, the policy {1 - share:.1%}"
    yield f"sampled tokens/s {_sum(e.usage.completion_tokens for e in episodes) / rollout:,.0f}"


def _sum(values: Iterable[int | None]) -> int:
    return sum(value or 0 for value in values)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="runs/demo/seed-0/model")
    parser.add_argument("--steps", type=int, default=10)
    arguments = parser.parse_args()
    if arguments.steps <= WARM_UP:
        parser.error(f"--steps {arguments.steps}: the first {WARM_UP} are not counted, make more")
    for line in lines(measure(arguments.model, arguments.steps)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
