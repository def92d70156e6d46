"""Does a 95% interval of pass@1 hold the truth in 95% of campaigns?

Baseline: the interval that takes every attempt for independent. 507 tasks, 20 attempts each.
Run: python benchmarks/interval_coverage.py
"""

from tb_bench.coverage import simulate_coverage

SHAPES = {"mostly 0 or 1": (0.3, 0.3), "spread out": (1.0, 1.0), "around one half": (5.0, 5.0)}


def main() -> None:
    """Print coverage and width of both intervals for three kinds of suite."""
    print("suite             over tasks   over attempts   width ratio   sqrt(design effect)")
    for name, shape in SHAPES.items():
        seen = simulate_coverage(tasks=507, attempts=20, shape=shape, campaigns=2_000)
        ratio = seen.width_by_task / seen.width_by_attempt
        print(
            f"{name:16}  {seen.by_task:9.1%}  {seen.by_attempt:13.1%}  "
            f"{ratio:11.2f}x  {seen.design_effect**0.5:18.2f}x"
        )


if __name__ == "__main__":
    main()
