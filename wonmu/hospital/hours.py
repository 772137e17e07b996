"""When the hospital is open, and whether a wished time may be booked (B6, T9).

Decides from settings and the public calendar only; it knows no record system and no clock but the
moments handed in. It must never call a day open that the settings close. All moments are read in
Asia/Seoul; a moment without a zone is refused with ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from wonmu.clock import SEOUL
from wonmu.hospital.config import Closure, DayHours, HalfDays, Hospital, Span
from wonmu.hospital.public_days import public_holidays
from wonmu.ids import DoctorId

Interval = tuple[time, time]
"""Half-open ``[from, to)`` within one day."""

_SEARCH_DAYS = 366
"""A hospital closed for longer than a year has no next open day worth telling."""

NOON_WITHOUT_LUNCH = time(13)
"""Where a day without lunch is halved; clinics that close at 13:00 call all of it the morning."""


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

    def __init__(self, hospital: Hospital) -> None:
        self._hospital = hospital
        self._weekly = hospital.hours.days()
        self._open_anyway = frozenset(hospital.public_holidays.open_on)
        self._doctors = {doctor.id: doctor for doctor in hospital.doctors}

    def opening(self, day: date) -> tuple[Interval, ...]:
        """Open intervals of a day, earliest first; empty when closed."""
        hours = self._hours(day)
        if hours is None:
            return ()
        breaks = [hours.lunch] if hours.lunch else []
        breaks += [c.hours for c in self._closures(day) if c.hours]
        return _without((hours.open, hours.close), breaks)

    def is_open(self, moment: datetime) -> bool:
        local = _seoul(moment)
        return _inside(local.time(), self.opening(local.date()))

    def why_closed(self, when: date | datetime) -> ClosedReason | None:
        """Why closed at that moment, or on that whole day; None when open."""
        if not isinstance(when, datetime):
            return self._why_day(when)
        local = _seoul(when)
        return self._why_day(local.date()) or self._why_time(local.date(), local.time())

    def next_open_day(self, after: date) -> date | None:
        """The first open day later than ``after``, looked for over a year."""
        ordinal = after.toordinal() + 1
        for number in range(ordinal, min(ordinal + _SEARCH_DAYS, date.max.toordinal())):
            if self.opening(date.fromordinal(number)):
                return date.fromordinal(number)
        return None

    def holidays(self, year: int) -> Mapping[date, str]:
        """Public holidays of a year with their Korean names, with this hospital's corrections."""
        own = self._hospital.public_holidays
        if not own.added and not own.removed:
            return public_holidays(year)
        days = dict(public_holidays(year))
        days.update({named.day: named.name for named in own.added if named.day.year == year})
        return {day: days[day] for day in sorted(days) if day not in own.removed}

    def bookable_window(self, now: datetime) -> tuple[datetime, datetime]:
        """``[earliest, latest)``: lead time from now, and midnight after the furthest day."""
        rules = self._hospital.booking
        local = _seoul(now)
        midnight = datetime.combine(local.date(), time(), SEOUL)
        earliest = local + timedelta(minutes=rules.lead_minutes)
        if not rules.same_day:
            earliest = max(earliest, midnight + timedelta(days=1))
        return earliest, midnight + timedelta(days=rules.furthest_days + 1)

    def check(self, now: datetime, when: date | datetime) -> Check:
        """May this moment (or some time of this day) be booked? Past first, soon last."""
        earliest, latest = self.bookable_window(now)
        local = _seoul(now)
        moment = _seoul(when) if isinstance(when, datetime) else None
        day = moment.date() if moment else when
        if day < local.date() or (moment and moment < local):
            return Past()
        if day >= latest.date():
            return TooFar(latest.date() - timedelta(days=1))
        reason = self.why_closed(moment or day)
        if reason is None and moment is None:
            reason = self._over_for_today(local, day)
        if reason is not None:
            return Closed(reason, self.next_open_day(day))
        return TooSoon(earliest) if (moment or self._last_moment(day)) < earliest else Ok()

    def doctor_times(self, doctor: DoctorId, day: date) -> tuple[Interval, ...]:
        """When a doctor sees patients that day: opening ∩ rota, none on leave.

        Empty too for a doctor who is not this hospital's.
        """
        settings = self._doctors.get(doctor)
        if settings is None or any(leave.covers(day) for leave in settings.leave):
            return ()
        half = settings.rota.days()[day.weekday()]
        if half is HalfDays.OFF:
            return ()
        noon = self._noon(day)
        return tuple(
            clipped
            for interval in self.opening(day)
            if (clipped := _half(interval, half, noon)) is not None
        )

    def desk_open(self, moment: datetime) -> bool:
        """Whether people answer then (desk hours, else the hospital's); False without a desk."""
        if self._hospital.desk is None:
            return False
        local = _seoul(moment)
        return _inside(local.time(), self.desk_times(local.date()))

    def desk_times(self, day: date) -> tuple[Interval, ...]:
        """When the people of the desk answer that day; the opening hours where no desk is set."""
        desk = self._hospital.desk
        if desk is None or desk.hours is None:
            return self.opening(day)
        hours = None if self._is_day_off(day) else desk.hours.days()[day.weekday()]
        if hours is None:
            return ()
        breaks = [hours.lunch] if hours.lunch else []
        return _without((hours.open, hours.close), breaks)

    def _hours(self, day: date) -> DayHours | None:
        return None if self._is_day_off(day) else self._weekly[day.weekday()]

    def _is_day_off(self, day: date) -> bool:
        return self._holiday(day) is not None or any(c.hours is None for c in self._closures(day))

    def _holiday(self, day: date) -> str | None:
        return None if day in self._open_anyway else self.holidays(day.year).get(day)

    def _closures(self, day: date) -> tuple[Closure, ...]:
        return tuple(c for c in self._hospital.closures if c.start <= day <= c.end)

    def _why_day(self, day: date) -> ClosedReason | None:
        # A feast on a Sunday is told as the feast: that is what the caller asks about.
        if (name := self._holiday(day)) is not None:
            return ClosedReason(ClosedKind.HOLIDAY, name)
        closures = self._closures(day)
        for closure in closures:
            if closure.hours is None:
                return ClosedReason(ClosedKind.CLOSURE, closure.reason)
        if self._weekly[day.weekday()] is None:
            return ClosedReason(ClosedKind.WEEKLY)
        if closures and not self.opening(day):
            return ClosedReason(ClosedKind.CLOSURE, closures[0].reason)
        return None

    def _why_time(self, day: date, at: time) -> ClosedReason | None:
        if _inside(at, self.opening(day)):
            return None
        for closure in self._closures(day):
            if closure.hours and closure.hours.start <= at < closure.hours.end:
                return ClosedReason(ClosedKind.CLOSURE, closure.reason)
        hours = self._weekly[day.weekday()]
        if hours is None or at < hours.open:
            return ClosedReason(ClosedKind.BEFORE_OPENING)
        if at >= hours.close:
            return ClosedReason(ClosedKind.AFTER_CLOSING)
        return ClosedReason(ClosedKind.LUNCH)

    def _over_for_today(self, local: datetime, day: date) -> ClosedReason | None:
        if day == local.date() and local.time() >= self.opening(day)[-1][1]:
            return ClosedReason(ClosedKind.AFTER_CLOSING)
        return None

    def _last_moment(self, day: date) -> datetime:
        """The last minute of the day that can still be the start of a visit."""
        close = datetime.combine(day, self.opening(day)[-1][1], SEOUL)
        return close - timedelta(minutes=self._hospital.booking.slot_minutes)

    def _noon(self, day: date) -> time:
        hours = self._weekly[day.weekday()]
        return hours.lunch.start if hours and hours.lunch else NOON_WITHOUT_LUNCH


def _seoul(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a moment without a time zone cannot be placed")
    return moment.astimezone(SEOUL)


def _inside(at: time, intervals: tuple[Interval, ...]) -> bool:
    return any(start <= at < end for start, end in intervals)


def _without(whole: Interval, breaks: list[Span]) -> tuple[Interval, ...]:
    left: list[Interval] = []
    start, close = whole
    for gap in sorted(breaks, key=lambda span: span.start):
        if gap.start > start:
            left.append((start, min(gap.start, close)))
        start = max(start, gap.end)
        if start >= close:
            return tuple(left)
    return (*left, (start, close))


def _half(interval: Interval, half: HalfDays, noon: time) -> Interval | None:
    start, end = interval
    if half is HalfDays.MORNING:
        end = min(end, noon)
    elif half is HalfDays.AFTERNOON:
        start = max(start, noon)
    return (start, end) if start < end else None
