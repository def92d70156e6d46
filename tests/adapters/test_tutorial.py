"""The tutorial, typed in as it stands."""

import re
from pathlib import Path

import pytest

pytest.importorskip(
    "stable_baselines3", reason="SB3 has an environment of its own; see .ci/adapters"
)

from tests.checkout import ROOT, copy_checkout, run

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_shell_block_works_in_order(tmp_path: Path) -> None:
    blocks = _BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    assert len(blocks) == 5
    checkout = copy_checkout(tmp_path)
    done = run(checkout, "bash", "-euc", "\n".join(blocks), timeout_s=500)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "not proven call-in-the-morning.verified" in done.stdout
    assert "2 of 2 tasks proven" in done.stdout
    sampled = done.stdout.splitlines()[-2]
    assert sampled.startswith("success rate of the trained policy, sampled moves: ")
    assert float(sampled.rpartition(" ")[2]) >= 0.8
    points = (checkout / "curve.csv").read_text().splitlines()
    assert points[0] == "steps,seconds,success_rate"
    assert len(points) == 1 + 12
