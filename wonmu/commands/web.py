"""``wonmu web``: the web chat of one hospital or all of them."""

from __future__ import annotations

import asyncio
import secrets
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from wonmu.clock import Clock
from wonmu.commands.common import choose_hospital, hospitals_of, moment_of
from wonmu.commands.models import BUILTIN, rungs_of
from wonmu.errors import InputError
from wonmu.hospital.config import Hospital
from wonmu.ids import IdSource, RandomIds
from wonmu.lines import Lines
from wonmu.loop import LoopClock
from wonmu.model.port import Rung
from wonmu.office import open_office, reconciling
from wonmu.place import Folder, Place, place_of

if TYPE_CHECKING:
    from wonmu.web.access import AccessSink
    from wonmu.web.addresses import Proxies
    from wonmu.web.front import House
    from wonmu.web.limits import Gate
    from wonmu.web.origins import Origins

ALL = "all"

TOKEN_BYTES = 32
"""256 bits: nobody guesses one."""

ACCESS_FILE = "web-access.jsonl"


@dataclass(frozen=True, slots=True)
class WebOptions:
    """The command line, as typed."""

    hospital: str = ALL
    data: str | None = None
    db: str | None = None
    settings: str | None = None
    host: str = "127.0.0.1"
    port: int = 8088
    now: str | None = None
    model: str = BUILTIN
    model_name: str = "default"
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """The same, checked."""

    options: WebOptions
    hospitals: tuple[Hospital, ...]
    origins: Origins
    proxies: Proxies
    models: tuple[Rung, ...]


def run_web(options: WebOptions) -> int:
    """Serve until told to stop; raises ``InputError`` for bad input."""
    plan = _checked(options)
    place = place_of(options.data, options.db)
    from wonmu.emr.server.serving import bind

    bound = bind(options.host, options.port)
    with tempfile.TemporaryDirectory(prefix="wonmu-") as folder:
        try:
            asyncio.run(_serve(plan, place or Folder(Path(folder)), bound))
        finally:
            bound.close()
    return 0


NEEDED = ("fastapi", "uvicorn", "websockets", "langchain", "langgraph")


def _checked(options: WebOptions) -> _Plan:
    # Looked for, not imported: they are slow to load, and a mistyped option is told at once.
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f"wonmu web needs the package {missing[0]}; install wonmu[serve,desk]")
    from wonmu.web.addresses import Proxies
    from wonmu.web.origins import Origins

    found = hospitals_of(options.settings)
    hospitals = (
        found.all() if options.hospital == ALL else (choose_hospital(found, options.hospital),)
    )
    moment_of(options.now)
    return _Plan(
        options,
        tuple(hospitals),
        Origins.of(options.origins),
        Proxies.of(options.proxies),
        rungs_of(options.model, options.model_name),
    )


async def _serve(plan: _Plan, place: Place, bound: socket) -> None:
    from wonmu.web.app import create_app
    from wonmu.web.front import Front
    from wonmu.web.limits import Gate, WebLimits
    from wonmu.web.serving import serve_until_told

    clock: Clock = LoopClock(moment_of(plan.options.now))
    gate, ids = Gate(WebLimits(), clock.mono), RandomIds()
    async with AsyncExitStack() as opened:
        houses: dict[str, House] = {}
        for hospital in plan.hospitals:
            house = _house(plan, hospital, place, clock, gate, ids)
            houses[hospital.id] = await opened.enter_async_context(house)
        front = Front(
            houses,
            gate,
            clock,
            secrets.token_bytes(32),
            plan.origins,
            plan.proxies,
            _access(place),
        )
        rooms = [house.rooms for house in houses.values()]
        await serve_until_told(create_app(front), bound, gate.limits, rooms, _say)


@asynccontextmanager
async def _house(
    plan: _Plan, hospital: Hospital, place: Place, clock: Clock, gate: Gate, ids: IdSource
) -> AsyncIterator[House]:
    from wonmu.text.conversation import Conversations
    from wonmu.web.front import House
    from wonmu.web.rooms import Rooms

    office = await open_office(hospital, place, clock)
    try:
        async with reconciling(office):
            opened = Conversations.opened(office, ids, _token, plan.models, channel="web")
            async with opened as talks:
                rooms = Rooms(talks, ids, gate, clock.mono)
                yield House(hospital, rooms, Lines.load(hospital.language))
    finally:
        await office.close()


def _token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


def _access(place: Place) -> AccessSink | None:
    """Accesses go into a file of the data folder; a database alone has none."""
    from wonmu.web.access import jsonl_sink

    match place:
        case Folder(path):
            return jsonl_sink(path / ACCESS_FILE)
    return None


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
