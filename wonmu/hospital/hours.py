"""When the hospital is open, and whether a wished time may be booked (B6, T9).

Decides from settings and the public calendar only; it knows no record system and no clock but the
moments handed in. It must never call a day open that the settings close. All moments are read in
Asia/Seoul; a moment without a zone is refused with ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum

from wonmu.hospital.config import Hospital
from wonmu.ids import DoctorId

Interval = tuple[time, time]
"""Half-open ``[from, to)`` within one day."""


class ClosedKind(StrEnum):
    HOLIDAY = "holiday"
    CLOSURE = "closure"
    WEEKLY = "weekly"
    BEFORE_OPENING = "before_opening"
    LUNCH = "lunch"
    AFTER_CLOSING = "after_closing"


@dataclass(frozen=True, slots=True)
class ClosedReason:
    """``name`` is the holiday's name or the closure's published reason; otherwise empty."""

    kind: ClosedKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Ok:
    """May be booked as far as the calendar goes."""


@dataclass(frozen=True, slots=True)
class Past:
    """Over already."""


@dataclass(frozen=True, slots=True)
class TooSoon:
    """Before ``earliest``: inside the lead time, or today where same-day visits are not taken."""

    earliest: datetime


@dataclass(frozen=True, slots=True)
class TooFar:
    """After ``last_day``, the furthest day that may be booked."""

    last_day: date


@dataclass(frozen=True, slots=True)
class Closed:
    """Not open then. ``next_open_day`` is None when no open day is known within a year."""

    reason: ClosedReason
    next_open_day: date | None


Check = Ok | Past | TooSoon | TooFar | Closed


class Calendar:
    """One hospital's calendar."""

    def __init__(self, hospital: Hospital) -> None: ...

    def opening(self, day: date) -> tuple[Interval, ...]:
        """Open intervals of a day, earliest first; empty when closed."""
        raise NotImplementedError

    def is_open(self, moment: datetime) -> bool:
        raise NotImplementedError

    def why_closed(self, when: date | datetime) -> ClosedReason | None:
        """Why closed at that moment, or on that whole day; None when open."""
        raise NotImplementedError

    def next_open_day(self, after: date) -> date | None:
        """The first open day later than ``after``, looked for over a year."""
        raise NotImplementedError

    def holidays(self, year: int) -> Mapping[date, str]:
        """Public holidays of a year with their Korean names, with this hospital's corrections."""
        raise NotImplementedError

    def bookable_window(self, now: datetime) -> tuple[datetime, datetime]:
        """``[earliest, latest)``: lead time from now, and midnight after the furthest day."""
        raise NotImplementedError

    def check(self, now: datetime, when: date | datetime) -> Check:
        """May this moment (or some time of this day) be booked? Past, far, closed, soon, in order."""
        raise NotImplementedError

    def doctor_times(self, doctor: DoctorId, day: date) -> tuple[Interval, ...]:
        """When a doctor sees patients that day: opening ∩ rota, none on leave."""
        raise NotImplementedError

    def desk_open(self, moment: datetime) -> bool:
        """Whether people answer then (desk hours, else the hospital's); False without a desk."""
        raise NotImplementedError
