"""Delegate or hand over: the same requests both ways, in one run (H1, H2, S10).

Counts what a model endpoint was sent and when the caller first heard something; decides nothing
about which way is better. Every model call takes the same time on the conversation's own clock, so
that the seconds are those of the boundary and not of this machine.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Literal

import yaml

from wonmu.call.deps import Desk
from wonmu.call.session import Call
from wonmu.chat import ChatDoor
from wonmu.commands.common import moment_of
from wonmu.hospital.config import Hospital
from wonmu.ids import CountingIds
from wonmu.korean.won import read_won
from wonmu.loop import INSTANT, LoopClock, run
from wonmu.model.port import ChatRequest, Delta, Rung
from wonmu.office import Office, open_office
from wonmu.text.conversation import Conversations
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.record import Recorder

Channel = Literal["text", "voice"]
CHANNELS: tuple[Channel, ...] = ("text", "voice")

NOW = "2026-12-01T10:00+09:00"
CALLER = "01000001234"
WHO = {"identity.birth": "850312", "identity.name": "김민수"}
"""Answers to the desk's questions about the demo patient, by the stem of their line."""

BYTES_A_TOKEN = 4
"""Tokens are estimated: one for four bytes of the request's JSON in UTF-8."""

_STEPS = ('"invoices"', '"refunds"', '"refund_offer"', '"receipt_offer"', '"certificates"')
"""What only the results of specialist tools hold."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request: lines of the caller, what must be heard at the end, where the topic changes."""

    name: str
    lines: tuple[str, ...]
    hears: tuple[str | int, ...]
    switch: int | None = None


@dataclass(slots=True)
class Asked:
    """One model call."""

    request: ChatRequest
    turn: int

    @property
    def bytes(self) -> int:
        sent = {"m": [dict(m) for m in self.request.messages], "t": list(self.request.tools)}
        return len(json.dumps(sent, ensure_ascii=False).encode())

    @property
    def text(self) -> str:
        return json.dumps([dict(m) for m in self.request.messages], ensure_ascii=False)

    @property
    def inner(self) -> bool:
        """Whether a specialist in its own window asked."""
        return "과제: specialist_" in self.text

    @property
    def billing(self) -> bool:
        """Whether whoever asked has billing tools of its own."""
        return "lookup_invoice" in self.request.tool_names() or "certificate_fee" in (
            self.request.tool_names()
        )


@dataclass
class Meter:
    """A rung that counts and takes its time."""

    inner: Rung
    seconds: float
    asked: list[Asked] = field(default_factory=list)
    turn: int = 0

    @property
    def name(self) -> str:
        return self.inner.name

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.asked.append(Asked(request, self.turn))
        if self.seconds:
            await asyncio.sleep(self.seconds)
        async for delta in self.inner.open(request):
            yield delta


@dataclass(frozen=True, slots=True)
class Outcome:
    """One request, one way. Seconds are those of the conversation's clock."""

    request: Request
    asked: tuple[Asked, ...]
    first_word: tuple[float, ...]
    """For each of the caller's own lines: until the desk's first word after it."""
    solved: bool
    switched: float | None
    """Seconds from the change of topic to the first word after it; None: no change, or wrong."""
    switch_calls: int


def requests_of() -> tuple[Request, ...]:
    """The twenty requests."""
    text = files("wonmu.evals").joinpath("desk_requests.yaml").read_text(encoding="utf-8")
    return tuple(
        Request(
            entry["name"],
            tuple(str(line) for line in entry["lines"]),
            tuple(entry["hears"]),
            entry.get("switch"),
        )
        for entry in yaml.safe_load(text)
    )


class Caller:
    """Gives the lines of one request, and answers who they are; notes when it heard what."""

    def __init__(self, request: Request, meter: Meter, recorder: Recorder) -> None:
        self._left = list(request.lines)
        self._meter = meter
        self._events = recorder
        self.given = 0
        self.marks: list[tuple[int, float]] = []
        """Index into the events and time on the call's clock, for each own line."""

    def following(self) -> str | None:
        """The next line: an answer to the desk's question, else the next of its own."""
        if (answer := self._answer()) is not None:
            return answer
        if not self._left:
            return None
        self.given += 1
        self._meter.turn = self.given
        events = self._events.events
        self.marks.append((len(events), events[-1].mono if events else 0.0))
        return self._left.pop(0)

    def _answer(self) -> str | None:
        said = [e for e in self._events.events if e.kind is Kind.AGENT_SAID]
        line = str(said[-1].data.get("line") or "") if said else ""
        return next((words for stem, words in WHO.items() if line.startswith(stem)), None)

    # As the terminal door reads lines.

    async def next(self) -> str | None:
        line = self.following()
        return f"#{line}" if line is not None and line.isdigit() else line

    def peek(self) -> str | None:
        return None


async def ask_text(office: Office, request: Request, meter: Meter) -> tuple[Caller, list[Event]]:
    """The request over the text desk."""
    tokens = iter(f"bench-{number}" for number in range(1_000))
    async with Conversations.opened(office, CountingIds(), lambda: next(tokens), (meter,)) as talks:
        talk = await talks.begin(CALLER)
        caller = Caller(request, meter, talk.recorder)
        await talk.start()
        while not talk.closed and (line := caller.following()) is not None:
            await talk.says(line)
        await talk.end("caller_hangup")
        return caller, talk.recorder.events


async def ask_voice(office: Office, request: Request, meter: Meter) -> tuple[Caller, list[Event]]:
    """The request over the phone."""
    desk = Desk.of(office, CountingIds(), (meter,), rungs=(meter,))
    call = Call(desk, CALLER)
    caller = Caller(request, meter, call.recorder)
    await ChatDoor(call, caller).run()
    return caller, call.recorder.events


def ask(hospital: Hospital, channel: Channel, request: Request, rung: Rung, pace: float) -> Outcome:
    """One request on fresh stores."""
    meter = Meter(rung, pace)

    async def played() -> tuple[Caller, list[Event]]:
        with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as folder:
            office = await open_office(hospital, Path(folder), LoopClock(moment_of(NOW)))
            try:
                asking = ask_text if channel == "text" else ask_voice
                return await asking(office, request, meter)
            finally:
                await office.close()

    caller, events = run(played, speed=INSTANT)
    return _outcome(request, meter, caller, events)


def _outcome(request: Request, meter: Meter, caller: Caller, events: list[Event]) -> Outcome:
    waits = tuple(_first_word(events, *mark) for mark in caller.marks)
    last = caller.marks[-1][0] if caller.marks else 0
    said = " ".join(str(e.data["heard"]) for e in events[last:] if e.kind is Kind.AGENT_SAID)
    asked_all = len(caller.marks) == len(request.lines)
    solved = asked_all and all(_in(each, said) for each in request.hears)
    switch = request.switch
    right = switch is not None and solved and len(waits) >= switch
    return Outcome(
        request,
        tuple(meter.asked),
        tuple(each for each in waits if each is not None),
        solved,
        waits[switch - 1] if right and switch is not None else None,
        sum(each.turn == switch for each in meter.asked) if switch is not None else 0,
    )


def _first_word(events: list[Event], start: int, at: float) -> float | None:
    """Seconds from a caller's line to the desk's first word, on the call's clock."""
    spoken = (Kind.AGENT_SPEAKING, Kind.AGENT_SAID)
    heard = next((e for e in events[start:] if e.kind is Kind.CALLER_HEARD), None)
    began = heard.mono if heard is not None else at
    said = (e.mono for e in events[start:] if e.kind in spoken and e.mono >= began)
    first = next(said, None)
    return None if first is None else first - began


def _in(wanted: str | int, said: str) -> bool:
    return wanted in read_won(said) if isinstance(wanted, int) else wanted in said


def shows_steps(asked: Asked) -> bool:
    """Whether the request holds a result of a specialist's tool."""
    return any(each in asked.text.replace("\\", "") for each in _STEPS)
