"""N4: no transfer without request, accepted offer or the hospital's mode, no hang-up unasked.

Reasons are only labels: each must be borne out by an event before it. A reason that this module
does not know needs the evidence of an agreed ending.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import (
    CONNECT_NAMES,
    END_NAMES,
    NOTE_NAMES,
    Events,
    after,
    allowed,
    before,
    of,
    spoken_turns,
    text,
    verdict,
)
from wonmu.timeline.view import CallView, Check, Violation

CALLER_LEFT = frozenset({"caller_hangup", "hangup", "caller_left", "end_of_input"})
OUTSIDE_LIMITS = frozenset({"turn_limit", "time_limit", "idle", "shutdown"})
"""Ends that no event of the talk brings about. The limits themselves are the call layer's."""
FAULTS = frozenset({"fault", "error", "system_error"})
SILENCE = "silence"

_PERSON_CODES = frozenset({"staff_connection", "escalated", "emergency"})
_NOTE_CODES = _PERSON_CODES | frozenset(
    {"no_candidate", "system_error", "identity_incomplete", "silence"}
)
_IDENTITY = Kind.IDENTITY_SETTLED
_RESUMED = Kind.CONVERSATION_RESUMED
_NOBODY = frozenset({"ambiguous", "incomplete", "escalated", "error"})
"""Identity that was not established: automatic handling stops and a note is left (T11)."""
_STAFF = re.compile("상담원|상담사|직원|담당자|원무과|간호사|사람|선생님|원장님|연결|통화")
_RECEIPTS = (Kind.BOOKING_COMMITTED, Kind.MEMO_STORED)


def check(view: CallView) -> tuple[Violation, ...]:
    return tuple(_violations(view.events))


def _violations(events: Events) -> Iterator[Violation]:
    for ended in of(events, Kind.CALL_ENDED):
        why = _end_fault(events[: events.index(ended)], text(ended, "reason"))
        if why:
            yield Violation(Check.N4, why, ended.seq)
    for transfer in of(events, Kind.TRANSFER_SETTLED):
        if not _person_wanted(events, transfer.seq, _PERSON_CODES, "by_person"):
            yield Violation(Check.N4, "a transfer that nobody asked for", transfer.seq)
    yield from _dialled_twice(events)
    for note in of(events, Kind.MEMO_STORED):
        if not _note_wanted(events, note):
            yield Violation(Check.N4, "a note that nobody asked for", note.seq)


def _dialled_twice(events: Events) -> Iterator[Violation]:
    """Each dialling has a request of its own, made after the one before (R116)."""
    since = 0
    for started in of(events, Kind.TRANSFER_STARTED):
        fresh = [event for event in events if event.seq > since]
        if not _person_wanted(fresh, started.seq, _PERSON_CODES, "by_person"):
            yield Violation(Check.N4, "a person was dialled without a request", started.seq)
        since = started.seq


def _end_fault(past: Events, reason: str) -> str:
    """Why this end had no trigger; "" when it had."""
    if not reason:
        return "call.ended gives no reason"
    if of(past, Kind.HANGUP) or reason in OUTSIDE_LIMITS:
        return ""
    if reason in CALLER_LEFT:
        return "the caller is said to have hung up, and did not"
    if reason in FAULTS:
        return "" if of(past, Kind.FAULT) else "ended for a fault that no event shows"
    if reason == SILENCE:
        return "" if _was_silent(past) else "ended for silence though the caller spoke last"
    return "" if _agreed(past) else f"hung up ({reason}) without a trigger"


def _was_silent(past: Events) -> bool:
    """The agent spoke after the caller's last sign of life."""
    signs = (*spoken_turns(past), *of(past, Kind.KEYPAD_PRESSED))
    last = max((sign.seq for sign in signs), default=0)
    return bool(after(past, last, Kind.AGENT_SAID))


def _agreed(past: Events) -> bool:
    """The gate allowed the end, a person took over, or the work is done and the latch closed."""
    connected = any(text(e, "outcome") == "connected" for e in of(past, Kind.TRANSFER_SETTLED))
    done = any(before(past, latch.seq, *_RECEIPTS) for latch in of(past, Kind.TERMINAL_LATCHED))
    return connected or done or bool(allowed(past, END_NAMES))


def _note_wanted(events: Events, note: Event) -> bool:
    wanted = _person_wanted(events, note.seq, _NOTE_CODES, "by_memo", "by_person")
    asked = allowed([event for event in events if event.seq < note.seq], NOTE_NAMES)
    return (
        wanted
        or bool(asked)
        or _named_staff(events, note.seq)
        or bool(before(events, note.seq, Kind.EMR_FAILED, Kind.TRANSFER_SETTLED))
        or bool(before(events, note.seq, Kind.LEDGER_FAILED))
        or any(text(e, "outcome") in _NOBODY for e in before(events, note.seq, _IDENTITY))
        # A note begun in an earlier visit of the same conversation was asked for there.
        or any(text(e, "open") == "note" for e in before(events, note.seq, _RESUMED))
    )


def _named_staff(events: Events, seq: int) -> bool:
    """The caller spoke of the people of the desk; a hang-up can come before any verdict."""
    turns = before(events, seq, Kind.CALLER_HEARD)
    return any(_STAFF.search(text(turn, "text")) for turn in turns)


def _person_wanted(events: Events, seq: int, codes: frozenset[str], *verdicts: str) -> bool:
    past = [event for event in events if event.seq < seq]
    if allowed(past, CONNECT_NAMES):
        return True
    by_mode = any(verdict(event) in verdicts for event in of(past, Kind.GATE_VERDICT))
    exits = of(past, Kind.TASK_LEFT, Kind.TOOL_ENDED)
    return by_mode or any(text(event, "reason") in codes for event in exits)
