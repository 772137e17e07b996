"""The delay table: late and silent record systems, on a line with sound (A1, A3, A5, A9, N7, N11).

Judged by the line's recording. The figures of all cells together are printed by ``make delays``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from wonmu.commands.reconcile import ReconcileOptions, run_reconcile
from wonmu.emr.port import AppointmentStatus
from wonmu.evals.delays import (
    CALLER,
    NEVER,
    Cell,
    Heard,
    Limits,
    Meanwhile,
    Waited,
    cells,
    heard,
    hospital_of,
    play,
)
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Row, judged
from wonmu.testing import LineResult
from wonmu.timeline.events import Event, Kind, Status

pytestmark = pytest.mark.scenario

LATER = "2026-12-01T10:05+09:00"

ALL = list(cells())


@pytest.mark.parametrize("cell", ALL, ids=str)
def test_delay(cell: Cell) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result = play(cell, Path(folder))
        talk = Talk(CALLER, NOW, ())
        played = judged(hospital_of(cell), talk, (result.status, result.events), Path(folder))
        if cell.waited is Waited.COMMIT:
            later = ReconcileOptions(data=folder, hospital="onnuri", now=LATER)
            assert run_reconcile(later) == 0
            after = judged(hospital_of(cell), talk, (result.status, result.events), Path(folder))
            _written_once(cell, after.inbox, after.records)
    found = heard(cell, result)
    story = "\n".join(
        f"{s.start:.1f}-{s.end:.1f} {s.line} {s.text}" for s in result.recording.sounds
    )
    assert result.status == 0, story
    assert played.checks.clean, (played.checks.violations, story)
    assert found.silences == (), (found, story)
    assert found.fillers <= hospital_of(cell).silence.fillers, (found, story)
    _every_wait_ended_once(result)
    _told_as_it_should_be(cell, found, result, story)


def _every_wait_ended_once(result: LineResult) -> None:
    started = [
        e.span for e in result.events if e.kind in (Kind.LOOKUP_STARTED, Kind.SEARCH_STARTED)
    ]
    ended = [e.span for e in result.events if e.kind in (Kind.LOOKUP_SETTLED, Kind.SEARCH_SETTLED)]
    assert sorted(map(str, started)) == sorted(map(str, ended))
    hung_up = [event.mono for event in result.events if event.kind is Kind.HANGUP]
    closed = [event.mono for event in result.events if event.kind is Kind.CALL_ENDED]
    assert len(closed) == 1
    assert not hung_up or closed[0] - hung_up[0] < 5.0


def _told_as_it_should_be(cell: Cell, found: Heard, result: LineResult, story: str) -> None:
    """The result once, or after cancelling never; a failure as a failure, and once."""
    if cell.meanwhile is Meanwhile.HANG_UP:
        assert found.told + found.failed <= 1, story
        return
    if cell.waited is Waited.COMMIT:
        # A write is never cancelled, so how it ended is always told, once.
        assert (found.told, found.failed) == (1, 0), story
        return
    if found.cancelled:
        assert cell.meanwhile is Meanwhile.PERSON, story
        assert (found.told, found.begun, found.failed) == (0, 0, 0), story
        return
    if cell.meanwhile is Meanwhile.PERSON:
        # It was settled before the wish was understood; whoever wants a person now is not held up.
        assert found.told + found.failed <= 1, story
        return
    in_time = cell.delay != NEVER and cell.delay < (3.0 if cell.limits is Limits.USUAL else 30.0)
    assert (found.told, found.failed) == ((1, 0) if in_time else (0, 1)), story


def _written_once(cell: Cell, rows: Sequence[Row], records: Sequence[Row]) -> None:
    """Whatever was heard: the consented booking stands once, and the inbox says so (N2, N7)."""
    requests = [row["state"] for row in rows if row["kind"] == "booking_request"]
    booked = [
        row["patient_id"]
        for row in records
        if row["kind"] == "appointment"
        and row["status"] == AppointmentStatus.BOOKED
        and row["key"] is not None
    ]
    assert (requests, len(booked)) == (["done"], 1)


def test_a_cancelled_lookup_is_written_down_as_cancelled() -> None:
    result = play(Cell(Waited.LOOKUP, 15.0, Meanwhile.PERSON, Limits.LONG))
    (settled,) = [e for e in result.events if e.kind is Kind.LOOKUP_SETTLED]
    assert (settled.status, settled.data["outcome"]) == (Status.CANCELLED, "cancelled")
    assert settled.data["reason"] == "staff_connection"
    assert _lines(result.events)[-1].startswith(("transfer.", "callback."))


def _lines(events: tuple[Event, ...]) -> list[str]:
    return [str(e.data["line"]) for e in events if e.kind is Kind.AGENT_SAID]
