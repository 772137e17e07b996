"""A text desk made of a few rules, and the web chat over it, for tests of the web chat."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from starlette.types import ASGIApp

from wonmu.clock import SEOUL, FixedClock
from wonmu.hospital.loading import load_hospitals
from wonmu.ids import CallId, CountingIds
from wonmu.lines import Lines
from wonmu.timeline.events import Kind, Status
from wonmu.timeline.record import Recorder
from wonmu.web.access import Access
from wonmu.web.addresses import Proxies
from wonmu.web.app import create_app
from wonmu.web.front import Front, House
from wonmu.web.limits import Gate, WebLimits
from wonmu.web.origins import Origins
from wonmu.web.rooms import Rooms

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)
HANBIT = "/api/v1/hospitals/hanbit"
ONNURI = "/api/v1/hospitals/onnuri"

Hook = Callable[[str], None]


class FakeTalk:
    """Answers "echo: <words>"; "끝" ends the visit, "고장" fails, "잠깐" waits for ``go_on``."""

    def __init__(self, desk: FakeTalks, token: str, came_back: bool) -> None:
        self.token = token
        self.closed = False
        self.reasons: list[str] = []
        self.heard: list[str] = []
        self.go_on = asyncio.Event()
        self._desk = desk
        self._came_back = came_back
        self._hearers: list[Callable[[str], None]] = []
        self.recorder = Recorder(CallId(desk.ids.new("call")), desk.clock, desk.ids)
        self._span = self.recorder.start(Kind.CALL_STARTED, {"hospital": "x"})

    def add_hearer(self, hearer: Callable[[str], None]) -> None:
        self._hearers.append(hearer)

    async def start(self) -> None:
        if "greeting" in self._desk.broken:
            raise RuntimeError("no greeting")
        self._say("다시 오셨네요." if self._came_back else "안녕하세요.")

    async def says(self, text: str) -> None:
        await asyncio.sleep(0)
        self.heard.append(text)
        self.recorder.write(
            Kind.CALLER_HEARD, {"text": text.replace("010-0000-1234", "[전화번호]")}
        )
        if text == "고장":
            raise RuntimeError("the words of the visitor must not be logged: 고장")
        if text == "잠깐":
            await self.go_on.wait()
        self._say(f"echo: {text}")
        if text == "끝":
            await self.end("agreed")

    async def end(self, reason: str) -> None:
        if self.closed:
            return
        self.closed = True
        self.reasons.append(reason)
        self.recorder.end(self._span, Status.SUCCESS, {"reason": reason})
        self._desk.open.discard(self.token)

    def _say(self, text: str) -> None:
        self.recorder.write(Kind.TOOL_STARTED, {"name": "secret_tool", "digest": "d-1"})
        masked = text.replace("010-0000-1234", "[전화번호]")
        self.recorder.write(Kind.AGENT_SAID, {"text": masked, "heard": masked})
        for hearer in self._hearers:
            hearer(text)
        self.recorder.write(Kind.TURN_WAITING, {"turn": 1})


@dataclass
class FakeTalks:
    """Remembers which tokens are known, which are open, and every talk that was."""

    clock: FixedClock
    prefix: str = "token"
    ids: CountingIds = field(default_factory=CountingIds)
    known: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    talks: list[FakeTalk] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    async def begin(self) -> FakeTalk:
        token = f"{self.prefix}-{next(self.numbers)}"
        self.known.add(token)
        return self._talk(token, False)

    async def resume(self, token: str) -> FakeTalk | None:
        self.asked.append(token)
        await asyncio.sleep(0)
        return self._talk(token, True) if token in self.known else None

    async def forget(self, token: str) -> bool:
        self.asked.append(token)
        there = token in self.known
        self.known.discard(token)
        return there

    def _talk(self, token: str, came_back: bool) -> FakeTalk:
        assert token not in self.open, "one token has two visits"
        self.open.add(token)
        talk = FakeTalk(self, token, came_back)
        self.talks.append(talk)
        return talk


@dataclass
class World:
    """The application over two hospitals, and all that is behind it."""

    app: ASGIApp
    clock: FixedClock
    front: Front
    hanbit: FakeTalks
    onnuri: FakeTalks
    accesses: list[Access]

    def rooms(self, hospital: str = "hanbit") -> Rooms:
        return self.front.houses[hospital].rooms


def world(
    limits: WebLimits | None = None,
    origins: tuple[str, ...] = (),
    proxies: tuple[str, ...] = (),
) -> World:
    clock = FixedClock(NOW)
    gate = Gate(limits or WebLimits(), clock.mono)
    ids, lines = CountingIds(), Lines.load()
    desks = {"hanbit": FakeTalks(clock, "han"), "onnuri": FakeTalks(clock, "onn")}
    hospitals = {hospital.id: hospital for hospital in load_hospitals(None).all()}
    houses = {
        name: House(hospitals[name], Rooms(desk, ids, gate, clock.mono), lines)  # type: ignore[index]
        for name, desk in desks.items()
    }
    accesses: list[Access] = []
    front = Front(
        houses,
        gate,
        clock,
        b"secret",
        Origins.of(origins),
        Proxies.of(proxies),
        accesses.append,
    )
    app = create_app(front)
    return World(app, clock, front, desks["hanbit"], desks["onnuri"], accesses)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
