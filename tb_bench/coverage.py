"""Do the intervals cover? A simulated campaign whose truth is known.

Success rates of tasks are drawn from a Beta distribution, attempts from each task's rate. The truth
is the mean of the Beta: what the policy does on tasks *like these*. The interval over attempts
takes all T*k of them for independent and is too narrow by the square root of the design effect
1 + (k - 1) * rho, rho = 1 / (a + b + 1) being the correlation of two attempts at one task.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from tb_bench.metrics import LEVEL, bootstrap_means
from tb_trainer.selection.estimators import Rates


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of simulated campaigns whose interval holds the truth, and the mean widths."""

    by_task: float
    by_attempt: float
    width_by_task: float
    width_by_attempt: float
    design_effect: float


def simulate_coverage(
    *,
    tasks: int,
    attempts: int,
    shape: tuple[float, float],
    campaigns: int,
    resamples: int = 1_000,
    seed: int = 0,
) -> Coverage:
    """Run simulated campaigns and count how often each 95% interval holds the true pass@1.

    Args:
        tasks: T, tasks in a suite.
        attempts: k, attempts at each task.
        shape: The two parameters of the Beta distribution of success rates.
        campaigns: Simulated repetitions.
        resamples: Bootstrap replicates in each.
        seed: Of everything.
    """
    a, b = shape
    truth = a / (a + b)
    rng = np.random.default_rng(seed)
    rates = rng.beta(a, b, size=(campaigns, tasks))
    shares = rng.binomial(attempts, rates) / attempts
    # One column a campaign: all campaigns share the resampling of their rows.
    low, high = bootstrap_means(shares.T, resamples=resamples, seed=seed + 1)
    means: Rates = shares.mean(axis=1)
    z = float(norm.ppf(0.5 + LEVEL / 2))
    half: Rates = z * np.sqrt(means * (1 - means) / (tasks * attempts))
    return Coverage(
        by_task=float(np.mean((low <= truth) & (truth <= high))),
        by_attempt=float(np.mean(np.abs(means - truth) <= half)),
        width_by_task=float(np.mean(high - low)),
        width_by_attempt=float(np.mean(2 * half)),
        design_effect=1 + (attempts - 1) / (a + b + 1),
    )
