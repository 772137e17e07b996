"""``wonmu figures`` says what was measured, of how many, and when nothing was (A1)."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wonmu.cli import app
from wonmu.clock import SEOUL, FixedClock
from wonmu.commands.figures import show_figures, words
from wonmu.errors import InputError
from wonmu.ids import CallId, CountingIds
from wonmu.place import TIMELINE_FILE
from wonmu.timeline.events import Kind
from wonmu.timeline.figures import figures
from wonmu.timeline.record import Recorder
from wonmu.timeline.store import TimelineStore

pytestmark = pytest.mark.service

Line = tuple[float, Kind, dict[str, object]]


def kept(folder: Path, *calls: tuple[Line, ...]) -> None:
    """Store calls, each a list of (seconds since the last event, kind, data)."""

    async def main() -> None:
        store = await TimelineStore.open(str(folder / TIMELINE_FILE))
        for number, lines in enumerate(calls):
            clock = FixedClock(datetime(2026, 12, 1, 10, number, tzinfo=SEOUL))
            recorder = Recorder(CallId(f"call-{number}"), clock, CountingIds())
            recorder.add_sink(store.sink(recorder))
            for passed, kind, data in lines:
                clock.advance(passed)
                recorder.write(kind, data)
        assert await store.close() == 0

    asyncio.run(main())


HEARD: Line = (1.0, Kind.CALLER_HEARD, {"text": "제 예약이요", "turn": 1})
TOLD: Line = (0.5, Kind.AGENT_SPEAKING, {"text": "네.", "turn": 1})
START: Line = (0.25, Kind.LOOKUP_STARTED, {"name": "bookings", "id": "a"})
FAILED: Line = (3.0, Kind.EMR_FAILED, {"op": "appointments", "fault": "timeout"})
FILLED: Line = (0.0, Kind.LOOKUP_FILLER, {"id": "a", "number": 1})
END: Line = (0.0, Kind.LOOKUP_SETTLED, {"id": "a", "outcome": "error", "fault": "timeout"})
LOST: Line = (2.0, Kind.HANGUP, {})


def test_in_plain_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(tmp_path, (HEARD, START, TOLD, FAILED, FILLED, END), (HEARD, LOST))
    show_figures(str(tmp_path), None, False)
    assert capsys.readouterr().out.splitlines() == [
        "2 calls",
        "agent's first sound after the caller: "
        "p50 0.75 s, p90 0.75 s, p95 0.75 s, longest 0.75 s, of 1 wait",
        "ended with the call before a sound: 1 of 2 waits",
        "record system's answer: p50 3.50 s, p90 3.50 s, p95 3.50 s, longest 3.50 s, of 1 lookup",
        "lookups: 1 (error 1)",
        "explained silences: 1 in 1 lookup",
        "failed requests: 1 (timeout 1)",
        "requests sent again: 0",
        "the breaker opened: 0 times",
    ]


def test_as_json_one_figure_a_line(tmp_path: Path) -> None:
    kept(tmp_path, (HEARD, START, TOLD, END))
    result = CliRunner().invoke(app, ["figures", "--data", str(tmp_path), "--json"])
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.output.splitlines()]
    named = {row["name"]: row for row in rows}
    first = named["agent's first sound after the caller, p90"]
    assert (first["value"], first["unit"], first["of"], first["of_what"]) == (0.75, "s", 1, "waits")
    assert named["record system's answer, p50"]["value"] == 0.5


def test_nothing_measured_is_said_in_words() -> None:
    assert list(words(figures([]))) == [
        "0 calls",
        "agent's first sound after the caller: no waits",
        "record system's answer: no lookups",
        "failed requests: 0",
        "requests sent again: 0",
        "the breaker opened: 0 times",
    ]


def test_a_lookup_that_never_ended_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path, (START,))
    show_figures(str(tmp_path), None, False)
    told = capsys.readouterr().out.splitlines()
    assert "record system's answer: no lookups" in told
    assert "lookups: 1 (without an end 1)" in told


def test_a_folder_without_a_timeline_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no timeline"):
        show_figures(str(tmp_path), None, False)
    assert list(tmp_path.iterdir()) == [], "looking must not make a store"
