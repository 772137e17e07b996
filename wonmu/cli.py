"""The command line. Reads options, opens what is needed, prints; decides nothing about a call."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer

import wonmu
from wonmu.errors import InputError

app = typer.Typer(
    name="wonmu",
    help="원무: software that answers a hospital's phone. Start with: wonmu demo booking",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
emr_app = typer.Typer(help="The embedded record system.", no_args_is_help=True)
ledger_app = typer.Typer(help="The embedded billing ledger.", no_args_is_help=True)
model_app = typer.Typer(help="The built-in model.", no_args_is_help=True)
app.add_typer(emr_app, name="emr")
app.add_typer(ledger_app, name="ledger")
app.add_typer(model_app, name="model")

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


@app.command()
def chat(
    hospital: HospitalOption = None,
    caller: Annotated[
        str | None, typer.Option("--caller", help="The caller's number, e.g. 01000001234")
    ] = None,
    now: NowOption = None,
    data: DataOption = None,
    db: DbOption = None,
    settings: SettingsOption = None,
    model: Annotated[
        str, typer.Option("--model", help="builtin, or the URL of an OpenAI-compatible endpoint")
    ] = "builtin",
    model_name: Annotated[
        str, typer.Option("--model-name", help="The model's name at that endpoint")
    ] = "default",
    faults: Annotated[
        str | None, typer.Option("--faults", help="YAML file of record-system faults")
    ] = None,
    staff: Annotated[
        str | None,
        typer.Option(
            "--staff",
            help="The people of the desk: connected, no_answer, busy, … or a YAML file; "
            "default: nobody can be dialled",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Talk to the front desk: one caller turn a line of standard input.

    A line that starts with ! is spoken over the agent. #850312 presses keys. /wait 5 stays silent
    for five seconds. /hangup, or the end of input, hangs up. Lines with // are skipped.

    Example: printf '예약하고 싶어요\\n#850312\\n' | wonmu chat --caller 01000001234
    """
    _starting()
    from wonmu.commands.chat import ChatOptions, run_chat

    options = ChatOptions(
        hospital, caller, now, data, settings, model, model_name, faults, json, staff, db
    )
    raise typer.Exit(run_chat(options))


@app.command()
def text(
    hospital: HospitalOption = None,
    caller: Annotated[
        str | None, typer.Option("--caller", help="A number the visitor is known by")
    ] = None,
    now: NowOption = None,
    data: DataOption = None,
    db: DbOption = None,
    settings: SettingsOption = None,
    model: Annotated[
        str, typer.Option("--model", help="builtin, or the URL of an OpenAI-compatible endpoint")
    ] = "builtin",
    model_name: Annotated[
        str, typer.Option("--model-name", help="The model's name at that endpoint")
    ] = "default",
    faults: Annotated[
        str | None, typer.Option("--faults", help="YAML file of record-system faults")
    ] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="Go on with the conversation of this token")
    ] = None,
    conversation_file: Annotated[
        str | None,
        typer.Option("--conversation-file", help="Write the token here, for its owner alone"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write to the text desk: one turn a line of standard input.

    Digits are typed like words. /hangup, or the end of input, leaves; the conversation stays and
    goes on with --conversation. Lines with // are skipped.

    Example: printf '진료비가 얼마예요?\\n' | wonmu text --data ./data
    """
    _starting()
    try:
        import langgraph.checkpoint.sqlite.aio  # noqa: F401 - the extra is needed first
    except ModuleNotFoundError as error:
        sys.stderr.write(f"wonmu: wonmu text needs {error.name}; install wonmu[desk]\n")
        raise typer.Exit(2) from None
    from wonmu.commands.text import TextOptions, run_text

    options = TextOptions(
        hospital,
        caller,
        now,
        data,
        db,
        settings,
        model,
        model_name,
        faults,
        json,
        conversation,
        conversation_file,
    )
    raise typer.Exit(run_text(options))


@app.command()
def demo(
    name: Annotated[str, typer.Argument(help="Which demo; --list shows them")] = "booking",
    listing: Annotated[bool, typer.Option("--list", help="List the demos")] = False,
) -> None:
    """Play a scripted caller through the same door and show what staff will see.

    Example: wonmu demo booking
    """
    from wonmu.commands.demo import list_demos, run_demo

    raise typer.Exit(list_demos() if listing else run_demo(name))


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
    faults: Annotated[
        str | None, typer.Option("--faults", help="YAML file of record-system faults")
    ] = None,
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


@app.command()
def web(
    hospital: Annotated[
        str, typer.Option("--hospital", help="Id or dialled number, or all of them")
    ] = "all",
    data: DataOption = None,
    db: DbOption = None,
    settings: SettingsOption = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: a free one")] = 8088,
    host: Annotated[str, typer.Option("--host", help="Address to listen on")] = "127.0.0.1",
    now: NowOption = None,
    model: Annotated[
        str, typer.Option("--model", help="builtin, or the URL of an OpenAI-compatible endpoint")
    ] = "builtin",
    model_name: Annotated[
        str, typer.Option("--model-name", help="The model's name at that endpoint")
    ] = "default",
    origin: Annotated[
        list[str] | None,
        typer.Option("--origin", help="A site whose pages may embed the chat; can be repeated"),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            help="Address or network whose X-Forwarded-For is believed; can be repeated",
        ),
    ] = None,
) -> None:
    """Serve the web chat: pages, widget, HTTP API and WebSocket.

    Example: wonmu web --data ./data --origin https://www.hospital.example
    """
    _starting()
    from wonmu.commands.web import WebOptions, run_web

    options = WebOptions(
        hospital=hospital,
        data=data,
        db=db,
        settings=settings,
        host=host,
        port=port,
        now=now,
        model=model,
        model_name=model_name,
        origins=tuple(origin or ()),
        proxies=tuple(trusted_proxy or ()),
    )
    raise typer.Exit(run_web(options))


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


def _starting() -> None:
    """The libraries take seconds to load; a person at the terminal is told so."""
    if sys.stderr.isatty():
        sys.stderr.write("원무를 시작합니다 …\n")


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and end")] = False,
) -> None:
    if version:
        sys.stdout.write(f"wonmu {wonmu.__version__}\n")
        raise typer.Exit(0)


class _Masked(logging.Formatter):
    """Whatever a library logs, no personal number leaves with it (N8, R154)."""

    def format(self, record: logging.LogRecord) -> str:
        from wonmu.korean.mask import mask_text

        return mask_text(super().format(record)).text


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Masked("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[handler])


def main() -> None:
    """Entry point. Bad input is one sentence and status 2; never a traceback."""
    _log_to_stderr()
    try:
        app()
    except InputError as error:
        sys.stderr.write(f"wonmu: {error}\n")
        raise SystemExit(2) from None
    except BrokenPipeError:
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
