"""Reading a timeline: small questions that checks and analysis ask of it.

Everything here is pure and tolerant of missing fields: an absent text reads as "", an absent
number as None. It must never invent a value that the event does not carry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from wonmu.timeline.events import Event, Kind

Events = Sequence[Event]

WORK_ACTIONS = frozenset({"booking.create", "booking.inquire", "booking.change", "booking.cancel"})
CONNECT_NAMES = frozenset({"person.connect", "connect_person"})
END_NAMES = frozenset({"call.end", "end_call"})
NOTE_NAMES = frozenset({"leave_memo", "leave_callback", "memo", "callback"})

_NOT_WORDS = re.compile(r"[\s.,!?~…·'\"]+")


def of(events: Events, *kinds: Kind) -> tuple[Event, ...]:
    return tuple(event for event in events if event.kind in kinds)


def before(events: Events, seq: int, *kinds: Kind) -> tuple[Event, ...]:
    return tuple(event for event in events if event.seq < seq and event.kind in kinds)


def after(events: Events, seq: int, *kinds: Kind) -> tuple[Event, ...]:
    return tuple(event for event in events if event.seq > seq and event.kind in kinds)


def spoken_turns(events: Events) -> tuple[Event, ...]:
    """The caller's own words; what a recogniser made of noise is none of them."""
    return tuple(event for event in of(events, Kind.CALLER_HEARD) if not flag(event, "noise"))


def text(event: Event, name: str) -> str:
    value = event.data.get(name)
    return value if isinstance(value, str) else ""


def number(event: Event, name: str) -> int | None:
    value = event.data.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag(event: Event, name: str) -> bool:
    return event.data.get(name) is True


def moment(event: Event, name: str) -> datetime | None:
    """An aware moment, or None when absent, unreadable or without a zone."""
    value = event.data.get(name)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, datetime) and value.tzinfo is not None else None


def heard(event: Event) -> str:
    """What the caller really heard of an agent.said; "" when that is not known."""
    value = event.data.get("heard")
    return text(event, "text") if value is True else value if isinstance(value, str) else ""


def told(event: Event) -> str:
    """What of an agent.said counts as told: what was heard, or all of it if that is not noted."""
    return heard(event) if "heard" in event.data else text(event, "text")


def squeezed(words: str) -> str:
    """Without spaces and punctuation, for comparing what was said with what was planned."""
    return _NOT_WORDS.sub("", words)


def verdict(event: Event) -> str:
    """``allow``, ``by_person``, … in one spelling (``ByPerson`` and ``by-person`` included)."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text(event, "verdict"))
    return snake.replace("-", "_").lower()


def allowed(events: Events, names: frozenset[str]) -> tuple[Event, ...]:
    """gate.verdict events that allowed one of ``names`` (tool names or actions)."""
    return tuple(
        event
        for event in of(events, Kind.GATE_VERDICT)
        if verdict(event) == "allow" and {text(event, "tool"), text(event, "action")} & names
    )


def given_up(events: Events) -> frozenset[str]:
    """Keys of direct writes that ended because somebody else has the slot: told so, and dropped."""
    return frozenset(
        text(event, "key")
        for event in of(events, Kind.COMMIT_SETTLED)
        if text(event, "outcome") == "slot_gone"
    )


def turn_of(events: Events, seq: int) -> tuple[Event, ...]:
    """The events of the caller's turn that ``seq`` lies in: from one caller.heard to the next."""
    turns = [event.seq for event in spoken_turns(events)]
    start = max((turn for turn in turns if turn <= seq), default=0)
    end = min((turn for turn in turns if turn > seq), default=None)
    return tuple(e for e in events if start <= e.seq and (end is None or e.seq < end))
