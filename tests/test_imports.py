"""Imports go one way, and the environments need no deep-learning library."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"torch", "transformers", "vllm", "deepspeed"}
FORBIDDEN = {
    "tb_envs": {"tb_trainer", "tb_bench", "benchmarks", "tests"} | HEAVY,
    "tb_trainer": {"benchmarks", "tests"},
    "tb_bench": {"benchmarks", "tests"},
}


def imported_packages(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("package", sorted(FORBIDDEN))
def test_a_package_imports_nothing_to_its_right(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    found = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in imported_packages(path)
        if name in FORBIDDEN[package] and "adapters" not in path.parts
    }
    assert found == set()


def test_the_trainer_names_no_task_and_no_domain() -> None:
    names = {path.parent.name for path in ROOT.glob("task_specs/*/domain.yaml")}
    names |= {path.stem for path in ROOT.glob("task_specs/*/tasks/*.yaml")}
    assert names
    found = {
        f"{path.relative_to(ROOT)} names {name}"
        for path in (ROOT / "tb_trainer").rglob("*.py")
        for name in names
        if f'"{name}' in path.read_text(encoding="utf-8")
    }
    assert found == set()


def test_importing_the_environments_loads_no_heavy_library() -> None:
    code = (
        "import sys, tb_envs, tb_envs.env, tb_envs.rollout;"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


def test_task_specs_hold_no_python() -> None:
    assert list((ROOT / "task_specs").rglob("*.py")) == []
