"""``wonmu emr serve``: the embedded record system of one hospital as a FHIR server."""

from __future__ import annotations

import asyncio
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wonmu.clock import Clock
from wonmu.commands.common import choose_hospital, hospitals_of, moment_of
from wonmu.emr.server.rules import ServerRules, SlotOwner
from wonmu.errors import InputError
from wonmu.hospital.config import Hospital
from wonmu.loop import LoopClock
from wonmu.office import open_records
from wonmu.place import Folder, Place, place_of

if TYPE_CHECKING:
    from wonmu.emr.server.access import AccessSink


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The command line, as typed."""

    data: str | None
    db: str | None
    hospital: str | None
    settings: str | None
    host: str
    port: int
    slot_owner: str
    now: str | None
    operations: bool


def run_emr_serve(options: ServeOptions) -> int:
    """Serve until told to stop; raises ``InputError`` for bad input."""
    try:
        from wonmu.emr.server.serving import bind
    except ModuleNotFoundError as error:
        raise InputError(
            f"wonmu emr serve needs the package {error.name}; install wonmu[serve]"
        ) from error
    place = place_of(options.data, options.db)
    if place is None:
        raise InputError("say where the stores are: --data FOLDER, or --db URL for PostgreSQL")
    hospital = choose_hospital(hospitals_of(options.settings), options.hospital)
    moment_of(options.now)
    owner_of(options.slot_owner)
    bound = bind(options.host, options.port)
    try:
        asyncio.run(_serve(options, place, hospital, bound))
    finally:
        bound.close()
    return 0


async def _serve(
    options: ServeOptions, place: Place, hospital: Hospital, bound: socket.socket
) -> None:
    from wonmu.emr.server.app import create_app
    from wonmu.emr.server.serving import serve_until_told

    owner = owner_of(options.slot_owner)
    clock: Clock = LoopClock(moment_of(options.now))
    records = await open_records(hospital, place, clock)
    try:
        rules = ServerRules(slot_owner=owner, operations=options.operations)
        app = create_app(records, clock, rules, access=_access(place, hospital))
        await serve_until_told(app, bound, _say)
    finally:
        await records.close()


def owner_of(word: str) -> SlotOwner:
    try:
        return SlotOwner(word)
    except ValueError:
        raise InputError(f"--slot-owner {word}: write client or server") from None


def _access(place: Place, hospital: Hospital) -> AccessSink | None:
    """Accesses go into a file of the data folder; a database alone has none."""
    from wonmu.emr.server.access import jsonl_sink

    match place:
        case Folder(path):
            return jsonl_sink(Path(path) / f"emr-{hospital.id}-access.jsonl")
    return None


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
