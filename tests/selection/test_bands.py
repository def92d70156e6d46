import pytest

from tb_envs.errors import UsageError
from tb_trainer.selection.bands import BANDS, Posterior


@pytest.mark.parametrize(
    ("n", "bands"),
    [
        (8, "too_hard hard hard hard medium easy easy easy too_easy"),
        (4, "too_hard hard medium easy too_easy"),
    ],
)
def test_each_count_of_passes_falls_into_its_published_band(n, bands):
    assert [Posterior(s, n - s).band()[0] for s in range(n + 1)] == bands.split()


@pytest.mark.parametrize(
    ("passes", "failures", "mass"),
    [
        (0, 8, 0.76),
        (4, 4, 0.44),
        (8, 0, 0.81),
        (0, 4, 0.60),
        (1, 3, 0.61),
        (2, 2, 0.33),
        (3, 1, 0.57),
        (4, 0, 0.66),
    ],
)
def test_the_mass_of_the_band_has_its_published_value(passes, failures, mass):
    assert Posterior(passes, failures).band()[1] == pytest.approx(mass, abs=0.005)


def test_the_masses_of_all_bands_add_up_to_one():
    masses = Posterior(3, 5).masses()
    assert tuple(masses) == BANDS
    assert sum(masses.values()) == pytest.approx(1.0)


def test_without_attempts_the_mean_is_one_half_and_the_variance_is_the_priors():
    prior = Posterior(0, 0)
    assert prior.mean == 0.5
    # Arcsine distribution: E[p] - E[p^2] = 1/2 - 3/8.
    assert prior.expected_variance == pytest.approx(1 / 8)


def test_expected_variance_is_mean_minus_second_moment():
    # Beta(2.5, 1.5): E[p] = 5/8, E[p^2] = 2.5 * 3.5 / (4 * 5) = 0.4375.
    assert Posterior(2, 1).expected_variance == pytest.approx(0.625 - 0.4375)


def test_half_of_a_symmetric_posterior_lies_above_one_half():
    assert Posterior(5, 5).above(0.5) == pytest.approx(0.5)


def test_negative_counts_are_refused():
    with pytest.raises(UsageError, match="negative"):
        Posterior(-1, 2)
