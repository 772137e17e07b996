"""Parts of the checks that concern a person on the line (P1–P3): holds, briefings, requests.

Each function yields what its check reports; which check that is, is said by the caller of it. From
the events alone: a transfer lasts from ``transfer.started`` to the ``transfer.settled`` after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import (
    CONNECT_NAMES,
    Events,
    after,
    allowed,
    heard,
    of,
    text,
    verdict,
)
from wonmu.timeline.view import Check, Violation

_SOUNDS = frozenset({Kind.AGENT_SPEAKING, Kind.AGENT_SAID, Kind.TRANSFER_HOLD})


def holds(events: Events) -> Iterator[tuple[Event, ...]]:
    """The events of each transfer, its start and its end included."""
    for started in of(events, Kind.TRANSFER_STARTED):
        ends = after(events, started.seq, Kind.TRANSFER_SETTLED)
        last = ends[0].seq if ends else events[-1].seq
        yield tuple(event for event in events if started.seq <= event.seq <= last)


def unsettled(events: Events) -> Iterator[Violation]:
    """N7: what was dialled is settled once, before the next dialling and the end of the call."""
    dialling: Event | None = None
    for event in of(events, Kind.TRANSFER_STARTED, Kind.TRANSFER_SETTLED):
        if event.kind is Kind.TRANSFER_SETTLED:
            dialling = None
        elif dialling is not None:
            yield Violation(Check.N7, "dialled again before the first was settled", event.seq)
        else:
            dialling = event
    if dialling is not None:
        yield Violation(Check.N7, "a transfer was never settled", dialling.seq)


def lost_request(events: Events) -> Iterator[Violation]:
    """N7: a caller with a number who asked for a person got one, took it back, or is in the inbox.

    A store that failed is a fault of its own and was told.
    """
    asked = max((event.seq for event in _requests(events)), default=0)
    started = of(events, Kind.CALL_STARTED)
    if not asked or not started or not text(started[0], "caller"):
        return
    later = after(events, asked, Kind.TRANSFER_SETTLED, Kind.PROPOSAL_CLOSED)
    connected = any(text(event, "outcome") == "connected" for event in later)
    withdrawn = any(text(event, "action") == "note" for event in later)
    kept = of(events, Kind.MEMO_STORED, Kind.FAULT)
    if not (connected or withdrawn or kept):
        yield Violation(Check.N7, "a request for a person was lost", asked)


def _requests(events: Events) -> Iterator[Event]:
    yield from allowed(events, CONNECT_NAMES)
    for event in of(events, Kind.GATE_VERDICT):
        if verdict(event) == "by_person":
            yield event
    for event in of(events, Kind.TASK_LEFT):
        if text(event, "reason") == "staff_connection":
            yield event


def silent_holds(events: Events, longest: float) -> Iterator[Violation]:
    """N11: on hold something is heard at least every ``longest`` seconds."""
    for hold in holds(events):
        last, speaking = hold[0], False
        for event in hold[1:]:
            if not (event.kind in _SOUNDS or event is hold[-1]):
                continue
            if event.mono - last.mono > longest and not speaking:
                quiet = event.mono - last.mono
                yield Violation(Check.N11, f"{quiet:.1f} s of silence on hold", last.seq)
            if event.kind is not Kind.AGENT_SAID or heard(event):
                last = event
            speaking = event.kind is Kind.AGENT_SPEAKING or (
                speaking and event.kind is Kind.TRANSFER_HOLD
            )


def tools_on_hold(events: Events) -> Iterator[Violation]:
    """N10: nothing that a held caller says runs a tool (R112)."""
    for hold in holds(events):
        for event in of(hold, Kind.TOOL_STARTED, Kind.GATE_VERDICT):
            yield Violation(Check.N10, "a tool was called while the caller was on hold", event.seq)


def words_after_join(events: Events) -> Iterator[Violation]:
    """N5: once two people are joined the agent is silent, without a goodbye (R113)."""
    settled = of(events, Kind.TRANSFER_SETTLED)
    joined = [event.seq for event in settled if text(event, "outcome") == "connected"]
    if joined:
        for event in after(events, joined[0], Kind.AGENT_SPEAKING):
            yield Violation(Check.N5, "the agent spoke between two people", event.seq)


def strangers_told(events: Events) -> Iterator[Violation]:
    """N3: staff hears a patient's name only after identity was verified."""
    verified = [
        event.seq
        for event in of(events, Kind.IDENTITY_SETTLED)
        if text(event, "outcome") == "verified"
    ]
    for event in of(events, Kind.TRANSFER_BRIEFED):
        if text(event, "patient") and not any(seq < event.seq for seq in verified):
            yield Violation(Check.N3, "a briefing named a patient nobody verified", event.seq)
