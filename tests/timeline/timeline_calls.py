"""Whole calls as lists of events, for the timeline tests: good ones, to be spoilt on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from wonmu.clock import SEOUL
from wonmu.ids import CallId
from wonmu.timeline.checks import CHECKS
from wonmu.timeline.events import Event, Kind, Status
from wonmu.timeline.spoken import birth_spellings
from wonmu.timeline.view import CallView, Check, InboxRow, Scope, Violation

K = Kind
START = datetime(2026, 12, 8, 10, 30, tzinfo=SEOUL)
READBACK = "내과 김서연 원장님, 12월 8일 화요일 오전 열 시 삼십 분으로 접수해 드릴까요?"
ZERO = datetime(2026, 12, 1, 1, 0, tzinfo=UTC)

Line = tuple[float, Kind, Mapping[str, Any]]


def build(lines: list[Line], call: str = "call-1") -> tuple[Event, ...]:
    """Events from (mono, kind, data); ``_span`` and ``_status`` in data go to their places."""
    return tuple(_event(seq, line, call) for seq, line in enumerate(lines, start=1))


def _event(seq: int, line: Line, call: str) -> Event:
    mono, kind, given = line
    data = {k: v for k, v in given.items() if not k.startswith("_")}
    status = given.get("_status")
    return Event(
        call_id=CallId(call),
        seq=seq,
        at=ZERO + timedelta(seconds=mono),
        mono=mono,
        kind=kind,
        status=Status(status) if status else None,
        span=given.get("_span"),
        data=data,
    )


def said(mono: float, text: str, turn: int, line: str = "model", **more: Any) -> list[Line]:
    """The agent's words: begun at ``mono``, heard in full one second later."""
    return [
        (mono, K.AGENT_SPEAKING, {"text": text, "turn": turn, "line": line}),
        (mono + 1, K.AGENT_SAID, {"text": text, "heard": text, "turn": turn, "line": line, **more}),
    ]


def heard(mono: float, text: str, turn: int) -> Line:
    return (mono, K.CALLER_HEARD, {"text": text, "turn": turn, "barge_in": False})


CREATE = {"tool": "create_booking", "action": "booking.create", "verdict": "allow", "reason": ""}
ANSWER = 17
"""Place (from 0) of the caller's yes in ``booking_lines``."""


def booking_lines() -> list[Line]:
    """A booking request from greeting to hang-up."""
    return [
        (0, K.CALL_STARTED, {"hospital": "h", "caller": "01000001234", "_span": "c"}),
        *said(0.2, "안녕하세요, 인공지능 상담원입니다.", 0, "greeting"),
        heard(3, "내과 예약하고 싶어요", 1),
        (3.1, K.GATE_VERDICT, CREATE),
        (3.1, K.TOOL_STARTED, {"name": "create_booking", "_span": "t"}),
        (3.1, K.TASK_ENTERED, {"name": "identity", "_span": "i"}),
        (3.2, K.IDENTITY_SETTLED, {"outcome": "verified"}),
        (
            3.2,
            K.TASK_LEFT,
            {"name": "identity", "outcome": "completed", "_span": "i", "_status": "success"},
        ),
        (3.2, K.TASK_ENTERED, {"name": "booking", "_span": "b"}),
        (3.4, K.BOOKING_SEARCHED, {"count": 3, "as_of": "2026-12-01T10:00:03+09:00"}),
        (
            3.5,
            K.BOOKING_STAGED,
            {
                "digest": "d1",
                "slot_id": "s1",
                "start": START.isoformat(),
                "department": "내과",
                "doctor": "김서연",
            },
        ),
        (3.5, K.BOOKING_READBACK, {"digest": "d1", "text": READBACK, "turn": 1}),
        *said(3.6, READBACK, 1, "booking.readback"),
        (4.6, K.TURN_WAITING, {"turn": 1}),
        (4.6, K.PROPOSAL_OPENED, {"action": "booking.create"}),
        heard(6, "네, 그렇게 해 주세요", 2),
        (
            6.1,
            K.BOOKING_CONSENT,
            {"digest": "d1", "words": "네, 그렇게 해 주세요", "turn": 2},
        ),
        (6.3, K.BOOKING_COMMITTED, {"key": "k1", "mode": "request", "digest": "d1"}),
        (6.3, K.TASK_LEFT, {"name": "booking", "outcome": "completed", **_end("b")}),
        (6.3, K.TOOL_ENDED, {"name": "create_booking", "status": "success", **_end("t")}),
        (6.4, K.TERMINAL_LATCHED, {"reason": "booking_requested"}),
        *said(6.5, "예약 요청이 접수되었습니다.", 2, "booking.recorded", final=True),
        (9, K.HANGUP, {}),
        (9.5, K.CALL_ENDED, {"reason": "caller_hangup", **_end("c")}),
    ]


def _end(span: str) -> dict[str, str]:
    return {"_span": span, "_status": "success"}


ROW = InboxRow(
    kind="booking_request",
    key="k1",
    call_id="call-1",
    patient="김민수|1985-03-12|01000001234",
    department="내과",
    doctor="김서연",
    start=START,
    slot_id="s1",
)
SCOPE = Scope(
    departments=frozenset({"내과", "정형외과"}),
    doctors=frozenset({"김서연", "박도윤"}),
    earliest=datetime(2026, 12, 1, 11, 0, tzinfo=SEOUL),
    latest=datetime(2026, 12, 31, 18, 0, tzinfo=SEOUL),
    doctor_departments={"김서연": frozenset({"내과"}), "박도윤": frozenset({"정형외과"})},
)


def view(lines: list[Line] | None = None, **more: Any) -> CallView:
    """A view of ``lines`` (the good booking by default) with its inbox row and lists."""
    given = {"inbox": (ROW,), "scope": SCOPE, **more}
    return CallView(events=build(booking_lines() if lines is None else lines), **given)


Spoil = Callable[[list[Line]], list[Line]]


def drop(kind: Kind) -> Spoil:
    return lambda lines: [line for line in lines if line[1] is not kind]


def put(place: int, *more: Line) -> Spoil:
    """Insert before index ``place``."""
    return lambda lines: [*lines[:place], *more, *lines[place:]]


def put_after(kind: Kind, *more: Line) -> Spoil:
    def spoil(lines: list[Line]) -> list[Line]:
        place = [line[1] for line in lines].index(kind) + 1
        return put(place, *more)(lines)

    return spoil


def change(kind: Kind, **data: Any) -> Spoil:
    return lambda lines: [
        (mono, k, {**old, **data}) if k is kind else (mono, k, old) for mono, k, old in lines
    ]


def later(place: int, seconds: float) -> Spoil:
    """Everything from index ``place`` on happens ``seconds`` later."""
    return lambda lines: [
        (mono + seconds if index >= place else mono, kind, data)
        for index, (mono, kind, data) in enumerate(lines)
    ]


def row(**changes: Any) -> InboxRow:
    return replace(ROW, **changes)


MEMO: Line = (8, K.MEMO_STORED, {"key": "m1", "note_kind": "callback"})
SECOND = (6.35, K.BOOKING_COMMITTED, {"key": "k2", "mode": "request", "digest": "d1"})
BORN = date(1985, 3, 12)
PRIVATE = ("850312", *birth_spellings(BORN))


def found(check: Check, given: CallView) -> tuple[Violation, ...]:
    return CHECKS[check](given)


def spoilt(*spoils: Spoil, **more: Any) -> CallView:
    lines = booking_lines()
    for spoil in spoils:
        lines = spoil(lines)
    return view(lines, **more)
