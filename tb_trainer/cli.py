"""``tb-train``: plan, probe, select, run, export."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from tb_envs.errors import ThinkingBoxError
from tb_trainer.selection import cli as selection

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Train a language-model policy with GRPO on the database's verdict.",
)
app.command()(selection.probe)
app.command()(selection.select)
console = Console()

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="YAML file; see configs/.", show_default=False)
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SECTION.KEY=VALUE]...", help="Change fields of the configuration."),
]
EnvOption = Annotated[
    list[str] | None,
    typer.Option("--env", help="Train on this: an id, split, pool file or task; repeatable."),
]


@app.command()
def run(
    overrides: Overrides = None,
    config: ConfigOption = None,
    env: EnvOption = None,
    resume: Annotated[bool, typer.Option(help="Go on from the newest checkpoint.")] = False,
) -> None:
    """Train. Everything goes to the output folder: metrics, ledger, episodes, checkpoints."""
    from tb_trainer.config import load_config
    from tb_trainer.progress import Progress
    from tb_trainer.run import train

    settings = load_config(config, _with_envs(overrides, env))
    with Progress(console, settings, live=Console(stderr=True)) as progress:
        state = train(settings, resume=resume, watch=progress.watch, tell=progress.tell)
    console.print(f"Done: {state.step} steps in {settings.output}.")


@app.command()
def plan(overrides: Overrides = None, config: ConfigOption = None, env: EnvOption = None) -> None:
    """Check a configuration and say what it needs; the exit code says go (0) or no-go (1)."""
    from tb_trainer.config import load_config
    from tb_trainer.plan import make_plan, show_plan

    settings = load_config(config, _with_envs(overrides, env))
    drawn = make_plan(settings)
    show_plan(console, drawn)
    if drawn.faults:
        raise typer.Exit(1)


@app.command()
def export(
    checkpoint: Annotated[Path, typer.Argument(help="A checkpoint, or a run's output folder.")],
    directory: Annotated[Path, typer.Argument(help="Where the model directory is written.")],
) -> None:
    """Write a checkpoint as a Hugging Face model directory, tokenizer and template included."""
    from tb_trainer.export import export_checkpoint

    found = export_checkpoint(checkpoint, directory)
    console.print(f"Wrote step {found.step} to {directory}.")


@app.command()
def import_gguf(
    source: Annotated[str, typer.Argument(help="A .gguf file, or an installed package with one.")],
    directory: Annotated[Path, typer.Argument(help="Where the model directory is written.")],
) -> None:
    """Make a Hugging Face model directory out of a GGUF file."""
    from tb_trainer import gguf

    console.print(f"Wrote {directory} from {gguf.import_gguf(source, directory).name}.")


@app.command()
def warm_start(
    config: Annotated[Path, typer.Argument(help="The run that the model is for.")],
    architecture: Annotated[Path, typer.Argument(help="YAML: a Hugging Face configuration.")],
    teacher: Annotated[
        list[str], typer.Option(help="Who is imitated: oracle, trap:N, ...; repeatable.")
    ],
    steps: Annotated[int, typer.Option(min=1, help="Optimizer steps.")] = 400,
    batch: Annotated[int, typer.Option(min=1, help="Episodes a step.")] = 8,
    learning_rate: Annotated[float, typer.Option(help="AdamW's rate.")] = 1e-3,
    vocab_size: Annotated[int, typer.Option(min=300, help="Tokens of the tokenizer.")] = 1024,
    copies: Annotated[
        int, typer.Option(min=1, help="How often an episode is written, under other ids.")
    ] = 1,
) -> None:
    """Make a small model from nothing by imitation, where the configuration's model.path says."""
    from tb_trainer import warm_start as making
    from tb_trainer.config import load_config

    settings = making.WarmStart(teacher, steps, batch, learning_rate, vocab_size, copies)

    def watch(step: int, nats: float) -> None:
        if step % 20 == 0 or step == steps:
            console.print(f"step {step}/{steps} | {nats:.3f} nats a token", highlight=False)

    directory = making.warm_start(
        load_config(config), making.read_architecture(architecture), settings, watch
    )
    console.print(f"Wrote {directory}.")


def main() -> None:
    """Run the program; a known error is one line and exit code 2."""
    try:
        app()
    except ThinkingBoxError as error:
        Console(stderr=True).print(f"[red]error:[/red] {escape(str(error))}", highlight=False)
        raise SystemExit(2) from error


def _with_envs(overrides: list[str] | None, envs: list[str] | None) -> list[str]:
    chosen = list(overrides or [])
    if envs:
        chosen.append("tasks.train=[" + ", ".join(f'"{env}"' for env in envs) + "]")
    return chosen


if __name__ == "__main__":
    main()
