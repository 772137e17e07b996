"""Shared by the two error tables: what a caller wants, and how a call about it must end.

A *work* is something a caller wants, the request of the record system that it hangs on, and the
words of each ending. The tables make that request fail in every way and look at what was heard,
what was written down and what the stores hold.
"""

from __future__ import annotations

import asyncio
import functools
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from scenario_parts import CALLER, checked, heard_text, of_kind, words

from wonmu.clock import FixedClock
from wonmu.commands.common import moment_of
from wonmu.emr.failures import MEANING
from wonmu.errors import EmrFault
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, Row, hospital_named, stored
from wonmu.hospital.config import Fallback
from wonmu.lines import Lines
from wonmu.office import open_office
from wonmu.timeline.events import Event, Kind, Status

LINES = Lines.load("ko")

NOTHING = "없습니다"
"""What a failure must never sound like."""

BOOKED = ("own.told", "own.none", "booking.none", "booking.offer", "booking.nearest")
"""Lines that tell what a record system answered."""

PROMISES = ("확정되었", "예약이 취소되었", "예약이 변경되었", "예약은 취소되었")
"""Words for what is certain to be written."""


@dataclass(frozen=True, slots=True)
class Work:
    """``op``: the request of the port; ``stem``: the lines that tell a failure or an outcome.

    ``kind``: the inbox row of a write, empty for a read.
    """

    name: str
    lines: tuple[str, ...]
    op: str
    stem: str
    kind: str = ""

    def __str__(self) -> str:
        return self.name

    def talk(self, fault: EmrFault | None = None, hospital: str = "onnuri") -> Talk:
        """A search that may be tried again is tried again."""
        again = self is SEARCH and fault is not None and MEANING[fault].again
        lines = HANBIT_SEARCH if self is SEARCH and hospital == "hanbit" else self.lines
        return Talk(CALLER, NOW, (*lines, "네") if again else lines)


_WHO = ("#850312", "김민수")
_WHEN = "다음 주 화요일 오전 열 시요"
_SEARCH = ("내과 예약하고 싶어요", "#850312", "오세진 원장님이요", _WHEN)
HANBIT_SEARCH = ("내과 예약하고 싶어요", "#850312", "건강보험이요", "김서연 원장님이요", _WHEN)
"""That hospital asks for the insurance kind and has other doctors."""

INQUIRY = Work("inquiry", ("예약 확인하고 싶어요", *_WHO), "appointments", "own.failed")
SEARCH = Work("search", _SEARCH, "find_slots", "booking.failed")
BOOK = Work("book", (*_SEARCH, "네"), "book", "booking", "booking_request")
CHANGE = Work(
    "change",
    ("예약 변경하고 싶어요", *_WHO, "네", _WHEN, "네"),
    "reschedule",
    "own.change",
    "change_request",
)
CANCEL = Work(
    "cancel", ("예약 취소하고 싶어요", *_WHO, "네"), "cancel", "own.cancel", "cancel_request"
)

READS = (INQUIRY, SEARCH)
WRITES = (BOOK, CHANGE, CANCEL)


def clause(fault: EmrFault) -> str:
    """Why it could not be done, as a caller hears it."""
    return LINES.say(f"fault.{fault.value}")


def line_of(work: Work, ending: str) -> str:
    """The line that tells this ending of a write."""
    return f"{work.stem}_{ending}" if "." in work.stem else f"{work.stem}.{ending}"


# Fresh data, without filling a calendar for each call ---------------------------------------------


@functools.cache
def _filled(name: str) -> tempfile.TemporaryDirectory[str]:
    folder, hospital = tempfile.TemporaryDirectory(prefix="wonmu-errors-"), hospital_named(name)

    async def fill() -> None:
        office = await open_office(hospital, Path(folder.name), FixedClock(moment_of(NOW)))
        await office.close()

    asyncio.run(fill())
    return folder


def fresh(name: str, into: Path) -> Path:
    """A copy of the data folder that a new hospital has."""
    return Path(shutil.copytree(_filled(name).name, into))


@functools.cache
def before(name: str) -> tuple[Row, ...]:
    """The appointments of a new hospital."""
    return appointments(stored(hospital_named(name), Path(_filled(name).name))[1])


def appointments(records: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(row for row in records if row["kind"] == "appointment")


# What must hold -----------------------------------------------------------------------------------


def story(call: Played) -> str:
    return "\n".join(words(call.events))


def lines_of(call: Played) -> list[str]:
    return [str(event.data["line"]) for event in of_kind(call, Kind.AGENT_SAID)]


def failed_requests(call: Played) -> list[tuple[str, str]]:
    return [(str(e.data["op"]), str(e.data["fault"])) for e in of_kind(call, Kind.EMR_FAILED)]


def check_read(call: Played, work: Work, fault: EmrFault, fallback: Fallback) -> None:
    """The read failed, was told as a failure with its own reason, and staff has a note."""
    checked(call)
    tries = 2 if work is SEARCH and MEANING[fault].again else 1
    assert call.status == 0, story(call)
    assert failed_requests(call) == [(work.op, fault.value)] * tries, story(call)
    settled = _settled(call, work)
    assert [(e.status, e.data["outcome"], e.data["fault"]) for e in settled] == [
        (Status.ERROR, "error", fault.value)
    ] * tries
    ending = "person" if fallback is Fallback.PERSON else "callback"
    assert lines_of(call)[-1] == f"{work.stem}_{ending}", story(call)
    assert ("booking.search_failed" in lines_of(call)) is (tries == 2)
    last = str(of_kind(call, Kind.AGENT_SAID)[-1].data["heard"])
    assert clause(fault) in last
    assert not set(lines_of(call)) & set(BOOKED), story(call)
    assert NOTHING not in heard_text(call)
    assert [(row["kind"], row["state"]) for row in call.inbox] == [("callback", "open")]
    assert not of_kind(call, Kind.BOOKING_COMMITTED)


def _settled(call: Played, work: Work) -> list[Event]:
    if work is INQUIRY:
        return of_kind(call, Kind.LOOKUP_SETTLED)
    found = of_kind(call, Kind.SEARCH_SETTLED)
    return [event for event in found if event.data["name"] == "slots"]


def check_write(call: Played, work: Work, ending: str, reason: str | None = None) -> None:
    """The write ended so, was told so and in no other words, and staff has the request.

    ``reason``: the fault or the rule that is told; None where nothing is known of it.
    """
    checked(call)
    assert call.status == 0, story(call)
    (settled,) = of_kind(call, Kind.COMMIT_SETTLED)
    assert (settled.data["outcome"], settled.data.get("reason")) == (ending, reason), story(call)
    (committed,) = of_kind(call, Kind.BOOKING_COMMITTED)
    assert committed.data["written"] == ending
    assert lines_of(call)[-1] == line_of(work, ending), story(call)
    assert NOTHING not in heard_text(call)
    why = told_reason(ending, reason)
    assert why is None or why in str(of_kind(call, Kind.AGENT_SAID)[-1].data["heard"])
    sure = ending == "confirmed"
    assert any(words in heard_text(call) for words in PROMISES) is sure, story(call)
    assert [(row["kind"], row["state"]) for row in call.inbox] == [
        (work.kind, "done" if sure else "open")
    ]


def told_reason(ending: str, reason: str | None) -> str | None:
    """The clause that a caller hears for the reason of this ending."""
    match ending, reason:
        case "not_written", str(fault):
            return clause(EmrFault(fault))
        case "refused", str(rule):
            return LINES.say(f"rule.{rule}" if LINES.has(f"rule.{rule}") else "rule.other")
        case _:
            return None
