"""How hard a task is for one policy: a posterior over its success probability, cut into bands.

With s passes in s + f clean attempts the posterior is Beta(s + 1/2, f + 1/2), Jeffreys' rule for a
binomial. A task is put where most of the posterior's mass lies; how much lies there says how sure
that is.

Source: Jeffreys 1946; Brown, Cai and DasGupta 2001 on why this prior suits few attempts.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.stats import beta

from tb_envs.errors import UsageError

Band = Literal["too_hard", "hard", "medium", "easy", "too_easy"]
BANDS: tuple[Band, ...] = get_args(Band)
EDGES = (0.0, 0.08, 0.40, 0.60, 0.90, 1.0)
"""Band i holds success probabilities from EDGES[i] up to, but not including, EDGES[i + 1]."""

TEACHING: tuple[Band, ...] = ("hard", "medium", "easy")


@dataclass(frozen=True, slots=True)
class Posterior:
    """Beta(alpha, beta) over a task's success probability."""

    passes: int
    failures: int

    def __post_init__(self) -> None:
        if self.passes < 0 or self.failures < 0:
            raise UsageError(
                f"got {self.passes} passes and {self.failures} failures; expected no negative count"
            )

    @property
    def alpha(self) -> float:
        """The first parameter."""
        return self.passes + 0.5

    @property
    def beta(self) -> float:
        """The second parameter."""
        return self.failures + 0.5

    @property
    def mean(self) -> float:
        """Expected success probability."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def expected_variance(self) -> float:
        """Expected p(1 - p): how much an attempt is expected to tell, and a group to teach.

        E[p(1-p)] = ab / ((a + b)(a + b + 1)) for p ~ Beta(a, b).
        """
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total * (total + 1.0))

    def above(self, probability: float) -> float:
        """Posterior mass of success probabilities above ``probability``."""
        return float(beta.sf(probability, self.alpha, self.beta))

    def masses(self) -> dict[Band, float]:
        """Posterior mass of each band; they add up to one."""
        shares = np.diff(beta.cdf(EDGES, self.alpha, self.beta))
        return {band: float(share) for band, share in zip(BANDS, shares, strict=True)}

    def band(self) -> tuple[Band, float]:
        """The band that holds most of the posterior, and how much it holds."""
        masses = self.masses()
        best = max(BANDS, key=masses.__getitem__)
        return best, masses[best]
