"""`probe` and `select` as `tb-train` mounts them: from attempts on PostgreSQL to a frozen pool."""

import json

import pytest
import typer
from typer.testing import CliRunner

from tb_bench.synthetic import synthetic_ledger, synthetic_suite
from tb_envs.errors import UsageError
from tb_trainer.selection import cli
from tb_trainer.selection.catalog import load_suite
from tb_trainer.selection.pool import read_pool

runner = CliRunner()


@pytest.fixture(scope="module")
def app():
    app = typer.Typer()
    app.command()(cli.probe)
    app.command()(cli.select)
    return app


def invoke(app, *arguments):
    done = runner.invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_scripted_policy_is_probed_and_its_solved_tasks_are_too_easy(app, tmp_path):
    probes, pool = tmp_path / "probes", tmp_path / "pool.json"
    options = ("--suite", "demo", "--limit", 2, "--attempts", 4, "--concurrency", 2)
    output = invoke(app, "probe", "--policy", "oracle", "--out", probes, *options)
    assert "8 of 8 attempts are clean" in output
    output = invoke(app, "select", "--probe", probes, "--out", pool)
    assert "0 tasks to train on" in output
    reasons = [item["reason"] for item in json.loads(pool.read_text())["manifest"]["rejected"]]
    assert reasons == ["too easy", "too easy"]


def test_the_teaching_bands_can_be_chosen_and_plotted(app, tmp_path):
    suite = load_suite("demo")
    synthetic_ledger(tmp_path / "probes", suite=suite, skill=0.5, attempts=8)
    pool, plot = tmp_path / "pool.json", tmp_path / "pool.png"
    options = ("--min-mass", 0, "--band", "hard", "--band", "medium", "--band", "too_hard")
    output = invoke(
        app, "select", "--probe", tmp_path / "probes", "--out", pool, "--plot", plot, *options
    )
    assert "to train on" in output
    assert plot.exists()
    found = read_pool(pool, {task.task_id: task.task_hash for task in suite.tasks})
    assert {task.band for task in found.tasks} <= {"hard", "medium", "too_hard"}
    assert found.tasks
    # The suite environment reads the same file.
    assert {task.task_id for task in load_suite(str(pool)).tasks} == {t.id for t in found.tasks}


def test_an_excluded_suite_is_kept_out(app, tmp_path):
    suite = load_suite("demo")
    synthetic_ledger(tmp_path / "probes", suite=suite, skill=0.5, attempts=8)
    pool = tmp_path / "pool.json"
    shut = suite.tasks[0].task_id
    invoke(app, "select", "--probe", tmp_path / "probes", "--out", pool, "--exclude", shut)
    rejected = {item.id: item.reason for item in read_pool(pool).manifest.rejected}
    assert rejected[shut] == "same content as an excluded task"


def test_a_suite_is_narrowed_by_domain_task_family_and_number():
    suite = synthetic_suite({"retail": 6, "travel": 8}, variants=4)
    assert len(suite.narrow(domains=["travel"]).tasks) == 8
    assert len(suite.narrow(tasks=["retail-case-01"]).tasks) == 2
    assert len(suite.narrow(tasks=["retail-case-01.v0", "travel-case-00"]).tasks) == 5
    assert suite.narrow(limit=1).tasks == suite.tasks[:1]
    with pytest.raises(UsageError, match="no domain 'hotel'; expected one of retail, travel"):
        suite.narrow(domains=["hotel"])
    with pytest.raises(UsageError, match="no task of suite"):
        suite.narrow(domains=["travel"], tasks=["retail-case-00"])
