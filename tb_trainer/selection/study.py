"""How much selection buys: simulated policies whose success rates are known.

A group of G attempts teaches only if some pass and some fail: where all rewards are equal, every
advantage is zero. A task with success probability p gives such a group with probability
1 - p^G - (1 - p)^G.
"""

from dataclasses import dataclass

import numpy as np

from tb_trainer.selection.bands import EDGES, Posterior
from tb_trainer.selection.estimators import Rates
from tb_trainer.selection.rules import SelectionSettings


def informative_share(rates: Rates, group_size: int) -> Rates:
    """Chance that a group of ``group_size`` attempts has both a pass and a failure; shape (T,)."""
    return 1.0 - rates**group_size - (1.0 - rates) ** group_size


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a selection from ``probes`` attempts a task would train on.

    ``informative`` is the expected share of informative groups, ``kept`` the share of tasks kept,
    ``found`` the share of the tasks truly within the teaching bands that were kept, ``wrong`` the
    share of the kept that truly lies outside them.
    """

    probes: int
    informative: float
    kept: float
    found: float
    wrong: float


def simulate_selection(
    rates: Rates, probes: int, *, group_size: int, settings: SelectionSettings, seed: int = 0
) -> Outcome:
    """Probe tasks of known success rates and keep those whose band teaches.

    Args:
        rates: True success probabilities, shape (T,).
        probes: Attempts at each task; 0 keeps every task, as no selection does.
        group_size: G, attempts in a training group.
        settings: Bands and the least posterior mass.
        seed: Of the probes.
    """
    passes = np.random.default_rng(seed).binomial(probes, rates)
    keeps = np.array([_keeps(Posterior(s, probes - s), settings) for s in range(probes + 1)])
    kept = keeps[passes] if probes else np.ones(len(rates), dtype=np.bool_)
    truly = (rates >= EDGES[1]) & (rates < EDGES[-2])
    return Outcome(
        probes=probes,
        informative=float(informative_share(rates[kept], group_size).mean()),
        kept=float(kept.mean()),
        found=float((kept & truly).sum() / truly.sum()),
        wrong=float((kept & ~truly).sum() / kept.sum()),
    )


def _keeps(posterior: Posterior, settings: SelectionSettings) -> bool:
    band, mass = posterior.band()
    return band in settings.bands and mass >= settings.min_mass
