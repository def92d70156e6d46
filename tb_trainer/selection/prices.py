"""What tokens cost, from a file that the user keeps.

.. code-block:: toml

    currency = "USD"
    [policies."openai:some-model"]   # the policy as `--policy` names it
    prompt = 2.50                    # per million tokens
    cached = 0.25                    # per million prompt tokens that came from the cache
    completion = 10.00
"""

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from tb_envs.episode import Usage
from tb_envs.errors import UsageError
from tb_envs.outcome import Record

_MILLION = 1_000_000


class TokenPrices(Record):
    """Prices of one policy, in the file's currency for a million tokens.

    ``cached`` falls back to ``prompt``: without a discount, cached tokens cost what others do.
    """

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    def cost(self, usage: Usage) -> float | None:
        """The cost of an attempt; None where its tokens were not counted."""
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
        cached_price = self.prompt if self.cached is None else self.cached
        return (
            (usage.prompt_tokens - cached) * self.prompt
            + cached * cached_price
            + usage.completion_tokens * self.completion
        ) / _MILLION


class Prices(Record):
    """A price file: one currency, prices by policy."""

    currency: str = "USD"
    policies: dict[str, TokenPrices]

    def of(self, policy: str) -> TokenPrices | None:
        """The prices of a policy, None where the file does not name it."""
        return self.policies.get(policy)


def read_prices(path: Path) -> Prices:
    """Read a price file.

    Raises:
        UsageError: it cannot be read or holds something else than prices.
    """
    try:
        return Prices.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise UsageError(f"{path} is not a price file: {error}") from error
