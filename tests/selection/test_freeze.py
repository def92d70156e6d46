import json

import pytest
from rich.console import Console

from tb_bench.synthetic import synthetic_ledger, synthetic_suite
from tb_envs.errors import UsageError
from tb_trainer.selection.freeze import Inputs, make_pool
from tb_trainer.selection.pool import read_pool, write_pool
from tb_trainer.selection.rules import SelectionSettings
from tb_trainer.selection.show import plot_pool, pool_report

SUITE = synthetic_suite({"parcel": 40, "hotel": 40})
BENCH = synthetic_suite({"parcel": 3})
HASHES = {task.task_id: task.task_hash for task in SUITE.tasks}


@pytest.fixture(scope="module")
def probes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probes")
    synthetic_ledger(folder / "base", suite=SUITE, skill=0.4, attempts=8, policy="base")
    synthetic_ledger(folder / "strong", suite=SUITE, skill=0.8, attempts=8, policy="strong")
    return folder


@pytest.fixture(scope="module")
def pool(probes):
    inputs = Inputs(probes / "base", probes / "strong", (BENCH,))
    return make_pool(inputs, SelectionSettings(size=20, held_out=0.25))


def test_every_candidate_is_kept_or_rejected_with_a_reason(pool):
    kept = [task.id for task in (*pool.tasks, *pool.held_out)]
    rejected = [item.id for item in pool.manifest.rejected]
    assert sorted(kept + rejected) == sorted(HASHES)
    assert len(pool.tasks) == 20
    assert pool.held_out


def test_no_benchmark_task_is_in_the_pool(pool):
    shut = {task.task_hash for task in BENCH.tasks}
    assert not shut & {task.hash for task in (*pool.tasks, *pool.held_out)}


def test_the_manifest_names_policies_settings_and_inputs(pool, probes):
    manifest = pool.manifest
    assert (manifest.policy, manifest.reference_policy) == ("base", "strong")
    assert manifest.settings["size"] == 20
    assert set(manifest.inputs) == {
        "probe/campaign.json",
        "probe/episodes.jsonl",
        "reference/campaign.json",
        "reference/episodes.jsonl",
        "excluded/synthetic",
    }


def test_the_same_probes_give_the_same_pool(pool, probes):
    inputs = Inputs(probes / "base", probes / "strong", (BENCH,))
    again = make_pool(inputs, SelectionSettings(size=20, held_out=0.25))
    assert again.digest == pool.digest


def test_a_pool_is_read_back_and_never_written_over(pool, tmp_path):
    path = tmp_path / "pool.json"
    write_pool(path, pool)
    assert read_pool(path, HASHES) == pool
    with pytest.raises(UsageError, match="frozen"):
        write_pool(path, pool)


def test_a_pool_file_lists_ids_and_hashes_for_the_suite_environment(pool, tmp_path):
    path = tmp_path / "pool.json"
    write_pool(path, pool)
    entries = json.loads(path.read_text())["tasks"]
    assert {entry["id"]: entry["hash"] for entry in entries}.items() <= HASHES.items()


def test_a_pool_is_refused_when_a_task_has_changed_or_gone(pool, tmp_path):
    path = tmp_path / "pool.json"
    write_pool(path, pool)
    first, second = pool.tasks[0].id, pool.tasks[1].id
    with pytest.raises(UsageError, match=f"1 have other content \\['{first}'\\]"):
        read_pool(path, HASHES | {first: "edited"})
    with pytest.raises(UsageError, match="1 are gone"):
        read_pool(path, {name: value for name, value in HASHES.items() if name != second})


def test_an_edited_pool_file_is_refused(pool, tmp_path):
    path = tmp_path / "pool.json"
    write_pool(path, pool)
    edited = json.loads(path.read_text())
    edited["tasks"].pop()
    path.write_text(json.dumps(edited))
    with pytest.raises(UsageError, match="changed after it was frozen"):
        read_pool(path)


def test_something_else_is_not_a_pool_file(tmp_path):
    path = tmp_path / "pool.json"
    path.write_text("{}")
    with pytest.raises(UsageError, match="not a readable pool file"):
        read_pool(path)


def test_table_and_plot_show_what_was_kept_and_rejected(pool, tmp_path):
    console = Console(record=True, width=140)
    console.print(pool_report(pool))
    text = console.export_text()
    assert "too hard" in text
    assert "same content as an excluded task" in text
    plot_pool(pool, tmp_path / "pool.png")
    assert (tmp_path / "pool.png").stat().st_size > 10_000
