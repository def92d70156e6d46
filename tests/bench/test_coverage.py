from tb_bench.coverage import simulate_coverage


def test_the_task_bootstrap_covers_where_the_interval_over_attempts_does_not():
    seen = simulate_coverage(tasks=200, attempts=20, shape=(0.5, 0.5), campaigns=500, resamples=500)
    assert 0.92 <= seen.by_task <= 0.98
    assert seen.by_attempt < 0.60
    # Correlation of two attempts at one task: 1/(a + b + 1) = 1/2, so 1 + 19/2.
    assert seen.design_effect == 10.5
    assert 3.0 < seen.width_by_task / seen.width_by_attempt < 3.5
