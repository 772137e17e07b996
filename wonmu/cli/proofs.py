"""Commands that measure and prove: dialogues, comparisons, pictures."""

from __future__ import annotations

from typing import Annotated

import typer

from wonmu.cli.root import (
    app,
)

bench = typer.Typer(help="Compare ways of doing one thing, in one run.", no_args_is_help=True)
app.add_typer(bench, name="bench")


@bench.command("desk")
def bench_desk(
    channel: Annotated[str, typer.Option(help="text, voice or both")] = "both",
    model: Annotated[str, typer.Option(help="builtin or the address of an endpoint")] = "builtin",
    model_name: Annotated[str, typer.Option(help="the model's name there")] = "default",
    wrong: Annotated[bool, typer.Option(help="name the requests not answered rightly")] = True,
) -> None:
    """Delegate to a specialist or hand the talk over: the same 20 requests both ways.

    Example: wonmu bench desk --channel text
    """
    from wonmu.evals.desk_report import run_bench_desk

    raise typer.Exit(run_bench_desk(channel, model, model_name, wrong))


@app.command("eval")
def evaluate(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Dialogue files, or folders with them")
    ] = None,
) -> None:
    """Play dialogue files and show what is not as it must be; status 1 if anything is not.

    Example: wonmu eval tests/scenario/dialogues
    """
    from wonmu.evals.command import run_eval

    raise typer.Exit(run_eval(paths or []))


@app.command("line-plot")
def line_plot(
    file: Annotated[str, typer.Argument(help="A recording, as the simulated line writes it")],
    out: Annotated[
        str | None, typer.Option("--out", help="The picture; default: beside it, as .png")
    ] = None,
) -> None:
    """Draw a recording of the simulated line: who was audible when, and silences over 4 s.

    Example: wonmu line-plot call.json --out call.png
    """
    from wonmu.commands.line_plot import run_line_plot

    raise typer.Exit(run_line_plot(file, out))
