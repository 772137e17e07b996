"""Commands that talk: the phone and the text desk in the terminal, the web chat, the demos."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from wonmu.cli.root import (
    CallerOption,
    DataOption,
    DbOption,
    FaultsOption,
    HospitalOption,
    JsonOption,
    ModelNameOption,
    ModelOption,
    NowOption,
    SettingsOption,
    app,
    starting,
)


@app.command()
def chat(
    hospital: HospitalOption = None,
    caller: CallerOption = None,
    now: NowOption = None,
    data: DataOption = None,
    db: DbOption = None,
    settings: SettingsOption = None,
    model: ModelOption = "builtin",
    model_name: ModelNameOption = "default",
    faults: FaultsOption = None,
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
    starting()
    from wonmu.commands.chat import ChatOptions, run_chat

    options = ChatOptions(
        hospital, caller, now, data, settings, model, model_name, faults, json, staff, db
    )
    raise typer.Exit(run_chat(options))


@app.command()
def text(
    hospital: HospitalOption = None,
    caller: CallerOption = None,
    now: NowOption = None,
    data: DataOption = None,
    db: DbOption = None,
    settings: SettingsOption = None,
    model: ModelOption = "builtin",
    model_name: ModelNameOption = "default",
    faults: FaultsOption = None,
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
    starting()
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
    model: ModelOption = "builtin",
    model_name: ModelNameOption = "default",
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
    starting()
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
def demo(
    name: Annotated[str, typer.Argument(help="Which demo; --list shows them")] = "booking",
    listing: Annotated[bool, typer.Option("--list", help="List the demos")] = False,
) -> None:
    """Play a scripted caller through the same door and show what staff will see.

    Example: wonmu demo booking
    """
    from wonmu.commands.demo import list_demos, run_demo

    raise typer.Exit(list_demos() if listing else run_demo(name))
