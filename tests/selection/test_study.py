import numpy as np
import pytest

from tb_trainer.selection.rules import SelectionSettings
from tb_trainer.selection.study import informative_share, simulate_selection

ANY_MASS = SelectionSettings(min_mass=0.0)


def test_groups_that_all_pass_or_all_fail_teach_nothing():
    shares = informative_share(np.array([0.0, 0.5, 1.0]), 8)
    assert shares.tolist() == [0.0, 1 - 2 * 0.5**8, 0.0]


def test_a_group_of_two_is_informative_with_twice_the_variance():
    assert informative_share(np.array([0.3]), 2) == pytest.approx(2 * 0.3 * 0.7)


def test_without_probes_every_task_is_kept():
    seen = simulate_selection(np.array([0.0, 0.5]), 0, group_size=8, settings=ANY_MASS)
    assert (seen.kept, seen.found, seen.wrong) == (1.0, 1.0, 0.5)
    assert seen.informative == pytest.approx((1 - 2 * 0.5**8) / 2)


def test_selection_raises_the_share_of_informative_groups_and_probes_find_more():
    rates = np.random.default_rng(0).beta(0.3, 0.3, size=4_000)
    none, eight, many = (
        simulate_selection(rates, probes, group_size=8, settings=ANY_MASS) for probes in (0, 8, 32)
    )
    assert none.informative < 0.5 < 0.75 < eight.informative
    assert eight.wrong < 0.2
    assert many.found > eight.found
