"""How many probes are needed, and what share of GRPO groups is informative with selection?

Baseline: training on every candidate. Three simulated policies with known success rates.
Run: python benchmarks/selection_study.py
"""

import numpy as np

from tb_trainer.selection.rules import SelectionSettings
from tb_trainer.selection.study import informative_share, simulate_selection

TASKS = 20_000
GROUP_SIZE = 8
PROBES = (1, 2, 4, 8, 16, 32)
POLICIES = {
    "weak: most tasks never solved": (0.15, 0.85),
    "middling: many never, many always": (0.3, 0.3),
    "strong: most tasks always solved": (0.85, 0.15),
}


def main() -> None:
    """Print, for each policy and number of probes, what a training step would see."""
    print("A group of 8 is informative with probability 1 - p^8 - (1 - p)^8:")
    for rate in (0.0, 0.01, 0.08, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0):
        print(f"  p = {rate:4.2f}: {float(informative_share(np.array(rate), GROUP_SIZE)):6.1%}")
    # With one or two probes no band can hold much mass: the threshold stays out of this question.
    settings = SelectionSettings(min_mass=0.0)
    for name, shape in POLICIES.items():
        rates = np.random.default_rng(1).beta(*shape, size=TASKS)
        base = simulate_selection(rates, 0, group_size=GROUP_SIZE, settings=settings)
        print(f"\n{name}: {base.informative:.1%} of groups are informative without selection")
        print("  probes   informative   gain   kept   teaching tasks found   kept wrongly")
        for probes in PROBES:
            seen = simulate_selection(rates, probes, group_size=GROUP_SIZE, settings=settings)
            gain = seen.informative / base.informative
            print(
                f"  {probes:6}  {seen.informative:11.1%}  {gain:5.2f}x  {seen.kept:5.1%}  "
                f"{seen.found:20.1%}  {seen.wrong:12.1%}"
            )


if __name__ == "__main__":
    main()
