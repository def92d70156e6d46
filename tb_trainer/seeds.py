"""One seed for each thing that draws at random, derived from the run's seed by name.

A seed depends on what it is for, never on what was drawn before it: an episode that is retried, or
a run that is resumed, draws what it would have drawn.
"""

import hashlib
import json

_BITS = 48  # fits a JSON number, NumPy's and vLLM's signed 64-bit seeds


def derive_seed(*parts: int | str) -> int:
    """Hash the parts into a seed.

    >>> derive_seed(7, "env", 3) == derive_seed(7, "env", 3)
    True
    """
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _BITS)
