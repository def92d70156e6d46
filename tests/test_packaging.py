"""The wheel: what is in it, and that it plays an episode where nothing but its dependencies is."""

import configparser
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("tb_envs", "tb_trainer", "tb_bench", "task_specs", "thinkingbox_verifiers")

PLAY = """
import importlib.util
from pathlib import Path

import gymnasium
import tb_envs
from tb_envs.policies import OraclePolicy
from tb_envs.rollout import run_episode

site = Path(tb_envs.__file__).parent.parent
assert site.name == "site-packages", site
assert (site / "task_specs" / "travel").is_dir()
assert importlib.util.find_spec("torch") is None

env = gymnasium.make("ThinkingBox/hotel-downgrade-v0", database="embedded")
episode = run_episode(env, OraclePolicy(), seed=7)
env.close()
print("reward", episode.reward)
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def run(*command: str | Path, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (path,) = folder.glob("thinkingbox-*.whl")
    return path


@pytest.fixture(scope="module")
def empty_venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel and what it depends on, nothing else."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=venv.parent)
    run(sys.executable, "-m", "pip", "--python", venv, "install", "-q", wheel, cwd=venv.parent)
    return venv


def test_the_wheel_holds_the_packages_their_type_markers_and_every_task_file(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", *PACKAGES],
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=True,
    ).stdout.split()
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert [path for path in tracked if path not in names] == []
    assert {f"{package}/py.typed" for package in ("tb_envs", "tb_trainer", "tb_bench")} <= names


def test_the_wheel_holds_nothing_but_the_packages_and_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        dist_info = next(name for name in names if name.endswith("entry_points.txt"))
        scripts = configparser.ConfigParser()
        scripts.read_string(archive.read(dist_info).decode())
    tops = {name.split("/")[0] for name in names} - {dist_info.split("/")[0]}
    assert tops == set(PACKAGES)
    assert [name for name in names if name.startswith("task_specs/") and name.endswith(".py")] == []
    assert [name for name in names if "__pycache__" in name] == []
    assert set(scripts["console_scripts"]) == {"tb-envs", "tb-train", "tb-bench"}


def test_an_installed_wheel_plays_the_hotel_task_without_torch(empty_venv: Path) -> None:
    script = empty_venv.parent / "play.py"
    script.write_text(PLAY)
    output = run(empty_venv / "bin" / "python", "-W", "error", script, cwd=empty_venv.parent)
    assert output.splitlines()[-1] == "reward 1.0"


def test_the_program_of_an_installed_wheel_lists_the_tasks(empty_venv: Path) -> None:
    listed = run(empty_venv / "bin" / "tb-envs", "list", cwd=empty_venv.parent)
    assert "hotel-downgrade" in listed


@pytest.mark.parametrize(("program", "extra"), [("tb-bench", "bench"), ("tb-train", "train")])
def test_a_program_without_its_extra_says_what_to_install(
    empty_venv: Path, program: str, extra: str
) -> None:
    done = subprocess.run([empty_venv / "bin" / program], text=True, capture_output=True)
    assert done.returncode == 1
    assert done.stderr.endswith(f"Install it with: pip install thinkingbox[{extra}]\n")
    assert "Traceback" not in done.stderr
