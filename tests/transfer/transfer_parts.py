"""Calls with people behind the desk's line, for the tests of transfer, call back and memo."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wonmu.call.deps import Desk
from wonmu.call.session import Call
from wonmu.chat import ChatDoor, Script
from wonmu.commands.common import moment_of
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.config import Hospital
from wonmu.hospital.hours import Calendar
from wonmu.ids import CountingIds
from wonmu.lines import Lines
from wonmu.loop import INSTANT, LoopClock, run
from wonmu.office import open_office
from wonmu.timeline.events import Event, Kind
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Attempt, ScriptedLine

CALLER = "01000001234"
PERSON = "상담원 바꿔 주세요"

BEFORE = {
    "supervisor": (),
    "identity": ("내과 예약하고 싶어요",),
    "readback": (
        "내과 예약하고 싶어요",
        "#850312",
        "건강보험이요",
        "김서연 원장님이요",
        "다음 주 화요일 오후 세 시요",
    ),
}
"""Caller lines that lead to a place in the talk of 한빛병원."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """``seconds`` after the ``number``-th event of ``kind``, wherever the talk is then."""

    kind: Kind
    seconds: float
    number: int = 1


def line_of(*attempts: Attempt | Outcome) -> ScriptedLine:
    return ScriptedLine(tuple(a if isinstance(a, Attempt) else Attempt(a) for a in attempts))


def played(
    lines: Sequence[str],
    staff: ScriptedLine | None = None,
    *,
    at: Hospital | None = None,
    caller: str | None = CALLER,
    now: str = NOW,
    leaving: HangUp | None = None,
) -> Played:
    """One call on fresh data, with every check run; fails if one was violated."""
    hospital = at or hospital_named("hanbit")
    talk = Talk(caller, now, tuple(lines))
    with tempfile.TemporaryDirectory(prefix="wonmu-transfer-") as folder:
        data = Path(folder) / "data"
        shutil.copytree(_fresh_stores(hospital.id, now), data)
        events = run(lambda: _call(hospital, talk, data, staff, leaving), speed=INSTANT)
        call = judged(hospital, talk, (0, events), data)
    assert call.checks.clean, f"{call.checks.violations}\n{talk_of(call)}"
    return call


@cache
def _fresh_stores(hospital: str, now: str) -> Path:
    """The stores of a hospital on which nobody has called yet. Filling them takes longest."""
    folder = Path(tempfile.mkdtemp(prefix="wonmu-stores-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

    async def fill() -> None:
        office = await open_office(hospital_named(hospital), folder, LoopClock(moment_of(now)))
        await office.close()

    run(fill, speed=INSTANT)
    return folder


async def _call(
    hospital: Hospital, talk: Talk, data: Path, staff: ScriptedLine | None, leaving: HangUp | None
) -> tuple[Event, ...]:
    clock = LoopClock(moment_of(talk.now))
    office = await open_office(hospital, data, clock)
    try:
        desk = Desk(
            hospital=hospital,
            calendar=Calendar(hospital),
            catalog=Catalog(hospital),
            lines=Lines.load("ko"),
            emr=office.emr,
            inbox=office.inbox,
            clock=clock,
            ids=CountingIds(),
            staff=staff,
        )
        call = Call(desk, talk.caller)
        if leaving is not None:
            _leave(call, leaving)
        await ChatDoor(call, Script(list(talk.lines))).run()
        return tuple(call.recorder.events)
    finally:
        await office.close()


def _leave(call: Call, leaving: HangUp) -> None:
    seen = 0

    def watch(event: Event) -> None:
        nonlocal seen
        seen += event.kind is leaving.kind
        if event.kind is leaving.kind and seen == leaving.number:
            asyncio.get_running_loop().call_later(leaving.seconds, call.caller_gone)

    call.recorder.add_sink(watch)


def of_kind(call: Played, *kinds: Kind) -> list[Event]:
    return [event for event in call.events if event.kind in kinds]


def outcomes(call: Played) -> list[str]:
    return [str(event.data["outcome"]) for event in of_kind(call, Kind.TRANSFER_SETTLED)]


def said(call: Played) -> str:
    """What the agent was heard to say."""
    return "\n".join(str(event.data["heard"]) for event in of_kind(call, Kind.AGENT_SAID))


def lines_said(call: Played) -> list[str]:
    return [str(event.data["line"]) for event in of_kind(call, Kind.AGENT_SAID)]


def ended(call: Played) -> str:
    return str(call.events[-1].data["reason"])


def notes(call: Played) -> list[str]:
    return [str(row["kind"]) for row in call.inbox]


def talk_of(call: Played) -> str:
    out = []
    for event in call.events:
        if event.kind is Kind.AGENT_SAID:
            out.append(f"상담원: {event.data['heard']}")
        elif event.kind is Kind.CALLER_HEARD:
            out.append(f"고객:   {event.data['text']}")
        elif event.kind in (Kind.TRANSFER_SETTLED, Kind.MEMO_STORED, Kind.CALL_ENDED, Kind.FAULT):
            out.append(f"        {event.kind.value} {dict(event.data)}")
    return "\n".join(out)
