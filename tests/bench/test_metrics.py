import math

import numpy as np
import pytest

from tb_bench.metrics import (
    Tally,
    bootstrap_means,
    by_domain,
    cost_per_dependable_task,
    cost_per_success,
    estimates,
    observed_all,
    paired_change,
    pass_at_k,
    pass_hat_k,
    pass_power_k,
    pass_rate,
)
from tb_envs.errors import UsageError


def tally(passes, attempts=4, domains=None):
    names = tuple(f"task-{i}" for i in range(len(passes)))
    return Tally(
        names,
        tuple(domains or ["retail"] * len(passes)),
        np.full(len(passes), attempts),
        np.array(passes),
    )


def test_pass_at_k_counts_the_draws_that_hold_a_pass():
    # 4 attempts, 1 pass: 3 of the 6 pairs hold it.
    assert pass_at_k(4, 1, 2) == pytest.approx(3 / 6)
    assert pass_at_k(4, 4, 1) == 1.0
    assert pass_at_k(4, 0, 4) == 0.0
    # More failures than can be avoided: 3 of 4 passed, so any 2 hold a pass.
    assert pass_at_k(4, 3, 2) == 1.0


def test_pass_hat_k_counts_the_draws_that_are_all_passes():
    # 4 attempts, 3 passes: 3 of the 6 pairs are all passes.
    assert pass_hat_k(4, 3, 2) == pytest.approx(3 / 6)
    assert pass_hat_k(4, 1, 2) == 0.0


def test_both_published_conventions_for_all_of_k_have_their_published_values():
    assert pass_hat_k(20, 16, 8) == pytest.approx(math.comb(16, 8) / math.comb(20, 8))
    assert round(float(pass_hat_k(20, 16, 8)), 3) == 0.102
    assert round(float(pass_power_k(20, 16, 8)), 3) == 0.168


def test_pass_hat_k_over_all_attempts_is_the_observed_share():
    passes = np.arange(21)
    np.testing.assert_array_equal(pass_hat_k(20, passes, 20), observed_all(20, passes))


def test_at_one_attempt_every_estimator_is_the_pass_rate():
    passes = np.array([0, 3, 7, 20])
    for estimator in (pass_at_k, pass_hat_k, pass_power_k):
        np.testing.assert_allclose(estimator(20, passes, 1), pass_rate(20, passes))


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 5), (4, 2, 0)])
def test_impossible_counts_are_refused(n, c, k):
    with pytest.raises(UsageError):
        pass_at_k(n, c, k)


def test_the_published_shares_of_dependable_tasks_are_reproduced():
    for dependable, share in ((38, "7.5%"), (107, "21.1%")):
        passes = np.array([20] * dependable + [19] * (507 - dependable))
        assert f"{observed_all(20, passes).mean():.1%}" == share


def test_the_published_costs_are_one_campaign_seen_two_ways():
    # $0.139 per successful attempt at pass@1 60.78% over 10,140 attempts, 107 dependable tasks.
    passing = round(0.6078 * 10_140)
    campaign = 0.139 * passing
    assert cost_per_success(campaign, passing) == pytest.approx(0.139)
    assert cost_per_dependable_task(campaign, 107) == pytest.approx(8.00, abs=0.01)
    base_passing = round(0.5170 * 10_140)
    base_campaign = 0.177 * base_passing
    assert base_campaign == pytest.approx(927.9, abs=0.1)
    assert cost_per_dependable_task(base_campaign, 38) == pytest.approx(24.42, abs=0.01)


def test_a_campaign_without_a_pass_has_no_cost_per_pass():
    assert cost_per_success(10.0, 0) is None
    assert cost_per_dependable_task(10.0, 0) is None


def test_the_bootstrap_of_two_tasks_reaches_from_one_task_to_the_other():
    # Resamples of {0, 1} have mean 0, 1/2, 1 with chance 1/4, 1/2, 1/4.
    low, high = bootstrap_means(np.array([[0.0], [1.0]]), resamples=2_000)
    assert (low[0], high[0]) == (0.0, 1.0)


def test_the_same_seed_gives_the_same_interval_and_one_task_gives_none():
    values = np.linspace(0, 1, 30)[:, None]
    assert bootstrap_means(values, seed=3) == bootstrap_means(values, seed=3)
    low, high = bootstrap_means(values[:1])
    assert np.isnan(low[0])
    assert np.isnan(high[0])


def test_the_bootstrap_interval_has_the_width_that_theory_gives():
    # Half the tasks pass always, half never: the standard error of the mean is 0.5/sqrt(T).
    values = np.array([0.0, 1.0] * 200)[:, None]
    low, high = bootstrap_means(values)
    assert high[0] - low[0] == pytest.approx(2 * 1.96 * 0.5 / 20, rel=0.05)


def test_estimates_keep_the_names_of_their_columns():
    found = estimates({"a": np.array([0.0, 1.0]), "b": np.array([0.25, 0.25])}, resamples=100)
    assert found["a"].value == 0.5
    assert found["b"].value == 0.25


def test_tasks_that_all_agree_leave_no_interval():
    low, high = bootstrap_means(np.array([[0.0, 1.0], [0.0, 0.5]]), resamples=100)
    assert np.isnan([low[0], high[0]]).all()
    assert (low[1], high[1]) == (0.5, 1.0)


def test_domains_are_cut_in_alphabetical_order():
    cut = by_domain(tally([4, 2, 0], domains=["travel", "retail", "travel"]))
    assert list(cut) == ["retail", "travel"]
    assert cut["travel"].tasks == ("task-0", "task-2")
    assert cut["travel"].passes.tolist() == [4, 0]


def test_a_paired_comparison_names_the_tasks_gained_and_lost():
    change = paired_change(tally([4, 2, 0, 3]), tally([3, 4, 0, 4]))
    # Differences of pass rates: -1/4, +2/4, 0, +1/4.
    assert change.pass_1.value == pytest.approx(0.5 / 4)
    assert change.pass_k.value == 0.0
    assert change.observed_k.value == pytest.approx(1 / 4)
    assert change.gained == ("task-1", "task-3")
    assert change.lost == ("task-0",)
    # Two of three coins or more, both sides: the exact test cannot tell.
    assert change.p_value == 1.0


def test_mcnemar_is_exact_on_the_discordant_tasks():
    change = paired_change(tally([0] * 5), tally([4] * 5))
    assert change.p_value == pytest.approx(2 * 0.5**5)


def test_pairing_removes_the_spread_between_tasks():
    base = tally([0, 1, 2, 2] * 25, attempts=4)
    change = paired_change(base, tally([1, 2, 3, 4] * 25, attempts=4))
    # Differences are 1/4, 1/4, 1/4, 2/4: standard error sqrt(3)/16/sqrt(100), not that of 0 to 1.
    assert change.pass_1.value == 1.25 / 4
    width = change.pass_1.high - change.pass_1.low
    assert width == pytest.approx(2 * 1.96 * 3**0.5 / 16 / 10, rel=0.1)


def test_rates_that_differ_in_the_last_bit_only_are_alike():
    # 3/20 - 2/20, 2/20 - 1/20 and 4/20 - 3/20 are three different floating-point numbers.
    change = paired_change(tally([2, 1, 3], attempts=20), tally([3, 2, 4], attempts=20))
    assert change.pass_1.value == pytest.approx(1 / 20)
    assert math.isnan(change.pass_1.low)
    # 3/20 - 2/20 - 1/20 is not zero either.
    assert (
        paired_change(tally([0, 2, 1], attempts=20), tally([3, 0, 0], attempts=20)).pass_1.value
        == 0
    )


def test_results_over_different_tasks_are_not_compared():
    with pytest.raises(UsageError, match="different tasks"):
        paired_change(tally([4, 4]), tally([4]))
