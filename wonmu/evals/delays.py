"""The delay table: a record system that answers late or never, on a line with sound (A1, A9).

Every cell is one call: what is waited for (the caller's bookings, free times, the commit), how long
the record system takes, and what the caller does meanwhile. Says of each cell what was heard; it
judges by the line's recording, never by what the code meant to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.evals.playing import hospital_named
from wonmu.hospital.config import Hospital
from wonmu.testing import (
    After,
    HangUp,
    Keys,
    LinePlan,
    LineResult,
    Say,
    Sound,
    Step,
    Waiting,
    play_line,
    uncued,
)
from wonmu.timeline.events import Event, Kind

NEVER = -1.0
"""The record system does not answer at all."""

DELAYS = (0.2, 1.0, 2.9, 5.0, 15.0, 60.0, NEVER)
"""Seconds per request."""

INTO = 1.0
"""Seconds into the wait at which the caller does something."""

CALLER = "01000001234"


class Waited(StrEnum):
    """What is slow."""

    LOOKUP = "lookup"
    SEARCH = "search"
    COMMIT = "commit"


class Meanwhile(StrEnum):
    """What the caller does while it is waited for."""

    NOTHING = "nothing"
    BARGE_IN = "barge_in"
    QUESTION = "question"
    PERSON = "person"
    HANG_UP = "hang_up"


class Limits(StrEnum):
    """``usual``: 3 s a request, 8 s a step. ``long``: 30 s and 60 s, where only words help."""

    USUAL = "usual"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class Cell:
    waited: Waited
    delay: float
    meanwhile: Meanwhile
    limits: Limits = Limits.USUAL

    def __str__(self) -> str:
        delay = "never" if self.delay == NEVER else f"{self.delay:g}s"
        return f"{self.waited}-{delay}-{self.meanwhile}-{self.limits}"


def cells() -> Iterator[Cell]:
    """All of them; the long limits only where they make a difference."""
    for waited in Waited:
        for delay in DELAYS:
            for meanwhile in Meanwhile:
                yield Cell(waited, delay, meanwhile)
                if delay == NEVER or delay > 2.9:
                    yield Cell(waited, delay, meanwhile, Limits.LONG)


_WORDS = {
    Meanwhile.BARGE_IN: "여보세요? 듣고 계세요?",
    Meanwhile.QUESTION: "주차 되나요?",
    Meanwhile.PERSON: "됐어요, 상담원이요",
}

_BEFORE: dict[Waited, tuple[Step, ...]] = {
    Waited.LOOKUP: (Say("예약 확인하고 싶어요"), Keys("850312"), Say("김민수")),
    Waited.SEARCH: (
        Say("내과 예약하고 싶어요"),
        Keys("850312"),
        Say("건강보험이요"),
        Say("김서연 원장님이요"),
        Say("다음 주 화요일 오전 열 시요"),
    ),
    Waited.COMMIT: (
        Say("내과 예약하고 싶어요"),
        Keys("850312"),
        Say("건강보험이요"),
        Say("김서연 원장님이요"),
        Say("다음 주 화요일 오전 열 시요"),
        Say("네"),
    ),
}

_BEGINS = {
    Waited.LOOKUP: After(Kind.LOOKUP_STARTED, INTO),
    Waited.SEARCH: After(Kind.SEARCH_STARTED, INTO, {"name": "slots"}),
    Waited.COMMIT: After(Kind.BOOKING_CONSENT, INTO),
}

DIRECT_OPS = {Waited.LOOKUP: "appointments", Waited.SEARCH: "find_slots", Waited.COMMIT: "book"}


def script_of(cell: Cell) -> tuple[Step, ...]:
    """What the caller does in that call."""
    begins = _BEGINS[cell.waited]
    if cell.meanwhile is Meanwhile.NOTHING:
        return (*_BEFORE[cell.waited], HangUp(at=Waiting(1.0)))
    if cell.meanwhile is Meanwhile.HANG_UP:
        return (*_BEFORE[cell.waited], HangUp(at=begins))
    words = Say(_WORDS[cell.meanwhile], at=begins)
    return (*_BEFORE[cell.waited], words, HangUp(at=Waiting(1.0)))


def faults_of(cell: Cell) -> FaultPlan:
    op = DIRECT_OPS[cell.waited]
    if cell.delay == NEVER:
        return FaultPlan((FaultRule(op, FaultKind.HANG),))
    return FaultPlan((FaultRule(op, FaultKind.LATENCY, seconds=cell.delay),))


def hospital_of(cell: Cell) -> Hospital:
    """The demo hospital that writes bookings directly, with the cell's limits."""
    hospital = hospital_named("onnuri" if cell.waited is Waited.COMMIT else "hanbit")
    if cell.limits is Limits.USUAL:
        return hospital
    emr = hospital.emr.model_copy(update={"request_seconds": 30.0, "tool_seconds": 60.0})
    return hospital.model_copy(update={"emr": emr})


def play(cell: Cell, data: Path | None = None) -> LineResult:
    """The cell's call."""
    plan = LinePlan(hospital_of(cell), CALLER, faults=faults_of(cell))
    return play_line(replace(plan, data=data) if data is not None else plan, script_of(cell))


@dataclass(frozen=True, slots=True)
class Heard:
    """What a cell's recording and timeline say."""

    silences: tuple[float, ...]
    """Seconds of each uncued silence above the limit."""
    fillers: int
    """The most that one wait had."""
    told: int
    """How often a result was told to its end."""
    begun: int
    """How often it was begun and cut."""
    failed: int
    """How often it was told that it could not be done now."""
    cancelled: bool
    """Whether the wait was ended by the caller."""


RESULTS = frozenset(
    {"own.told", "own.none", "booking.readback", "booking.offer", "booking.nearest"}
)
COMMITS = frozenset({"booking.confirmed", "booking.pending", "booking.not_written"})
FAILURES = frozenset(
    {"own.failed_person", "own.failed_callback", "booking.search_failed", "booking.failed_person"}
)


def heard(cell: Cell, result: LineResult) -> Heard:
    """Read the cell's call; ``told`` counts what came after the wait began."""
    begins = _begin(cell, result.events)
    after = [each for each in result.recording.sounds if begins is None or each.start >= begins]
    told = [each for each in after if _is_result(cell, each)]
    fillers: dict[object, int] = {}
    for event in result.events:
        if event.kind is Kind.LOOKUP_FILLER:
            fillers[event.data["id"]] = fillers.get(event.data["id"], 0) + 1
    settled = [e for e in result.events if e.kind in (Kind.LOOKUP_SETTLED, Kind.SEARCH_SETTLED)]
    return Heard(
        tuple(round(each.seconds, 1) for each in uncued(result.recording)),
        max(fillers.values(), default=0),
        sum(not each.cut for each in told),
        sum(each.cut for each in told),
        sum(each.line in FAILURES and not each.cut for each in after),
        any(event.data["outcome"] == "cancelled" for event in settled),
    )


def _is_result(cell: Cell, sound: Sound) -> bool:
    """Whether the agent tells what was waited for. A read-back may follow a side answer."""
    if cell.waited is Waited.COMMIT:
        return sound.line in COMMITS
    return sound.line in RESULTS or (sound.line == "model.answer" and READ_BACK in sound.text)


READ_BACK = "이대로 예약을 접수할까요?"


def _begin(cell: Cell, events: tuple[Event, ...]) -> float | None:
    kind, data = _BEGINS[cell.waited].kind, _BEGINS[cell.waited].data
    return next(
        (
            event.mono
            for event in events
            if event.kind is kind and all(event.data.get(name) == data[name] for name in data)
        ),
        None,
    )
