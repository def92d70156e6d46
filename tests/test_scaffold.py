"""What ``new-task`` and ``new-domain`` write is valid and proven before anybody has edited it."""

from pathlib import Path

import pytest

from tb_envs.errors import UsageError
from tb_envs.scaffold import new_domain, new_task
from tb_envs.tools.toolsets import load_toolset
from tests.checkout import copy_checkout, run


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return copy_checkout(tmp_path)


@pytest.mark.slow
def test_a_new_domain_and_new_tasks_are_proven(checkout: Path) -> None:
    commands = (
        ("new-domain", "library"),
        ("new-task", "call-in-the-morning"),
        ("new-task", "call-a-reader", "--domain", "library"),
    )
    for command in commands:
        done = run(checkout, "tb-envs", *command)
        assert done.returncode == 0, done.stderr
        assert "Prove it: tb-envs validate " in done.stdout
    families = ("library-extension", "call-in-the-morning", "call-a-reader")
    proven = run(checkout, "tb-envs", "validate", *families)
    assert "4 of 4 tasks proven" in proven.stdout, proven.stdout


def test_a_taken_name_is_refused(checkout: Path) -> None:
    with pytest.raises(UsageError, match="stands in"):
        new_task("hotel-downgrade", "travel", checkout)
    with pytest.raises(UsageError, match="exists; choose another name"):
        new_domain("travel", checkout)
    new_domain("library", checkout)
    with pytest.raises(UsageError, match="exists; choose another name"):
        new_domain("library", checkout)


@pytest.mark.parametrize("name", ["Hotel", "two words", "-x", "x_y", "../x"])
def test_a_name_that_is_no_family_is_refused(name: str, checkout: Path) -> None:
    with pytest.raises(UsageError, match="expected words of small letters"):
        new_task(name, "travel", checkout)


@pytest.mark.parametrize("name", ["Library", "my-library", "1st", "../x"])
def test_a_name_that_is_no_module_is_refused(name: str, checkout: Path) -> None:
    with pytest.raises(UsageError, match="a Python module's name"):
        new_domain(name, checkout)


def test_a_domain_without_the_examples_tools_is_told_apart(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tb_envs.scaffold.load_toolset", lambda _: load_toolset(["codes"]))
    with pytest.raises(UsageError, match="has no find_customers, verify_identity"):
        new_task("lost", "travel", checkout)


def test_an_installed_package_is_not_written_into(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a checkout"):
        new_task("lost", "travel", tmp_path)
    with pytest.raises(UsageError, match="is not a checkout"):
        new_domain("library", tmp_path)
