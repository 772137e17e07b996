"""The checks of holds, briefings and requests catch what must never happen (N3-N11)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from wonmu.ids import CallId
from wonmu.timeline.checks import CHECKS
from wonmu.timeline.events import Event, Kind, Status
from wonmu.timeline.masking import masked
from wonmu.timeline.view import CallView, Check

pytestmark = pytest.mark.unit

K = Kind
Line = tuple[float, Kind, dict[str, Any]]
ZERO = datetime(2026, 12, 1, 1, 0, tzinfo=UTC)

PERSON = {"tool": "connect_person", "action": "person.connect", "verdict": "Allow", "reason": ""}
GOING = {
    "text": "연결해 드리겠습니다.",
    "heard": "연결해 드리겠습니다.",
    "line": "transfer.connecting",
}


def transferred() -> list[Line]:
    """A request, a hold of nine seconds, a person, the end."""
    return [
        (0, K.CALL_STARTED, {"caller": "01000001234", "_span": "c"}),
        (1, K.CALLER_HEARD, {"text": "상담원 바꿔 주세요", "turn": 1}),
        (1, K.TOOL_STARTED, {"name": "connect_person", "_span": "t"}),
        (1, K.GATE_VERDICT, PERSON),
        (1, K.TASK_ENTERED, {"name": "transfer", "_span": "x"}),
        (1, K.TRANSFER_STARTED, {"attempt": 1, "to": "원무과"}),
        (1, K.AGENT_SPEAKING, GOING),
        (3, K.AGENT_SAID, GOING),
        (3, K.TRANSFER_HOLD, {"seconds": 0.0}),
        (6, K.TRANSFER_HOLD, {"seconds": 3.0}),
        (8, K.TRANSFER_BRIEFED, {"purpose": "상담원 바꿔 주세요", "patient": None}),
        (9, K.TRANSFER_HOLD, {"seconds": 6.0}),
        (10, K.TRANSFER_SETTLED, {"outcome": "connected", "reason": ""}),
        (10, K.TERMINAL_LATCHED, {"reason": "transfer_started"}),
        (10, K.TASK_LEFT, {"name": "transfer", "_span": "x", "_status": "success"}),
        (10, K.TOOL_ENDED, {"name": "connect_person", "_span": "t", "_status": "escalated"}),
        (10, K.CALL_ENDED, {"reason": "transferred", "_span": "c", "_status": "success"}),
    ]  # fmt: skip


def events_of(lines: list[Line]) -> tuple[Event, ...]:
    out = []
    for seq, (mono, kind, given) in enumerate(lines, start=1):
        data = {key: value for key, value in given.items() if not key.startswith("_")}
        status = given.get("_status")
        out.append(
            Event(
                call_id=CallId("call-1"),
                seq=seq,
                at=ZERO + timedelta(seconds=mono),
                mono=mono,
                kind=kind,
                status=Status(status) if status else None,
                span=given.get("_span"),
                data=data,
            )
        )
    return tuple(out)


def violated(lines: list[Line]) -> set[Check]:
    view = CallView(events=events_of(lines), inbox=(), secrets=("박영희",))
    out: set[Check] = set()
    for check, function in CHECKS.items():
        if check in (Check.N2, Check.N8, Check.N9):
            continue
        if function(view):
            out.add(check)
    return out


def without(kind: Kind, place: int = 0) -> Callable[[list[Line]], list[Line]]:
    def spoil(lines: list[Line]) -> list[Line]:
        at = [number for number, line in enumerate(lines) if line[1] is kind][place]
        return lines[:at] + lines[at + 1 :]

    return spoil


def after(kind: Kind, *more: Line) -> Callable[[list[Line]], list[Line]]:
    def spoil(lines: list[Line]) -> list[Line]:
        at = next(number for number, line in enumerate(lines) if line[1] is kind)
        return [*lines[: at + 1], *more, *lines[at + 1 :]]

    return spoil


def changed(kind: Kind, **data: Any) -> Callable[[list[Line]], list[Line]]:
    def spoil(lines: list[Line]) -> list[Line]:
        return [(m, k, {**d, **data} if k is kind else d) for m, k, d in lines]

    return spoil


def not_connected(lines: list[Line]) -> list[Line]:
    """Nobody answered, the caller hung up, and nothing was kept."""
    lines = changed(K.TRANSFER_SETTLED, outcome="no_answer")(lines)
    lines = without(K.TERMINAL_LATCHED)(lines)
    lines = after(K.TOOL_ENDED, (10, K.HANGUP, {}))(lines)
    return changed(K.CALL_ENDED, reason="caller_hangup")(lines)


def test_a_good_transfer_violates_nothing() -> None:
    assert violated(transferred()) == set()


WORDS = {"text": "감사합니다.", "heard": "감사합니다.", "line": "x", "final": True}
SPOILT: dict[str, tuple[Check, Callable[[list[Line]], list[Line]]]] = {
    "nobody asked": (Check.N4, without(K.GATE_VERDICT)),
    "dialled twice for one request": (
        Check.N4,
        after(K.TRANSFER_SETTLED, (10, K.TRANSFER_STARTED, {}), (10, K.TRANSFER_SETTLED, {})),
    ),
    "a goodbye between two people": (
        Check.N5,
        after(K.TERMINAL_LATCHED, (10, K.AGENT_SPEAKING, WORDS), (10, K.AGENT_SAID, WORDS)),
    ),
    "dialled after the end": (Check.N5, after(K.TERMINAL_LATCHED, (10, K.TRANSFER_STARTED, {}))),
    "briefed after the end": (Check.N5, after(K.TERMINAL_LATCHED, (10, K.TRANSFER_BRIEFED, {}))),
    "never settled": (Check.N7, without(K.TRANSFER_SETTLED)),
    "dialled again unsettled": (Check.N7, after(K.TRANSFER_STARTED, (1, K.TRANSFER_STARTED, {}))),
    "a request lost": (Check.N7, not_connected),
    "a tool on hold": (
        Check.N10,
        after(K.TRANSFER_BRIEFED, (8, K.GATE_VERDICT, {**PERSON, "tool": "cancel_booking"})),
    ),
    "silence on hold": (Check.N11, without(K.TRANSFER_HOLD, 1)),
    "a stranger named to staff": (Check.N3, changed(K.TRANSFER_BRIEFED, patient="박영희")),
}  # fmt: skip


@pytest.mark.parametrize("name", list(SPOILT))
def test_what_must_not_happen_is_caught(name: str) -> None:
    check, spoil = SPOILT[name]
    assert check in violated(spoil(transferred()))


@pytest.mark.parametrize(
    "kept",
    [
        (10, K.PROPOSAL_CLOSED, {"action": "note", "how": "declined"}),
        (10, K.FAULT, {"where": "inbox"}),
    ],
)
def test_a_request_taken_back_or_refused_by_a_broken_store_is_not_lost(kept: Line) -> None:
    lines = after(K.TRANSFER_SETTLED, kept)(not_connected(transferred()))
    assert Check.N7 not in violated(lines)


def test_without_a_number_there_was_nothing_to_keep() -> None:
    lines = changed(K.CALL_STARTED, caller=None)(not_connected(transferred()))
    assert Check.N7 not in violated(lines)


def test_a_verified_patient_may_be_named_to_staff() -> None:
    lines = changed(K.TRANSFER_BRIEFED, patient="박영희")(transferred())
    lines = after(K.CALL_STARTED, (0, K.IDENTITY_SETTLED, {"outcome": "verified"}))(lines)
    assert Check.N3 not in violated(lines)


def test_the_briefing_leaves_the_process_masked() -> None:
    lines = changed(K.TRANSFER_BRIEFED, patient="박영희", purpose="제 번호 010-0000-1234요")(
        transferred()
    )
    told = next(e for e in events_of(lines) if e.kind is K.TRANSFER_BRIEFED)
    out = str(masked(told).data)
    assert "박영희" not in out
    assert "01000001234" not in out
    assert "0000" not in out
