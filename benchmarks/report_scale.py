"""What does a report over 10,140 attempts cost, in seconds, memory and size of the page?

Baseline: reading the results alone. The results are made up, with the published suite's shape
(507 tasks in five domains, 20 attempts each); PADDING bytes of tool output in every episode bring
its line to the size of a real one.
Run: python benchmarks/report_scale.py [PADDING]
"""

import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tb_bench.pages import Page, render_report
from tb_bench.results import read_results
from tb_bench.summary import summarise
from tb_bench.synthetic import synthetic_episodes, synthetic_rates, synthetic_suite
from tb_bench.viewer import pack_episodes
from tb_envs.episode import Episode
from tb_trainer.selection.campaign import Campaign
from tb_trainer.selection.ledger import Ledger


def main() -> None:
    """Print time, memory and sizes."""
    padding = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = np.random.default_rng(0)
    suite = synthetic_suite()
    campaign = Campaign(suite=suite, policy="made-up", attempts=20)
    with TemporaryDirectory() as folder:
        ledger = Ledger.create(Path(folder), campaign)
        with ledger.writer("run", 10_140) as writer:
            for episode in synthetic_episodes(campaign, synthetic_rates(suite, skill=0.6)):
                writer.add(padded(episode, padding, rng))
        size = ledger.episodes_path.stat().st_size
        began = time.perf_counter()
        results = read_results(Path(folder))
        read = time.perf_counter() - began
        page = Page(results, summarise(results), pack_episodes(results, "sample"))
        html = render_report(page, "html")
        whole = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{size / 1e6:.0f} MB on disk, {size / 10_140:,.0f} bytes an attempt")
    print(f"read {read:.1f} s; whole report {whole:.1f} s ({whole / read:.2f}x); {memory:.0f} MiB")
    print(f"page {len(html) / 1e6:.2f} MB with {page.packed.count} episodes")


def padded(episode: Episode, size: int, rng: np.random.Generator) -> Episode:
    """The episode with so many bytes of varied text in its first call's result."""
    words = rng.integers(0, 10_000, size=size // 5)
    text = " ".join(f"{word:04}" for word in words)
    messages = list(episode.messages)
    index = next(i for i, message in enumerate(messages) if message.calls)
    first = messages[index].calls[0].model_copy(update={"content": text})
    calls = (first, *messages[index].calls[1:])
    messages[index] = messages[index].model_copy(update={"calls": calls})
    return episode.model_copy(update={"messages": tuple(messages)})


if __name__ == "__main__":
    main()
