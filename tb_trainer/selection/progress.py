"""A progress bar over attempts: how many, how many passed, what it has cost so far."""

from collections.abc import Iterable

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tb_envs.episode import Episode
from tb_envs.outcome import outcome_passed
from tb_trainer.selection.prices import TokenPrices


class Watch:
    """Counts of the episodes seen so far."""

    def __init__(self, prices: TokenPrices | None, currency: str) -> None:
        self.passed = 0
        self.failed = 0
        self.errors = 0
        self.cost = 0.0
        self._prices = prices
        self._currency = currency

    def see(self, episode: Episode) -> None:
        """Count one episode."""
        passed = outcome_passed(episode.outcome)
        if passed is None:
            self.errors += 1
        elif passed:
            self.passed += 1
        else:
            self.failed += 1
        self.cost += (self._prices.cost(episode.usage) or 0.0) if self._prices else 0.0

    @property
    def text(self) -> str:
        """The counts in one line."""
        parts = [f"[green]{self.passed} passed[/]", f"{self.failed} failed"]
        if self.errors:
            parts.append(f"[yellow]{self.errors} system errors[/]")
        if self._prices:
            parts.append(f"{self.cost:.2f} {self._currency}")
        return ", ".join(parts)


def watch_episodes(
    episodes: Iterable[Episode],
    *,
    total: int,
    console: Console,
    prices: TokenPrices | None = None,
    currency: str = "",
) -> Watch:
    """Show a bar while episodes arrive; return what was counted."""
    watch = Watch(prices, currency)
    columns = (
        TextColumn("[bold]attempts[/]"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[counts]}"),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("attempts", total=total, counts="")
        for episode in episodes:
            watch.see(episode)
            clean = outcome_passed(episode.outcome) is not None
            progress.update(bar, advance=int(clean), counts=watch.text)
    return watch
