"""The ``tb-bench`` program: run, report, compare, show, validate, rerun, learn."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from tb_bench.comparison import compare as compare_results
from tb_bench.comparison import cost_points
from tb_bench.pages import Page, render_comparison, render_report
from tb_bench.results import read_results
from tb_bench.summary import Summary, summarise
from tb_bench.terminal import comparison_tables, incomplete_notice, report_tables
from tb_bench.viewer import Rule, pack_episodes
from tb_envs.display import show_episode
from tb_envs.errors import ThinkingBoxError, UsageError
from tb_trainer.selection.campaign import Kind, Slot
from tb_trainer.selection.catalog import load_suite
from tb_trainer.selection.cli import (
    ChatTemplateOption,
    ConcurrencyOption,
    ContextOption,
    DeadlineOption,
    DomainOption,
    JudgeOption,
    LimitOption,
    OutOption,
    PolicyOption,
    PricesOption,
    RetriesOption,
    SeedOption,
    SuiteOption,
    TasksOption,
    TemperatureOption,
    TurnTokensOption,
    sample,
    sample_suite,
)
from tb_trainer.selection.collect import CollectSettings, plan_rerun
from tb_trainer.selection.ledger import Ledger
from tb_trainer.selection.policies import PolicySettings, policy_of
from tb_trainer.selection.prices import Prices, read_prices

app = typer.Typer(
    name="tb-bench",
    help="How dependable is a policy? Attempts over a suite, and reports with honest intervals.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console()
TEACHERS = (*["oracle"] * 15, "trap:0", "trap:1", "trap:2")

FolderArgument = Annotated[Path, typer.Argument(help="Results folder.", show_default=False)]


@app.command()
def run(
    policy: PolicyOption,
    out: OutOption,
    suite: SuiteOption = "bench",
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each task, k.")] = 20,
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
    """Sample attempts over a suite; run the same command again after a kill to go on."""
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
        prices=_prices(prices),
    )


@app.command()
def rerun(
    folder: FolderArgument,
    missing: Annotated[bool, typer.Option("--missing", help="Attempts never made.")] = False,
    errors: Annotated[
        bool, typer.Option("--errors", help="Attempts that ended in system errors only.")
    ] = False,
    concurrency: ConcurrencyOption = 16,
    retries: RetriesOption = 2,
    deadline: DeadlineOption = 3600.0,
    prices: PricesOption = None,
) -> None:
    """Make up for what is missing or broken; what is clean is never sampled again."""
    if not (missing or errors):
        raise UsageError("say what to run again: --missing, --errors, or both")
    ledger = Ledger.open(folder)
    campaign = ledger.campaign
    _refuse_changed_tasks(ledger)
    slots = plan_rerun(ledger, missing=missing, errors=errors)
    kind: Kind = "rerun-errors" if errors and not missing else "rerun-missing"
    player = policy_of(campaign.policy, PolicySettings.model_validate(campaign.sampling))
    settings = CollectSettings(concurrency=concurrency, retries=retries, deadline_s=deadline)
    sample(ledger, player, kind, slots, settings, _prices(prices))


@app.command()
def report(
    folder: FolderArgument,
    prices: PricesOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where report.html and report.md go; the folder by default.")
    ] = None,
    episodes: Annotated[
        Rule,
        typer.Option(help="In the page's viewer: each task's first failed and passed, all, none."),
    ] = "sample",
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Another results folder in the plot of cost; repeatable."),
    ] = None,
) -> None:
    """Show the figures, and write them as one HTML page and as Markdown."""
    pricing = _prices(prices)
    results = read_results(folder, pricing)
    others = cost_points([read_results(path, pricing) for path in against or ()])
    summary: Summary | None = None
    if results.standing.complete:
        summary = summarise(results)
        console.print(report_tables(results, summary))
    else:
        console.print(incomplete_notice(results.standing))
    page = Page(results, summary, pack_episodes(results, episodes), others)
    target = out or folder
    target.mkdir(parents=True, exist_ok=True)
    for form in ("html", "md"):
        path = target / f"report.{form}"
        path.write_text(render_report(page, form), encoding="utf-8")
        console.print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)", highlight=False)
    if summary is None:
        raise typer.Exit(1)


@app.command()
def compare(
    base: Annotated[Path, typer.Argument(help="Results folder of the base policy.")],
    trained: Annotated[Path, typer.Argument(help="Results folder of the trained policy.")],
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Another results folder in the plot of cost; repeatable."),
    ] = None,
    prices: PricesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where compare.html and compare.md go; TRAINED by default."),
    ] = None,
) -> None:
    """Compare two policies task by task."""
    pricing = _prices(prices)
    others = [read_results(path, pricing) for path in against or ()]
    found = compare_results(read_results(base, pricing), read_results(trained, pricing), others)
    console.print(comparison_tables(found))
    target = out or trained
    target.mkdir(parents=True, exist_ok=True)
    for form in ("html", "md"):
        path = target / f"compare.{form}"
        path.write_text(render_comparison(found, form), encoding="utf-8")
        console.print(str(path), highlight=False)


@app.command()
def show(
    folder: FolderArgument,
    task: Annotated[str, typer.Argument(help="Task id.")],
    attempt: Annotated[int, typer.Argument(help="Attempt number, from 0.")] = 0,
) -> None:
    """Show one attempt: the talk, what each call changed, the verdict check by check."""
    ledger = Ledger.open(folder)
    wanted = Slot(task, attempt)
    for source in (ledger.episodes(), ledger.failed_tries()):
        for episode in source:
            if Slot(episode.task_id, episode.attempt) == wanted:
                console.print(show_episode(episode))
                return
    names = sorted({item.task_id for item in ledger.campaign.suite.tasks})
    raise UsageError(
        f"{folder} holds no attempt {attempt} at {task!r}; its {len(names)} tasks are "
        f"{', '.join(names[:10])}{', ...' if len(names) > 10 else ''}"
    )


@app.command()
def validate(folder: FolderArgument) -> None:
    """Say whether the results are complete: each attempt once, clean, of one policy and suite."""
    standing = Ledger.open(folder).standing()
    if not standing.complete:
        console.print(incomplete_notice(standing))
        raise typer.Exit(1)
    console.print(f"complete: {standing.clean} attempts, each once, no system errors left")


@app.command()
def learn(
    config: Annotated[Path, typer.Argument(help="A run: what is trained on, what is held out.")],
    architecture: Annotated[Path, typer.Argument(help="YAML: a Hugging Face configuration.")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SECTION.KEY=VALUE]...", help="Change fields of the run."),
    ] = None,
    seed: Annotated[
        list[int] | None, typer.Option(help="A whole study each; repeatable; 0 by default.")
    ] = None,
    teacher: Annotated[
        list[str] | None,
        typer.Option(
            help="Who is imitated; repeatable, and who comes twice counts twice. By default 15 "
            "times oracle, and once each of trap:0, trap:1 and trap:2."
        ),
    ] = None,
    imitation_steps: Annotated[int, typer.Option(min=1, help="Steps of the warm start.")] = 700,
    copies: Annotated[
        int, typer.Option(min=1, help="How often an imitated episode is written, under other ids.")
    ] = 8,
    attempts: Annotated[int, typer.Option(min=2, help="Attempts at each task, k.")] = 8,
) -> None:
    """Make a small model, measure it, train it, measure it again: a table and a plot.

    Run the same command again after a kill to go on.
    """
    from transformers.utils.logging import disable_progress_bar

    from tb_bench.learning import Study, run_seed
    from tb_bench.learning_terminal import ConsoleReporter, show_results
    from tb_trainer.config import load_config
    from tb_trainer.warm_start import WarmStart, read_architecture

    disable_progress_bar()
    study = Study(
        load_config(config, overrides or ()),
        read_architecture(architecture),
        WarmStart(teacher or TEACHERS, imitation_steps, copies=copies),
        attempts,
    )
    seeds = seed or [0]
    reporter = ConsoleReporter(console, imitation_steps)
    results = [run_seed(study, one, reporter.of_seed(one)) for one in seeds]
    show_results(console, results, Path(study.config.output))


def _refuse_changed_tasks(ledger: Ledger) -> None:
    """New attempts must be at the content that the old ones were made on."""
    there = ledger.campaign.suite
    now = load_suite(",".join(task.task_id for task in there.tasks))
    if now.digest != there.digest:
        raise UsageError(
            f"the tasks of {ledger.folder} have changed since it was begun "
            f"({there.digest[:12]}, now {now.digest[:12]}); run the suite anew in another folder"
        )


def _prices(path: Path | None) -> Prices | None:
    return read_prices(path) if path else None


def main() -> None:
    """Run the program; an error of ours is a message, not a traceback."""
    try:
        app()
    except ThinkingBoxError as error:
        message = f"[bold red]{type(error).__name__}[/]: {escape(str(error))}"
        Console(stderr=True).print(message, highlight=False)
        sys.exit(2)
