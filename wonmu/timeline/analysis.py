"""What a call came to, computed from its events alone (E3).

Nothing here asks a model or a store, and no label is a default: what the events do not show is
``UNKNOWN``. It must never report a success without the event that is its receipt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from wonmu.timeline.checks import run_checks
from wonmu.timeline.checks.silence import silences
from wonmu.timeline.events import SPANS, Event, Kind
from wonmu.timeline.reading import (
    WORK_ACTIONS,
    allowed,
    before,
    heard,
    moment,
    of,
    spoken_turns,
    squeezed,
    text,
)
from wonmu.timeline.spoken import says_start
from wonmu.timeline.view import CallView, Report

UNKNOWN = "unknown"

_WORK_NAMES = WORK_ACTIONS | {
    "create_booking",
    "inquire_booking",
    "change_booking",
    "cancel_booking",
}


class Outcome(StrEnum):
    """What the caller got. ``NOTHING``: the call is complete and left no record."""

    BOOKING_REQUESTED = "booking_requested"
    BOOKED = "booked"
    NOTE_LEFT = "note_left"
    CONNECTED = "connected"
    NOTHING = "nothing"
    UNKNOWN = "unknown"


class Stage(IntEnum):
    """How far a booking came, in order."""

    NONE = 0
    HEARD = 1
    ACCEPTED = 2
    IDENTIFIED = 3
    SEARCHED = 4
    STAGED = 5
    READ_BACK = 6
    CONSENTED = 7
    COMMITTED = 8


class Match(StrEnum):
    """Whether what was written is what was said."""

    MATCHES = "matches"
    DIFFERS = "differs"
    NOTHING_WRITTEN = "nothing_written"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Timed:
    """A finished tool: start → settled, in seconds (the second clock of A1)."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """Seconds are on the call's own clock. ``ended_by`` and ``left_because`` are reason codes, or
    "unknown". ``responses``: end of the caller's words → start of the agent's next words, for
    turns that got some; ``unanswered``: turns that got none. ``report``: the checks that events
    alone can answer."""

    outcome: Outcome
    stage: Stage
    left_because: str
    ended_by: str
    written: Match
    responses: tuple[float, ...]
    unanswered: int
    tools: tuple[Timed, ...]
    seconds: float | None
    report: Report


def analyse(events: Sequence[Event], names: Mapping[str, str] | None = None) -> Analysis:
    """Events of one call in order; ``names``: id → spoken name of departments and doctors."""
    ended = of(events, Kind.CALL_ENDED)
    responses = _responses(events)
    return Analysis(
        outcome=_outcome(events),
        stage=_stage(events),
        left_because=_left_because(events),
        ended_by=(text(ended[-1], "reason") if ended else "") or UNKNOWN,
        written=_written(events, names or {}),
        responses=responses,
        unanswered=len(spoken_turns(events)) - len(responses),
        tools=_tools(events),
        seconds=ended[-1].mono if ended else None,
        report=run_checks(CallView(events=tuple(events), names=names or {})),
    )


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Nearest-rank percentile (0 < percent ≤ 100); None of nothing."""
    if not 0 < percent <= 100:
        raise ValueError("a percentile lies above 0 and at most at 100")
    if not values:
        return None
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def _outcome(events: Sequence[Event]) -> Outcome:
    """The strongest receipt; without one "nothing" only if the timeline is whole."""
    modes = [text(event, "mode") for event in of(events, Kind.BOOKING_COMMITTED)]
    if modes:
        known = {"direct": Outcome.BOOKED, "request": Outcome.BOOKING_REQUESTED}
        return known.get(modes[-1], Outcome.UNKNOWN)
    settled = of(events, Kind.TRANSFER_SETTLED)
    if any(text(event, "outcome") == "connected" for event in settled):
        return Outcome.CONNECTED
    if of(events, Kind.MEMO_STORED):
        return Outcome.NOTE_LEFT
    whole = of(events, Kind.CALL_STARTED) and of(events, Kind.CALL_ENDED)
    numbered = all(event.seq == place for place, event in enumerate(events, start=1))
    return Outcome.NOTHING if whole and numbered else Outcome.UNKNOWN


def _stage(events: Sequence[Event]) -> Stage:
    identified = [e for e in of(events, Kind.IDENTITY_SETTLED) if _usable_identity(e)]
    reached = {
        Stage.HEARD: spoken_turns(events),
        Stage.ACCEPTED: allowed(events, _WORK_NAMES),
        Stage.IDENTIFIED: identified,
        Stage.SEARCHED: of(events, Kind.BOOKING_SEARCHED),
        Stage.STAGED: of(events, Kind.BOOKING_STAGED),
        Stage.READ_BACK: of(events, Kind.BOOKING_READBACK),
        Stage.CONSENTED: of(events, Kind.BOOKING_CONSENT),
        Stage.COMMITTED: of(events, Kind.BOOKING_COMMITTED),
    }
    return max((stage for stage, found in reached.items() if found), default=Stage.NONE)


def _usable_identity(event: Event) -> bool:
    return text(event, "outcome") in {"verified", "new_patient"}


def _left_because(events: Sequence[Event]) -> str:
    """Reason of the last task that was left without a result, else of the call's end (R160)."""
    exits = [text(event, "reason") for event in of(events, Kind.TASK_LEFT)]
    ends = [text(event, "reason") for event in of(events, Kind.CALL_ENDED)]
    reasons = [reason for reason in (*ends[-1:], *exits[-1:]) if reason]
    return reasons[-1] if reasons else UNKNOWN


def _written(events: Sequence[Event], names: Mapping[str, str]) -> Match:
    commits = of(events, Kind.BOOKING_COMMITTED)
    found = {_written_as_said(events, commit, names) for commit in commits}
    for match in (Match.DIFFERS, Match.UNKNOWN, Match.MATCHES):
        if match in found:
            return match
    return Match.NOTHING_WRITTEN


def _written_as_said(events: Sequence[Event], commit: Event, names: Mapping[str, str]) -> Match:
    """The staged candidate of the commit's digest against the words heard before its consent."""
    digest = text(commit, "digest")
    staged = [e for e in before(events, commit.seq, Kind.BOOKING_STAGED) if digest]
    consents = [
        e for e in before(events, commit.seq, Kind.BOOKING_CONSENT) if text(e, "digest") == digest
    ]
    if not staged or not consents:
        return Match.UNKNOWN
    if text(staged[-1], "digest") != digest:
        return Match.DIFFERS
    start = moment(staged[-1], "start")
    words = _heard_readback(events, consents[-1], digest)
    if start is None or not words:
        return Match.UNKNOWN
    if not says_start(words, start):
        return Match.DIFFERS
    return _names_said(staged[-1], words, names)


def _heard_readback(events: Sequence[Event], consent: Event, digest: str) -> str:
    readbacks = [
        e for e in before(events, consent.seq, Kind.BOOKING_READBACK) if text(e, "digest") == digest
    ]
    wanted = squeezed(text(readbacks[-1], "text")) if readbacks else ""
    said = [heard(event) for event in before(events, consent.seq, Kind.AGENT_SAID)]
    fitting = [words for words in said if wanted and wanted in squeezed(words)]
    return fitting[-1] if fitting else ""


def _names_said(staged: Event, words: str, names: Mapping[str, str]) -> Match:
    """An id without a known name proves nothing either way."""
    flat = squeezed(words)
    result = Match.MATCHES
    for field in ("department", "doctor"):
        value = text(staged, field)
        name = squeezed(names.get(value, value))
        if value in names and name not in flat:
            return Match.DIFFERS
        if not name or name not in flat:
            result = Match.UNKNOWN
    return result


def _responses(events: Sequence[Event]) -> tuple[float, ...]:
    """Only waits that began with words and ended with the agent's voice."""
    return tuple(
        ended.mono - waiting.mono
        for waiting, ended in silences(events)
        if waiting.kind is Kind.CALLER_HEARD
        and ended.kind in {Kind.AGENT_SPEAKING, Kind.AGENT_SAID}
    )


def _tools(events: Sequence[Event]) -> tuple[Timed, ...]:
    started = {event.span: event for event in of(events, Kind.TOOL_STARTED)}
    return tuple(
        Timed(text(started[end.span], "name"), end.mono - started[end.span].mono)
        for end in of(events, SPANS[Kind.TOOL_STARTED])
        if end.span in started
    )
