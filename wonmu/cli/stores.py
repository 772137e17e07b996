"""Commands on single parts: the embedded record system and ledger, the built-in model."""

from __future__ import annotations

from typing import Annotated

import typer

from wonmu.cli.root import (
    DataOption,
    DbOption,
    HospitalOption,
    JsonOption,
    NowOption,
    SettingsOption,
    app,
)

emr_app = typer.Typer(help="The embedded record system.", no_args_is_help=True)
ledger_app = typer.Typer(help="The embedded billing ledger.", no_args_is_help=True)
model_app = typer.Typer(help="The built-in model.", no_args_is_help=True)
app.add_typer(emr_app, name="emr")
app.add_typer(ledger_app, name="ledger")
app.add_typer(model_app, name="model")


@emr_app.command("show")
def emr_show(
    data: DataOption = None,
    db: DbOption = None,
    hospital: HospitalOption = None,
    settings: SettingsOption = None,
    day: Annotated[str | None, typer.Option("--day", help="One day, e.g. 2026-12-08")] = None,
    patient: Annotated[str | None, typer.Option("--patient", help="A patient's id")] = None,
    json: JsonOption = False,
) -> None:
    """Print the record system's patients, doctors, appointments and, with --day, slots.

    Example: wonmu emr show --data ./data --day 2026-12-08 --json
    """
    from wonmu.commands.listing import show_emr

    show_emr(data, hospital, settings, day, patient, json, db)


@emr_app.command("serve")
def emr_serve(
    data: DataOption = None,
    db: DbOption = None,
    hospital: HospitalOption = None,
    settings: SettingsOption = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: a free one")] = 8091,
    host: Annotated[str, typer.Option("--host", help="Address to listen on")] = "127.0.0.1",
    slot_owner: Annotated[
        str,
        typer.Option(
            "--slot-owner", help="client: slots are claimed by a versioned update; server"
        ),
    ] = "server",
    operations: Annotated[
        bool, typer.Option(help="$find, $hold and $book, where the server owns the slots")
    ] = True,
    now: NowOption = None,
) -> None:
    """Serve the embedded record system as a FHIR R4 server, with faults on demand.

    Example: wonmu emr serve --data ./data --slot-owner client
    """
    from wonmu.commands.emr_serve import ServeOptions, run_emr_serve

    options = ServeOptions(data, db, hospital, settings, host, port, slot_owner, now, operations)
    raise typer.Exit(run_emr_serve(options))


@ledger_app.command("show")
def ledger_show(
    data: DataOption = None,
    db: DbOption = None,
    hospital: HospitalOption = None,
    settings: SettingsOption = None,
    patient: Annotated[str | None, typer.Option("--patient", help="A patient's id")] = None,
    json: JsonOption = False,
) -> None:
    """Print the billing ledger's invoices, payments, refunds and requested receipts.

    Example: wonmu ledger show --data ./data --patient p-0001 --json
    """
    from wonmu.commands.listing import show_ledger

    show_ledger(data, hospital, settings, patient, json, db)


@model_app.command("serve")
def model_serve(
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 8090,
    host: Annotated[str, typer.Option("--host", help="Address to listen on")] = "127.0.0.1",
) -> None:
    """Serve the built-in model as POST /v1/chat/completions. It is rules, not a language model.

    Example: wonmu model serve --port 8090
    """
    from wonmu.commands.serve import run_serve

    raise typer.Exit(run_serve(host, port))
