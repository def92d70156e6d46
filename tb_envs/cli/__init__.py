"""The ``tb-envs`` program: looking at tasks, playing, proving, serving and beginning them."""

import sys

import typer
from rich.console import Console
from rich.markup import escape

from tb_envs.cli.doctor import doctor
from tb_envs.cli.new import new_domain_command, new_task_command
from tb_envs.cli.play import demo, play
from tb_envs.cli.serve import serve
from tb_envs.cli.stats import stats
from tb_envs.cli.tasks import list_tasks, schema, show, validate
from tb_envs.errors import ThinkingBoxError

app = typer.Typer(
    name="tb-envs",
    help="Customer cases on real PostgreSQL databases, graded by the rows that are left.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("list")(list_tasks)
app.command()(show)
app.command()(play)
app.command()(demo)
app.command()(validate)
app.command()(serve)
app.command()(doctor)
app.command()(schema)
app.command()(stats)
app.command("new-task")(new_task_command)
app.command("new-domain")(new_domain_command)


def main() -> None:
    """Run the program; an error of ours is a message, not a traceback."""
    try:
        app()
    except ThinkingBoxError as error:
        message = f"[bold red]{type(error).__name__}[/]: {escape(str(error))}"
        Console(stderr=True).print(message, highlight=False)
        sys.exit(2)
