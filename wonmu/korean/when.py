"""What a wished day and time looks like once the caller's words are understood.

Decides only the shape of a wish and how a later, partial wish is laid over an earlier one. It
never reads words and never knows today's date: that is ``dates.read_when``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time
from enum import StrEnum
from typing import Protocol


class OpenTimes(Protocol):
    """When the hospital is open; any object with this one method will do."""

    def opening(self, day: date) -> tuple[tuple[time, time], ...]:
        """The half-open intervals [from, to) of that day, in order; empty when closed."""
        ...


@dataclass(frozen=True, slots=True)
class When:
    """A wished range of days and of clock time, as far as it was said. ``None`` = not said.

    ``day_from`` and ``day_to`` are both set or both None and inclusive; one day has them equal.
    A clock time ("세 시") sets ``time_from`` with ``point`` True and leaves ``time_to`` None.
    A part of the day sets both ends, half-open [``time_from``, ``time_to``); "after three" ends
    at 23:59 and "before three" begins at 00:00. All times are Asia/Seoul wall time.
    ``soonest``: the earliest possible inside the rest. ``not_days``: days the caller ruled out.
    """

    day_from: date | None = None
    day_to: date | None = None
    time_from: time | None = None
    time_to: time | None = None
    point: bool = False
    soonest: bool = False
    not_days: tuple[date, ...] = ()

    def __post_init__(self) -> None:
        if (self.day_from is None) != (self.day_to is None):
            raise ValueError("a wish has both ends of its days or neither")
        if self.day_from and self.day_to and self.day_from > self.day_to:
            raise ValueError("the days of a wish run backwards")
        if self.point and (self.time_from is None or self.time_to is not None):
            raise ValueError("a clock time has a beginning and no end")
        if not self.point and (self.time_from is None) != (self.time_to is None):
            raise ValueError("a part of the day has both ends or neither")
        if self.time_from and self.time_to and self.time_from >= self.time_to:
            raise ValueError("the times of a wish run backwards")

    @property
    def has_day(self) -> bool:
        return self.day_from is not None

    @property
    def has_time(self) -> bool:
        return self.time_from is not None

    @property
    def one_day(self) -> date | None:
        """The wished day when it is exactly one, else None."""
        return self.day_from if self.day_from == self.day_to else None

    @property
    def empty(self) -> bool:
        """Nothing was said: no day, no time, no hurry, nothing ruled out."""
        return not (self.has_day or self.has_time or self.soonest or self.not_days)

    def holds(self, local: datetime) -> bool:
        """Whether a moment, as Seoul wall time, is within what was said of days and clock time."""
        day, clock = local.date(), local.time()
        if self.day_from and self.day_to and not self.day_from <= day <= self.day_to:
            return False
        if self.time_from is None:
            return day not in self.not_days
        within = clock == self.time_from if self.point else self._in_part(clock)
        return within and day not in self.not_days

    def _in_part(self, clock: time) -> bool:
        return bool(self.time_from and self.time_to and self.time_from <= clock < self.time_to)

    def merged_over(self, earlier: When | None) -> When:
        """This wish laid over an earlier one: what is said again replaces, the rest stays.

        A new time keeps the old day and a new day keeps the old time of day. A hurry that comes
        without a clock time lets go of an exact earlier time. A day ruled out now is no longer
        the wished day.
        """
        if earlier is None:
            return self
        merged = self
        ruled_out_now = earlier.one_day is not None and earlier.one_day in self.not_days
        if not self.has_day and not ruled_out_now:
            merged = replace(merged, day_from=earlier.day_from, day_to=earlier.day_to)
        if not self.has_time and not (self.soonest and earlier.point):
            merged = replace(
                merged,
                time_from=earlier.time_from,
                time_to=earlier.time_to,
                point=earlier.point,
            )
        hurry = self.soonest or (earlier.soonest and not self.point and not self.has_day)
        ruled_out = dict.fromkeys((*earlier.not_days, *self.not_days))
        kept = tuple(day for day in ruled_out if day != merged.one_day)
        return replace(merged, soonest=hurry, not_days=kept)


class AmbiguityKind(StrEnum):
    """What has to be asked back."""

    ALTERNATIVES = "alternatives"
    """The caller named alternatives: "월요일이나 수요일"."""
    SEVERAL = "several"
    """Two wishes that exclude each other stand side by side."""
    NTH_WEEK = "nth_week"
    """"첫째 주 수요일": the row of the calendar and the n-th Wednesday differ."""
    SAME_WEEKDAY = "same_weekday"
    """Today's weekday was named: today, or a week from today."""
    NEXT_WEEKDAY = "next_weekday"
    """"다음 목요일" while this week's Thursday is still to come."""
    MERIDIEM = "meridiem"
    """The hospital is open at both readings of a bare hour."""
    DATE_OR_TIME = "date_or_time"
    """"9.30": the 30th of September or half past nine."""


@dataclass(frozen=True, slots=True)
class Understood:
    """One reading. ``when`` is already merged over the earlier wish and holds no past day."""

    when: When


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """More than one reading; ask which. ``options`` are in the order to be offered."""

    kind: AmbiguityKind
    options: tuple[When, ...]


@dataclass(frozen=True, slots=True)
class InPast:
    """The caller wished for a moment that is over. ``when`` is that moment."""

    when: When


@dataclass(frozen=True, slots=True)
class Impossible:
    """The caller named a day or an hour that no calendar has. ``words`` are the caller's."""

    words: str


@dataclass(frozen=True, slots=True)
class NoWhen:
    """No wish for a day or a time in these words."""


WhenReading = Understood | Ambiguous | InPast | Impossible | NoWhen
