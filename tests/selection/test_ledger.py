import io
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tb_bench.synthetic import synthetic_episodes, synthetic_rates, synthetic_suite
from tb_envs.episode import Episode
from tb_envs.errors import UsageError
from tb_envs.outcome import SystemErrored
from tb_trainer.selection.campaign import Campaign, Slot
from tb_trainer.selection.ledger import Ledger, Writer

SUITE = synthetic_suite({"retail": 2, "travel": 1})
CAMPAIGN = Campaign(suite=SUITE, policy="made-up", attempts=2)
EPISODES = list(synthetic_episodes(CAMPAIGN, synthetic_rates(SUITE, skill=0.5)))


def broken(episode, message="connection lost"):
    return episode.model_copy(
        update={"outcome": SystemErrored(source="database", message=message), "grade": None}
    )


def file_all(ledger, episodes, kind="run"):
    with ledger.writer(kind, len(episodes)) as writer:
        for episode in episodes:
            writer.add(episode)


def test_slots_go_attempt_by_attempt_over_all_tasks():
    names = [task.task_id for task in SUITE.tasks]
    assert list(CAMPAIGN.slots()) == [Slot(name, attempt) for attempt in (0, 1) for name in names]


def test_what_was_filed_is_read_back_and_complete(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    file_all(ledger, EPISODES)
    again = Ledger.open(tmp_path)
    assert list(again.episodes()) == EPISODES
    assert again.standing().complete
    offsets = [offset for offset, _ in again.scan()]
    assert again.read_at(offsets[3]) == EPISODES[3]


def test_a_torn_last_line_is_not_read_and_is_cut_off_by_the_next_writer(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    file_all(ledger, EPISODES[:3])
    whole = ledger.episodes_path.read_bytes()
    with ledger.episodes_path.open("ab") as file:
        file.write(EPISODES[3].model_dump_json().encode()[:200])
    assert list(ledger.episodes()) == EPISODES[:3]
    file_all(ledger, EPISODES[3:], "resume")
    assert ledger.episodes_path.read_bytes().startswith(whole)
    assert ledger.standing().complete
    assert [entry.kind for entry in ledger.lineage()] == ["run", "resume"]


def test_a_file_of_one_torn_line_becomes_empty(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    ledger.episodes_path.write_bytes(b'{"env_id": "Thi')
    file_all(ledger, EPISODES)
    assert ledger.standing().complete


def test_a_damaged_line_inside_the_file_is_an_error_with_its_place(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    file_all(ledger, EPISODES[:1])
    with ledger.episodes_path.open("ab") as file:
        file.write(b"not json\n")
    with pytest.raises(UsageError, match=r"episodes\.jsonl:2"):
        list(ledger.episodes())


def test_a_clean_attempt_is_never_filed_twice(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    file_all(ledger, EPISODES[:2])
    with pytest.raises(UsageError, match="not sampled again"):
        file_all(ledger, EPISODES[:1], "resume")
    assert len(list(ledger.episodes())) == 2


def test_system_errors_are_listed_and_never_among_the_episodes(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    file_all(ledger, [broken(EPISODES[0]), broken(EPISODES[0], "timeout"), *EPISODES[1:5]])
    standing = ledger.standing()
    first, last = EPISODES[0], EPISODES[5]
    assert standing.errors == {f"{first.task_id}#0": "database: timeout"}
    assert standing.missing == (f"{last.task_id}#1",)
    assert (standing.clean, standing.planned, standing.complete) == (4, 6, False)
    assert ledger.tries() == {Slot(first.task_id, 0): 2}


def test_an_error_that_a_later_try_mended_is_no_longer_listed(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    file_all(ledger, [broken(EPISODES[0]), *EPISODES])
    assert ledger.standing().errors == {}
    assert ledger.standing().complete


def test_attempts_of_another_policy_or_content_and_duplicates_are_found(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    file_all(ledger, EPISODES[:1])
    others = [
        EPISODES[0],
        EPISODES[1].model_copy(update={"policy": "other"}),
        EPISODES[2].model_copy(update={"task_hash": "edited"}),
        EPISODES[3].model_copy(update={"attempt": 7}),
    ]
    with ledger.episodes_path.open("a") as file:
        file.writelines(episode.model_dump_json() + "\n" for episode in others)
    standing = ledger.standing()
    assert standing.duplicates == (f"{EPISODES[0].task_id}#0",)
    assert len(standing.foreign) == 3
    assert not standing.complete


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"policy": "other"}, "policy"),
        ({"attempts": 3}, "attempts"),
        ({"sampling": {"temperature": 1.0}}, "sampling"),
        ({"judge": "skip"}, "judge"),
        ({"suite": synthetic_suite({"retail": 1})}, "suite"),
    ],
)
def test_a_folder_takes_one_campaign_only(tmp_path, change, named):
    Ledger.create(tmp_path, CAMPAIGN)
    with pytest.raises(UsageError, match=named):
        Ledger.create(tmp_path, CAMPAIGN.model_copy(update=change))


def test_of_two_campaigns_that_begin_a_folder_at_once_one_has_it(tmp_path):
    begun = threading.Barrier(2)

    def begin(round_and_policy):
        number, policy = round_and_policy
        begun.wait()
        try:
            return Ledger.create(
                tmp_path / str(number), CAMPAIGN.model_copy(update={"policy": policy})
            )
        except UsageError:
            return None

    with ThreadPoolExecutor(2) as threads:
        for number in range(50):
            ledgers = list(threads.map(begin, [(number, "one"), (number, "two")]))
            [ledger] = [ledger for ledger in ledgers if ledger]
            assert Ledger.open(tmp_path / str(number)).campaign == ledger.campaign


def test_a_line_of_which_the_system_takes_a_part_is_written_to_its_end():
    class Narrow(io.RawIOBase):
        """Takes 100 bytes at a time, as a disk that fills up takes what it can."""

        taken = b""

        def write(self, line):
            self.taken += bytes(line[:100])
            return len(line[:100])

    episodes, errors = Narrow(), Narrow()
    writer = Writer(episodes, errors, set())
    writer.add(EPISODES[0])
    writer.add(broken(EPISODES[1]))
    assert Episode.model_validate_json(episodes.taken) == EPISODES[0]
    assert Episode.model_validate_json(errors.taken) == broken(EPISODES[1])


def test_two_writers_at_once_are_refused(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN)
    with (
        ledger.writer("run", 1),
        pytest.raises(UsageError, match="another process"),
        Ledger.open(tmp_path).writer("run", 1),
    ):
        pass


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"campaign\.json"):
        Ledger.open(tmp_path)


def test_a_folder_of_another_format_is_refused(tmp_path):
    Ledger.create(tmp_path, CAMPAIGN)
    path = tmp_path / "campaign.json"
    path.write_text(path.read_text().replace('"format_version": 1', '"format_version": 2'))
    with pytest.raises(UsageError, match="format_version"):
        Ledger.open(tmp_path)


CHILD = """
import sys
from pathlib import Path
from tb_bench.synthetic import synthetic_episodes, synthetic_rates
from tb_trainer.selection.ledger import Ledger
ledger = Ledger.open(Path(sys.argv[1]))
rates = synthetic_rates(ledger.campaign.suite, skill=0.5)
done = ledger.clean_slots()
with ledger.writer("resume", 1) as writer:
    for episode in synthetic_episodes(ledger.campaign, rates):
        if (episode.task_id, episode.attempt) not in done:
            writer.add(episode)
            print(episode.task_id, flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_filed(tmp_path):
    ledger = Ledger.create(tmp_path, CAMPAIGN.model_copy(update={"attempts": 400}))
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    filed = [child.stdout.readline() for _ in range(40)]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    filed += child.stdout.readlines()
    child.stdout.close()
    survived = len(ledger.clean_slots())
    assert len(filed) <= survived <= 1_200
    subprocess.run(command, check=True, capture_output=True)
    assert ledger.standing().complete
