import pytest

from tb_bench.results import read_results
from tb_bench.synthetic import synthetic_ledger, synthetic_suite
from tb_trainer.selection.prices import Prices, TokenPrices

SUITE = synthetic_suite({"retail": 6, "travel": 8})
PRICES = Prices(
    policies={
        "base": TokenPrices(prompt=2.5, completion=10, cached=0.25),
        "trained": TokenPrices(prompt=1, completion=4),
    }
)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Complete campaigns of a base and a trained policy, 4 attempts at each of 14 tasks."""
    root = tmp_path_factory.mktemp("results")
    for policy, skill in (("base", 0.4), ("trained", 0.7)):
        synthetic_ledger(root / policy, suite=SUITE, skill=skill, attempts=4, policy=policy)
    return root


@pytest.fixture(scope="session")
def base(folders):
    return read_results(folders / "base", PRICES)


@pytest.fixture(scope="session")
def trained(folders):
    return read_results(folders / "trained", PRICES)
