"""The commands ``probe`` and ``select``, mounted by ``tb-train``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from tb_envs.policies.protocol import Policy
from tb_trainer.selection.bands import BANDS
from tb_trainer.selection.campaign import Campaign, JudgeChoice, Kind, Slot
from tb_trainer.selection.catalog import excluded_suites, load_suite
from tb_trainer.selection.collect import CollectSettings, collect, plan
from tb_trainer.selection.freeze import Inputs, make_pool
from tb_trainer.selection.ledger import Ledger
from tb_trainer.selection.policies import PolicySettings, closing_policy, policy_of
from tb_trainer.selection.pool import write_pool
from tb_trainer.selection.prices import Prices, read_prices
from tb_trainer.selection.progress import watch_episodes
from tb_trainer.selection.rules import SelectionSettings
from tb_trainer.selection.suite import Suite

PolicyOption = Annotated[
    str,
    typer.Option(
        help="oracle, idle, trap, random, openai:MODEL, hf:DIR or vllm:DIR.", show_default=False
    ),
]
SuiteOption = Annotated[
    str, typer.Option(help="bench, train, demo, a pool file, or task and family names with commas.")
]
OutOption = Annotated[
    Path, typer.Option(help="Results folder; an unfinished one is taken up.", show_default=False)
]
DomainOption = Annotated[list[str] | None, typer.Option(help="Only this domain; repeatable.")]
TasksOption = Annotated[
    list[str] | None, typer.Option(help="Only this task or family; repeatable.")
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Only the first so many tasks.")]
ConcurrencyOption = Annotated[int, typer.Option(min=1, help="Episodes at once.")]
RetriesOption = Annotated[
    int, typer.Option(min=0, help="Further tries of an attempt that ended in a system error.")
]
DeadlineOption = Annotated[float, typer.Option(min=1, help="Seconds for an episode, all in all.")]
SeedOption = Annotated[int, typer.Option(help="Attempt i runs with seed + i.")]
PricesOption = Annotated[
    Path | None, typer.Option(help="TOML file of token prices; shows the cost so far.")
]
TemperatureOption = Annotated[
    float | None, typer.Option(min=0, help="Sampling temperature; the policy's own by default.")
]
JudgeOption = Annotated[
    JudgeChoice,
    typer.Option(help="endpoint: ask rubrics of TB_JUDGE_*; skip: leave them out of the verdict."),
]
ChatTemplateOption = Annotated[
    str | None, typer.Option(help="hf, vllm: the model's family; by default what it carries.")
]
ContextOption = Annotated[int, typer.Option(min=1, help="hf, vllm: longest sequence, tokens.")]
TurnTokensOption = Annotated[int, typer.Option(min=1, help="hf, vllm: longest turn, tokens.")]

console = Console()


def probe(
    policy: PolicyOption,
    out: OutOption,
    suite: SuiteOption = "train",
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each task.")] = 8,
    domain: DomainOption = None,
    tasks: TasksOption = None,
    limit: LimitOption = None,
    concurrency: ConcurrencyOption = 16,
    retries: RetriesOption = 2,
    deadline: DeadlineOption = 3600.0,
    seed: SeedOption = 0,
    temperature: TemperatureOption = None,
    chat_template: ChatTemplateOption = None,
    context_tokens: ContextOption = 16_384,
    turn_tokens: TurnTokensOption = 2_048,
    judge: JudgeOption = "endpoint",
    prices: PricesOption = None,
) -> None:
    """Run a policy several times on each candidate task; resumable, one JSON line an attempt."""
    sample_suite(
        load_suite(suite).narrow(domains=domain or (), tasks=tasks or (), limit=limit),
        policy,
        PolicySettings(
            temperature=temperature,
            chat_template=chat_template,
            context_tokens=context_tokens,
            turn_tokens=turn_tokens,
        ),
        out=out,
        attempts=attempts,
        seed=seed,
        judge=judge,
        settings=CollectSettings(concurrency=concurrency, retries=retries, deadline_s=deadline),
        prices=read_prices(prices) if prices else None,
    )


def sample_suite(
    suite: Suite,
    policy: str,
    sampling: PolicySettings,
    *,
    out: Path,
    attempts: int,
    seed: int,
    judge: JudgeChoice,
    settings: CollectSettings,
    prices: Prices | None,
) -> None:
    """Begin a results folder or take it up, and sample what is not there clean."""
    player = policy_of(policy, sampling)
    campaign = Campaign(
        suite=suite,
        policy=player.name,
        sampling=sampling.model_dump(exclude_defaults=True),
        attempts=attempts,
        seed=seed,
        judge=judge,
    )
    ledger = Ledger.create(out, campaign)
    kind, slots = plan(ledger)
    sample(ledger, player, kind, slots, settings, prices)


def sample(
    ledger: Ledger,
    policy: Policy,
    kind: Kind,
    slots: list[Slot],
    settings: CollectSettings,
    prices: Prices | None,
) -> None:
    """Sample attempts with a progress bar and say how the folder stands; exit 1 if incomplete."""
    console.print(
        f"{ledger.campaign.policy} on {len(ledger.campaign.suite.tasks)} tasks of "
        f"{ledger.campaign.suite.name}, {ledger.campaign.attempts} attempts each: "
        f"{len(slots)} to make ({kind}) in {ledger.folder}"
    )
    if slots:
        with closing_policy(policy):
            watch_episodes(
                collect(ledger, policy, kind, slots, settings),
                total=len(slots),
                console=console,
                prices=prices.of(ledger.campaign.policy) if prices else None,
                currency=prices.currency if prices else "",
            )
    standing = ledger.standing()
    for name, message in list(standing.errors.items())[:20]:
        console.print(f"[yellow]system error[/] {name}: {escape(message)}", highlight=False)
    console.print(f"{standing.clean} of {standing.planned} attempts are clean")
    if not standing.complete:
        raise typer.Exit(1)


def select(
    probe: Annotated[Path, typer.Option(help="Results folder of the base policy's probes.")],
    out: Annotated[Path, typer.Option(help="Pool file to write (*.json); must not exist.")],
    reference: Annotated[
        Path | None, typer.Option(help="A stronger policy's probes: the solvability gate.")
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="Suite kept out by content and by name; repeatable. By default bench."),
    ] = None,
    exclude_domains: Annotated[
        bool, typer.Option(help="Keep the domains of excluded suites out, too.")
    ] = False,
    band: Annotated[
        list[str] | None, typer.Option(help=f"Band to keep, of {', '.join(BANDS)}; repeatable.")
    ] = None,
    min_mass: Annotated[float, typer.Option(help="Least posterior mass of a task's band.")] = 0.4,
    min_attempts: Annotated[int, typer.Option(help="Least clean attempts at a task.")] = 4,
    solvable_above: Annotated[
        float, typer.Option(help="Success probability that the reference must exceed ...")
    ] = 0.08,
    solvable_mass: Annotated[float, typer.Option(help="... with this posterior mass.")] = 0.8,
    size: Annotated[int | None, typer.Option(help="Most tasks to train on, such as 187.")] = None,
    held_out: Annotated[float, typer.Option(help="Share held out, in whole families.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Of the order in which families are held out.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="Picture to write (*.png, *.svg).")] = None,
) -> None:
    """Choose the tasks that can teach the probed policy, and freeze them in a pool file."""
    settings = SelectionSettings.model_validate(
        {
            "bands": tuple(band) if band else SelectionSettings().bands,
            "min_mass": min_mass,
            "min_attempts": min_attempts,
            "solvable_above": solvable_above,
            "solvable_mass": solvable_mass,
            "size": size,
            "held_out": held_out,
            "exclude_domains": exclude_domains,
            "seed": seed,
        }
    )
    inputs = Inputs(probe, reference, excluded_suites(exclude))
    pool = make_pool(inputs, settings)
    write_pool(out, pool)
    from tb_trainer.selection.show import plot_pool, pool_report  # matplotlib takes a second

    console.print(pool_report(pool))
    console.print(f"{len(pool.tasks)} tasks to train on, {len(pool.held_out)} held out: {out}")
    if plot is not None:
        plot_pool(pool, plot)
        console.print(f"plot: {plot}")
