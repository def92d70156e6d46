"""Sampling for real: the oracle and failing policies on PostgreSQL, through the one loop."""

import threading
from collections import Counter

import pytest

from tb_envs.errors import PolicyFailure, SystemFailure
from tb_envs.outcome import SystemErrored
from tb_envs.policies import OraclePolicy
from tb_trainer.selection.campaign import Campaign, Slot
from tb_trainer.selection.catalog import load_suite
from tb_trainer.selection.collect import CollectSettings, collect, plan, plan_rerun
from tb_trainer.selection.ledger import Ledger

SETTINGS = CollectSettings(concurrency=2, retries=1, deadline_s=120)


class Failing(OraclePolicy):
    """An oracle whose endpoint breaks the first so many times at each chosen attempt."""

    def __init__(self, times):
        self.times = Counter(times)
        self.lock = threading.Lock()

    def start(self, context):
        slot = Slot(context.task_id, context.attempt)
        with self.lock:
            if self.times[slot] > 0:
                self.times[slot] -= 1
                raise PolicyFailure("the endpoint is gone")
        return super().start(context)


@pytest.fixture(scope="module")
def suite():
    return load_suite("demo").narrow(limit=2)


@pytest.fixture
def ledger(suite, tmp_path):
    return Ledger.create(tmp_path, Campaign(suite=suite, policy="oracle", attempts=2))


def test_the_oracle_fills_a_campaign_with_passes(ledger, suite):
    kind, slots = plan(ledger)
    episodes = list(collect(ledger, OraclePolicy(), kind, slots, SETTINGS))
    assert (kind, len(episodes)) == ("run", 4)
    assert all(episode.grade.passed for episode in episodes)
    assert {episode.env_id for episode in episodes} == {task.env_id for task in suite.tasks}
    assert {episode.seed for episode in episodes} == {0, 1}
    assert ledger.standing().complete
    assert plan(ledger) == ("resume", [])


def test_a_system_error_is_tried_again_and_both_are_kept(ledger, suite):
    broken = Slot(suite.tasks[0].task_id, 1)
    kind, slots = plan(ledger)
    list(collect(ledger, Failing({broken: 1}), kind, slots, SETTINGS))
    assert ledger.tries() == {broken: 1}
    assert ledger.standing().complete


def test_what_stays_broken_is_listed_and_can_be_run_again(ledger, suite):
    broken = Slot(suite.tasks[0].task_id, 1)
    kind, slots = plan(ledger)
    episodes = list(collect(ledger, Failing({broken: 9}), kind, slots[:-1], SETTINGS))
    assert sum(isinstance(episode.outcome, SystemErrored) for episode in episodes) == 2
    standing = ledger.standing()
    assert standing.errors == {f"{broken.task_id}#1": "policy: the endpoint is gone"}
    assert standing.missing == (f"{suite.tasks[1].task_id}#1",)
    assert plan_rerun(ledger, missing=True, errors=False) == [slots[-1]]
    assert plan_rerun(ledger, missing=False, errors=True) == [broken]
    again = plan_rerun(ledger, missing=True, errors=True)
    list(collect(ledger, OraclePolicy(), "rerun-missing", again, SETTINGS))
    assert ledger.standing().complete
    assert [entry.kind for entry in ledger.lineage()] == ["run", "rerun-missing"]


def test_sampling_stops_when_everything_breaks(ledger):
    kind, slots = plan(ledger)
    settings = CollectSettings(concurrency=1, give_up_after=3)
    with pytest.raises(SystemFailure, match="3 attempts in a row"):
        list(collect(ledger, Failing(dict.fromkeys(slots, 99)), kind, slots, settings))
    assert ledger.clean_slots() == set()
