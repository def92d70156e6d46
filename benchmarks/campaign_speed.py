"""How fast does a campaign go, and what does it leave on disk?

Baseline: one episode at a time, same tasks, same process. The oracle plays, so that everything
measured is ours: databases, tools, simulated user, grading, ledger.
Run: python benchmarks/campaign_speed.py [ATTEMPTS]
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tb_envs.policies import OraclePolicy
from tb_trainer.selection.campaign import Campaign
from tb_trainer.selection.catalog import load_suite
from tb_trainer.selection.collect import CollectSettings, collect, plan
from tb_trainer.selection.ledger import Ledger


def measure(attempts: int, concurrency: int) -> tuple[float, float, float]:
    """Attempts per second, share of worker time outside episodes, bytes on disk an attempt."""
    with TemporaryDirectory() as folder:
        campaign = Campaign(suite=load_suite("demo"), policy="oracle", attempts=attempts)
        ledger = Ledger.create(Path(folder), campaign)
        kind, slots = plan(ledger)
        began = time.perf_counter()
        settings = CollectSettings(concurrency=concurrency)
        inside = sum(
            episode.timings.total_s
            for episode in collect(ledger, OraclePolicy(), kind, slots, settings)
        )
        wall = time.perf_counter() - began
        size = ledger.episodes_path.stat().st_size
    return len(slots) / wall, 1 - inside / (wall * concurrency), size / len(slots)


def main() -> None:
    """Print speed at 32 at once beside one at a time."""
    attempts = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    measure(1, 4)  # the server starts and templates are built outside the clock
    base, _, _ = measure(attempts, 1)
    print("at once   attempts/s   ratio   outside episodes   bytes an attempt")
    for concurrency in (1, 8, 32):
        speed, outside, size = measure(attempts, concurrency)
        print(
            f"{concurrency:7}  {speed:11.1f}  {speed / base:5.2f}x  {outside:17.1%}  {size:17,.0f}"
        )


if __name__ == "__main__":
    main()
