"""What a fresh database costs: from the warm pool, cloned on the spot, or in a server of its own.

``python benchmarks/database_reset.py [embedded|docker]``: all figures come from one run, and the
last column says how many times the pool's median each takes.
"""

import statistics
import sys
import time
from collections.abc import Callable

from tb_envs.database import close_pools, open_pool
from tb_envs.database.choice import start_server
from tb_envs.database.limits import SessionLimits
from tb_envs.database.opening import Isolation
from tb_envs.database.sources import SharedSource
from tb_envs.database.tenant import Tenant
from tb_envs.specs.domain import load_domain
from tb_envs.specs.models import Start

DOMAIN = load_domain("travel")


def timed(action: Callable[[], object], times: int) -> list[float]:
    """Milliseconds of each run."""
    figures: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        figures.append((time.perf_counter() - began) * 1000)
    return figures


def episode(choice: str, isolation: Isolation) -> Callable[[], None]:
    """Acquire, apply the start, give back."""
    pool = open_pool(DOMAIN, database=choice, isolation=isolation)

    def play() -> None:
        database = pool.acquire(timeout_s=120)
        database.prepare(Start(), DOMAIN.now)
        database.close()

    return play


def main(choice: str) -> None:
    """Print the three ways, slowest last."""
    warm = episode(choice, "database")
    timed(warm, 20)
    tenant = Tenant(start_server(choice))
    source = SharedSource(lambda: tenant, DOMAIN, SessionLimits())
    rows = {
        "warm pool: acquire, prepare, give back": timed(warm, 200),
        "CREATE DATABASE ... TEMPLATE in the foreground": timed(lambda: source.make().close(), 20),
        "a server of its own": timed(episode(choice, "container"), 3),
    }
    source.close()
    tenant.close()
    close_pools()
    base = statistics.median(rows["warm pool: acquire, prepare, give back"])
    print(f"{choice:<48} {'median ms':>10} {'p95 ms':>10} {'ratio':>8}")
    for name, figures in rows.items():
        median = statistics.median(figures)
        p95 = sorted(figures)[min(len(figures) - 1, round(len(figures) * 0.95))]
        print(f"{name:<48} {median:>10.2f} {p95:>10.2f} {median / base:>8.1f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "embedded")
