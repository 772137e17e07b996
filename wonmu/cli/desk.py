"""Commands for whoever works from what a talk leaves, or looks after it."""

from __future__ import annotations

from typing import Annotated

import typer

from wonmu.cli.root import (
    DataOption,
    DbOption,
    FaultsOption,
    HospitalOption,
    JsonOption,
    NowOption,
    SettingsOption,
    app,
)


@app.command()
def hospitals(settings: SettingsOption = None, json: JsonOption = False) -> None:
    """List the hospitals: id, name, number.

    Example: wonmu hospitals --json
    """
    from wonmu.commands.listing import show_hospitals

    show_hospitals(settings, json)


@app.command()
def inbox(
    data: DataOption = None,
    db: DbOption = None,
    done: Annotated[
        str | None, typer.Option("--done", help="Key of a row that has been worked off")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Show only the row with this key")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what staff has to work off: requests, call-backs, memos, refunds, receipts.

    Example: wonmu inbox --data ./data --json
    """
    from wonmu.commands.listing import show_inbox

    raise typer.Exit(show_inbox(data, done, json, key, db))


@app.command()
def reconcile(
    data: DataOption = None,
    db: DbOption = None,
    hospital: HospitalOption = None,
    settings: SettingsOption = None,
    now: NowOption = None,
    faults: FaultsOption = None,
    every: Annotated[
        float | None, typer.Option("--every", min=0.1, help="Go on, with so many seconds between")
    ] = None,
    times: Annotated[
        int | None,
        typer.Option("--times", min=1, help="With --every: how often; default: for ever"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Finish what bookings written to the record system left open.

    Example: wonmu reconcile --data ./data --every 15
    """
    from wonmu.commands.reconcile import ReconcileOptions, run_reconcile

    options = ReconcileOptions(data, db, hospital, settings, now, faults, every, times, json)
    raise typer.Exit(run_reconcile(options))


@app.command("figures")
def figures_(data: DataOption = None, db: DbOption = None, json: JsonOption = False) -> None:
    """Show how long callers waited, how the record system answered, and what failed.

    Example: wonmu figures --data ./data
    """
    from wonmu.commands.figures import show_figures

    show_figures(data, db, json)


@app.command()
def doctor(
    settings: SettingsOption = None,
    data: DataOption = None,
    model: Annotated[str, typer.Option("--model", help="builtin or a URL")] = "builtin",
    model_name: Annotated[str, typer.Option("--model-name")] = "default",
) -> None:
    """Check settings, database and model, with a sentence on each failure.

    Example: wonmu doctor --data ./data
    """
    from wonmu.commands.doctor import run_doctor

    raise typer.Exit(run_doctor(settings, data, model, model_name))
