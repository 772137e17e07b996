"""N11: no more than 4 s of silence while the caller waits and nobody has said why.

The caller waits from the end of their words, or from the key that ended an entry (``done``), until
the agent is heard. If the caller speaks again the wait starts anew, because an event tells when
words ended and not when they began. Noise that a recogniser put into words waits for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from wonmu.timeline.checks.people import silent_holds
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import Events, flag, heard
from wonmu.timeline.view import CallView, Check, Violation

QUIET_SECONDS = 4.0
"""Longest unexplained silence (spec A9)."""

_OVER = frozenset({Kind.HANGUP, Kind.CALL_ENDED})


def check(view: CallView) -> tuple[Violation, ...]:
    return (*_violations(view.events), *silent_holds(view.events, QUIET_SECONDS))


def silences(events: Events) -> Iterator[tuple[Event, Event]]:
    """Each wait of the caller: the event it began with and the one that ended it."""
    waiting: Event | None = None
    for event in events:
        if _starts_wait(event):
            waiting = event
        elif waiting is not None and (_is_sound(event) or event.kind in _OVER):
            yield waiting, event
            waiting = None


def _violations(events: Events) -> Iterator[Violation]:
    for waiting, ended in silences(events):
        seconds = ended.mono - waiting.mono
        if seconds > QUIET_SECONDS:
            yield Violation(Check.N11, f"{seconds:.1f} s of silence", waiting.seq)


def _starts_wait(event: Event) -> bool:
    if event.kind is Kind.KEYPAD_PRESSED:
        return flag(event, "done")
    return event.kind is Kind.CALLER_HEARD and not flag(event, "noise")


def _is_sound(event: Event) -> bool:
    if event.kind is Kind.AGENT_SAID:
        return bool(heard(event))
    return event.kind in (Kind.AGENT_SPEAKING, Kind.TRANSFER_HOLD)
