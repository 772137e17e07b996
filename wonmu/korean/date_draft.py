"""The half-read wish: what one phrase, or several laid together, say before anything is settled.

Decides how two phrases of one sentence complete or replace each other. It never looks at opening
hours and never drops a past day: both come after, in ``date_settle``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from enum import Enum

from wonmu.korean.when import AmbiguityKind

Span = tuple[date, date]
"""First and last day, inclusive."""


class Half(Enum):
    """Which half of the opening hours: "오후 늦게", "아침 일찍"."""

    EARLY = "early"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock time (``end`` None) or a half-open part of the day. ``bare``: no 오전/오후 said."""

    begin: time
    end: time | None = None
    bare: bool = False
    half: Half | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """``days``: none = not said, several = readings that differ (``doubt`` says why)."""

    days: tuple[Span, ...] = ()
    doubt: AmbiguityKind | None = None
    weekday: int | None = None
    clock: Clock | None = None
    half: Half | None = None
    not_days: tuple[date, ...] = ()
    soonest: bool = False

    @property
    def wide(self) -> bool:
        """One range of more than one day."""
        return len(self.days) == 1 and self.days[0][0] != self.days[0][1]

    @property
    def empty(self) -> bool:
        return self == Draft()


@dataclass(frozen=True, slots=True)
class Piece:
    """One phrase found in the words, with its place. ``feast``: a named day such as 추석."""

    start: int
    end: int
    text: str
    draft: Draft
    feast: bool = False


def weekday_in(span: Span, weekday: int) -> date | None:
    """The first such weekday of the range, if it has one."""
    first = span[0] + timedelta(days=(weekday - span[0].weekday()) % 7)
    return first if first <= span[1] else None


def over(later: Draft, earlier: Draft) -> Draft:
    """A correction laid over what it corrects: what is said again replaces, the rest stays."""
    later = _in_its_week(later, earlier)
    if later.days:
        days, doubt, weekday = later.days, later.doubt, later.weekday
    else:
        days, doubt, weekday = earlier.days, earlier.doubt, earlier.weekday
    return Draft(
        days=days,
        doubt=doubt,
        weekday=weekday,
        clock=later.clock or earlier.clock,
        half=later.half or earlier.half,
        not_days=(*earlier.not_days, *later.not_days),
        soonest=later.soonest or earlier.soonest,
    )


def _in_its_week(later: Draft, earlier: Draft) -> Draft:
    """A bare weekday after a range is in the range; after one day, in that day's week."""
    if later.weekday is None or len(earlier.days) != 1:
        return later
    span = earlier.days[0]
    if not earlier.wide:
        monday = span[0] - timedelta(days=span[0].weekday())
        span = (max(monday, later.days[0][0]), monday + timedelta(days=6))
    day = weekday_in(span, later.weekday) if span[0] <= span[1] else None
    return later if day is None else replace(later, days=((day, day),), doubt=None)


def settled_weekday(draft: Draft) -> Draft:
    """Beside an alternative, today's weekday can only be next week's ("월요일이나 수요일")."""
    if draft.doubt is not AmbiguityKind.SAME_WEEKDAY:
        return draft
    return replace(draft, days=draft.days[-1:], doubt=None)


def corrected(later: Draft, earlier: Draft) -> Draft:
    """``over``, but a time taken back does not survive when only a day is put in its place."""
    if later.days and not later.clock and not earlier.days:
        return later
    if later.clock and not later.days and not earlier.clock:
        ruled_out = tuple(a for a, b in earlier.days if a == b)
        return replace(later, not_days=(*later.not_days, *ruled_out))
    return over(later, earlier)


def joined(first: Draft, second: Draft) -> Draft | None:
    """Both said of one wish ("다음 주인데 화요일이요"), or None when they exclude each other."""
    if second.clock and first.clock and first.clock.end is not None:
        second = replace(second, clock=fitted(second.clock, first.clock.begin, first.clock.end))
    if first.days and second.days and first.days != second.days and not _refines(first, second):
        return None
    if first.clock and second.clock and not _same_clock(first.clock, second.clock):
        return None
    return over(second, first)


def _refines(first: Draft, second: Draft) -> bool:
    """The second names a day inside the first one's range."""
    if not first.wide or len(first.days) != 1:
        return False
    span = first.days[0]
    if second.weekday is not None:
        return weekday_in(span, second.weekday) is not None
    return len(second.days) == 1 and span[0] <= second.days[0][0] <= second.days[0][1] <= span[1]


def _same_clock(first: Clock, second: Clock) -> bool:
    """The second repeats the first, or names a clock time inside its part of the day."""
    if first.begin == second.begin and first.end == second.end:
        return True
    return first.end is not None and second.end is None and first.begin <= second.begin < first.end


def fitted(clock: Clock, begin: time, end: time) -> Clock:
    """A bare hour said after a part of the day takes its half ("저녁이요" - "일곱 시요")."""
    if not clock.bare or clock.end is not None:
        return clock
    for hour in (clock.begin.hour, (clock.begin.hour + 12) % 24):
        moved = clock.begin.replace(hour=hour)
        if begin <= moved < end:
            return Clock(moved)
    return clock
