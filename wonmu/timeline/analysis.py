"""What a call came to, computed from its events alone (E3).

Nothing here asks a model or a store, and no label is a default: what the events do not show is
``UNKNOWN``. It must never report a success without the event that is its receipt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from wonmu.timeline.events import Event


class Outcome(StrEnum):
    """What the caller got."""

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
class Analysis:
    """Seconds are on the call's own clock. ``ended_by`` and ``left_because`` are reason codes, or
    "unknown". ``responses``: end of the caller's words → start of the agent's next words."""

    outcome: Outcome
    stage: Stage
    left_because: str
    ended_by: str
    written: Match
    responses: tuple[float, ...]
    unanswered: int
    seconds: float | None


def analyse(events: Sequence[Event], names: Mapping[str, str] | None = None) -> Analysis:
    """Events of one call in order; ``names``: id → spoken name of departments and doctors."""
    raise NotImplementedError


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Nearest-rank percentile (0 < percent ≤ 100); None of nothing."""
    raise NotImplementedError
