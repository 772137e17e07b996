"""The program's name, its options, and what several commands share."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import wonmu

app = typer.Typer(
    name="wonmu",
    help="원무: software that answers a hospital's phone. Start with: wonmu demo booking",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

HospitalOption = Annotated[
    str | None, typer.Option("--hospital", help="Id or dialled number; see: wonmu hospitals")
]
DataOption = Annotated[
    str | None, typer.Option("--data", help="Folder that keeps the stores; made when missing")
]
DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="postgresql:// URL of a database that keeps the stores instead; "
        "default: the variable WONMU_DB",
    ),
]
SettingsOption = Annotated[
    str | None,
    typer.Option("--settings", help="Folder with one folder a hospital; default: the demos"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line")]
NowOption = Annotated[
    str | None,
    typer.Option("--now", help="The hospital's clock, e.g. 2026-12-01T10:00+09:00"),
]
CallerOption = Annotated[
    str | None, typer.Option("--caller", help="A number they are known by, e.g. 01000001234")
]
ModelOption = Annotated[
    str, typer.Option("--model", help="builtin, or the URL of an OpenAI-compatible endpoint")
]
ModelNameOption = Annotated[
    str, typer.Option("--model-name", help="The model's name at that endpoint")
]
FaultsOption = Annotated[
    str | None, typer.Option("--faults", help="YAML file of faults of record system and ledger")
]


def starting() -> None:
    """The libraries take seconds to load; a person at the terminal is told so."""
    if sys.stderr.isatty():
        sys.stderr.write("원무를 시작합니다 …\n")


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and end")] = False,
) -> None:
    if version:
        sys.stdout.write(f"wonmu {wonmu.__version__}\n")
        raise typer.Exit(0)
