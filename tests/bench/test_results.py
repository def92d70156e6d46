import json
from dataclasses import replace

import numpy as np
import pytest

from tb_bench.results import attempt_of, check_label, read_results
from tb_bench.summary import failed_checks, summarise
from tb_bench.synthetic import synthetic_episode, synthetic_episodes, synthetic_suite
from tb_envs.episode import Usage
from tb_envs.errors import UsageError
from tb_envs.outcome import CheckResult, SystemErrored
from tb_trainer.selection.campaign import Campaign
from tb_trainer.selection.ledger import Ledger
from tb_trainer.selection.prices import Prices, TokenPrices, read_prices

SUITE = synthetic_suite({"retail": 2, "travel": 1})
RETAIL_0, RETAIL_1, TRAVEL_0 = (task.task_id for task in SUITE.tasks)


def ledger_of(folder, passes, *, usage=None, broken=()):
    """A campaign of 2 attempts; ``passes`` are the passing attempts by task."""
    campaign = Campaign(suite=SUITE, policy="made-up", attempts=2)
    ledger = Ledger.create(folder, campaign)
    rng = np.random.default_rng(0)
    with ledger.writer("run", 6) as writer:
        for slot in campaign.slots():
            task = next(task for task in SUITE.tasks if task.task_id == slot.task_id)
            passed = slot.attempt in passes.get(slot.task_id, ())
            episode = synthetic_episode(task, slot.attempt, passed, policy="made-up", rng=rng)
            episode = episode.model_copy(update={"usage": usage or Usage()})
            if slot in broken:
                outcome = SystemErrored(source="database", message="gone")
                writer.add(episode.model_copy(update={"outcome": outcome, "grade": None}))
            else:
                writer.add(episode)
    return folder


def test_the_summary_of_a_small_campaign_is_what_the_hand_gives(tmp_path):
    folder = ledger_of(tmp_path, {RETAIL_0: (0, 1), RETAIL_1: (1,)})
    summary = summarise(read_results(folder))
    overall = summary.overall
    # Passes by task: 2, 1, 0 of 2.
    assert overall.pass_1.value == pytest.approx(3 / 6)
    assert overall.pass_k.value == pytest.approx(2 / 3)
    assert overall.observed_k.value == pytest.approx(1 / 3)
    assert (overall.passing, overall.dependable, overall.attempts) == (3, 1, 6)
    assert summary.histogram == (1, 1, 1)
    assert summary.trial_pass_rates == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert [scope.name for scope in summary.domains] == ["retail", "travel"]
    assert summary.domains[1].pass_1.value == 0.0
    last = summary.curve[-1]
    # All of 2: unbiased (1 + 0 + 0)/3, plugged in (1 + 1/4 + 0)/3.
    assert last.j == 2
    assert last.pass_hat == pytest.approx(1 / 3)
    assert last.pass_power == pytest.approx(5 / 12)


def test_cost_counts_failed_attempts_and_retries(tmp_path):
    usage = Usage(prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=100_000)
    folder = ledger_of(tmp_path, {RETAIL_0: (0, 1)}, usage=usage)
    ledger = Ledger.open(folder)
    retried = next(ledger.episodes()).model_copy(
        update={"outcome": SystemErrored(source="user", message="timeout")}
    )
    with ledger.writer("resume", 1) as writer:
        writer.add(retried)
    prices = Prices(policies={"made-up": TokenPrices(prompt=2, cached=1, completion=10)})
    results = read_results(folder, prices)
    # An attempt: 0.6 * 2 + 0.4 * 1 + 0.1 * 10 = 2.6; six attempts and one retry.
    assert results.cost == pytest.approx(7 * 2.6)
    overall = summarise(results).overall
    assert overall.cost_per_success == pytest.approx(7 * 2.6 / 2)
    assert overall.cost_per_dependable == pytest.approx(7 * 2.6)
    # The retry was of a retail task: four attempts and it, and two attempts of travel.
    assert [scope.cost for scope in summarise(results).domains] == [
        pytest.approx(5 * 2.6),
        pytest.approx(2 * 2.6),
    ]


def test_without_prices_or_token_counts_there_is_no_cost(tmp_path):
    folder = ledger_of(tmp_path, {})
    prices = Prices(policies={"made-up": TokenPrices(prompt=2, completion=10)})
    assert read_results(folder).cost is None
    assert read_results(folder, prices).cost is None
    assert summarise(read_results(folder)).overall.cost_per_success is None


def test_an_incomplete_campaign_has_no_summary(tmp_path):
    folder = ledger_of(tmp_path, {}, broken={(RETAIL_0, 0)})
    results = read_results(folder)
    assert len(results.attempts) == 5
    with pytest.raises(UsageError, match="5 of 6 clean attempts"):
        summarise(results)


def test_a_second_copy_of_an_attempt_is_left_out_of_the_table(tmp_path):
    folder = ledger_of(tmp_path, {})
    path = folder / "episodes.jsonl"
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    results = read_results(folder)
    assert len(results.attempts) == 6
    assert not results.standing.complete


def test_the_tidy_table_has_one_row_an_attempt(tmp_path):
    pandas = pytest.importorskip("pandas")
    results = read_results(ledger_of(tmp_path, {RETAIL_0: (0, 1)}))
    table = results.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert len(table) == len(results.rows()) == 6
    assert table.groupby("task_id")["passed"].mean()[RETAIL_0] == 1.0


def test_failed_attempts_are_told_apart_by_what_they_left_in_the_database():
    campaign = Campaign(suite=SUITE, policy="made-up", attempts=100)
    episodes = synthetic_episodes(campaign, {task.task_id: 0.2 for task in SUITE.tasks})
    tasks = {task.task_id: task for task in SUITE.tasks}
    found = {}
    for episode in episodes:
        attempt = attempt_of(episode, tasks[episode.task_id], None, 0)
        paid = any(change.table == "payments" for change in episode.changes)
        found.setdefault(attempt.mistake, set()).add((paid, bool(episode.changes), attempt.passed))
    assert found == {
        "": {(False, True, True)},
        "wrong action": {(True, True, False)},
        "nothing done": {(False, False, False)},
        "incomplete": {(False, True, False)},
    }


@pytest.mark.parametrize(
    ("kind", "name", "label"),
    [
        ("check", "the booking is untouched", "check: the booking is untouched"),
        ("change", "no other insert in refunds(id='R-1')", "change: no other insert in refunds"),
        ("change", "update tickets(id='T-1'): status='on (hold)'", "change: update tickets"),
        ("record", "tickets(id='T-1')", "record: tickets"),
    ],
)
def test_check_labels_drop_keys_and_values(kind, name, label):
    assert check_label(CheckResult(kind=kind, name=name, passed=False)) == label


def test_failed_checks_count_attempts_and_tasks(base):
    attempt = base.attempts[0]
    rows = [
        replace(attempt, task_id="a", failed_checks=("check: x", "check: x")),
        replace(attempt, task_id="a", failed_checks=("check: x", "check: y")),
        replace(attempt, task_id="b", failed_checks=("check: x",)),
    ]
    assert failed_checks(rows) == (("check: x", 3, 2), ("check: y", 1, 1))


def test_price_files_are_read_and_others_refused(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text('currency = "EUR"\n[policies."openai:m"]\nprompt = 2.0\ncompletion = 8.0\n')
    prices = read_prices(path)
    usage = Usage(prompt_tokens=500_000, completion_tokens=250_000, cached_tokens=100_000)
    found = prices.of("openai:m")
    assert found is not None
    assert found.cost(usage) == pytest.approx(1.0 + 2.0)
    assert prices.of("oracle") is None
    path.write_text(json.dumps({"currency": "EUR"}))
    with pytest.raises(UsageError, match="not a price file"):
        read_prices(path)
