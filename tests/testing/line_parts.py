"""Calls on the simulated line, for the tests beside this file."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged
from wonmu.testing import Keys, LinePlan, LineResult, Say, Sound, Step, Track, play_line
from wonmu.timeline.events import Event, Kind

CALLER = "01000001234"
HANBIT = hospital_named("hanbit")

TO_READ_BACK: tuple[Step, ...] = (
    Say("내과 예약하고 싶어요"),
    Keys("850312"),
    Say("건강보험이요"),
    Say("김서연 원장님이요"),
    Say("다음 주 화요일 오전 열 시요"),
)
"""Steps after which the agent reads the booking back."""

CHAT_LINES = (
    "내과 예약하고 싶어요",
    "#850312",
    "건강보험이요",
    "김서연 원장님이요",
    "다음 주 화요일 오전 열 시요",
    "네",
)
"""The same booking through the chat door, with its yes."""


def plan(**changed: object) -> LinePlan:
    return replace(LinePlan(HANBIT, CALLER), **changed)  # type: ignore[arg-type]


def checked(script: Sequence[Step], **changed: object) -> tuple[LineResult, Played]:
    """One call with every check N1–N11 run; a violation or a fault of ours fails the test."""
    with tempfile.TemporaryDirectory() as folder:
        settings = plan(data=Path(folder), **changed)
        result = play_line(settings, script)
        talk = Talk(CALLER, NOW, ())
        played = judged(settings.hospital, talk, (result.status, result.events), Path(folder))
    assert played.checks.clean, (played.checks.violations, told(result))
    assert result.status == 0
    return result, played


def told(result: LineResult) -> list[str]:
    """The recording in words, for the message of a failure."""
    return [
        f"{each.start:.1f}-{each.end:.1f} {each.track.value} {each.text}"
        for each in result.recording.sounds
        if not each.keys
    ]


def agent(result: LineResult, line: str | None = None) -> list[Sound]:
    """What the agent was heard to say, of one line or all."""
    return [
        each
        for each in result.recording.sounds
        if each.track is Track.AGENT and line in (None, each.line)
    ]


def caller(result: LineResult) -> list[Sound]:
    return [each for each in result.recording.sounds if each.track is Track.CALLER]


def of(result: LineResult, kind: Kind) -> list[Event]:
    return [event for event in result.events if event.kind is kind]
