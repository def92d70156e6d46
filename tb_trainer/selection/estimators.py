"""Success over repeated attempts at one task: the estimators that selection and reports share.

Notation: n attempts at a task, c of them passed, k attempts asked about. All functions take
scalars or numpy arrays (shape (T,), T tasks) and return float arrays of the same shape; the mean
over tasks is the suite's figure.
"""

import numpy as np
import numpy.typing as npt

from tb_envs.errors import UsageError

Counts = npt.NDArray[np.int64]
Rates = npt.NDArray[np.float64]


def pass_rate(n: npt.ArrayLike, c: npt.ArrayLike) -> Rates:
    """Share of attempts that passed, c/n: pass@1 of a task."""
    attempts, passes = _counts(n, c, 1)
    return passes / attempts


def pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> Rates:
    """Chance that at least one of k attempts passes, unbiased: 1 - C(n-c, k)/C(n, k).

    Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1.
    """
    attempts, passes = _counts(n, c, k)
    return 1.0 - _share_of_draws(attempts, attempts - passes, k)


def pass_hat_k(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> Rates:
    """Chance that all of k attempts pass, unbiased: C(c, k)/C(n, k).

    With k = n it is the observed k/k: 1.0 where every attempt passed, else 0.0.
    Source: Yao et al. 2024, "tau-bench", section 3 (written pass^k there).
    """
    attempts, passes = _counts(n, c, k)
    return _share_of_draws(attempts, passes, k)


def pass_power_k(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> Rates:
    """The plug-in estimate of the same chance, (c/n)^k: biased upwards for 0 < c < n.

    Kept apart from ``pass_hat_k`` because both are published under the name pass^k.
    """
    attempts, passes = _counts(n, c, k)
    return (passes / attempts) ** k


def observed_all(n: npt.ArrayLike, c: npt.ArrayLike) -> Rates:
    """1.0 where every attempt passed (observed k/k), else 0.0: the task is dependable."""
    attempts, passes = _counts(n, c, 1)
    return (attempts == passes).astype(np.float64)


def _share_of_draws(total: Counts, marked: Counts, k: int) -> Rates:
    """C(marked, k)/C(total, k) as a product of k ratios, which cannot overflow."""
    steps = np.arange(k)
    ratios = (marked[..., None] - steps) / (total[..., None] - steps)
    return np.prod(np.clip(ratios, 0.0, 1.0), axis=-1)


def _counts(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> tuple[Counts, Counts]:
    attempts = np.asarray(n, dtype=np.int64)
    passes = np.asarray(c, dtype=np.int64)
    attempts, passes = np.broadcast_arrays(attempts, passes)
    if np.any(passes < 0) or np.any(passes > attempts):
        raise UsageError("got a task with fewer than 0 passes, or more passes than attempts")
    if k < 1 or np.any(attempts < k):
        raise UsageError(f"got k = {k}; expected 1 <= k <= attempts at every task")
    return attempts, passes
