"""Turns a half-read wish into a whole one with the hospital's opening times.

Decides between morning and afternoon for a bare hour, and what "late" and "early" mean in clock
time. It never refuses a wish because the hospital is closed then: that is the booking's check.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from wonmu.korean import date_words as w
from wonmu.korean.date_context import Scene
from wonmu.korean.date_draft import Clock, Draft, Half, Span, fitted, weekday_in
from wonmu.korean.when import (
    AmbiguityKind,
    Ambiguous,
    InPast,
    NoWhen,
    Understood,
    When,
    WhenReading,
)

_DAY = timedelta(days=1)
_LOOK_AHEAD = 14
Opening = tuple[tuple[time, time], ...]


def anchored(draft: Draft, earlier: When | None, today: date) -> Draft:
    """A bare weekday after an earlier wish is the one in that week or range, unless it is over."""
    if draft.weekday is None or earlier is None or not earlier.day_from or not earlier.day_to:
        return draft
    span: Span = (earlier.day_from, earlier.day_to)
    if earlier.one_day:
        monday = span[0] - span[0].weekday() * _DAY
        span = (monday, monday + 6 * _DAY)
    day = weekday_in((max(span[0], today), max(span[1], today)), draft.weekday)
    if day is None or day > span[1]:
        return draft
    return replace(draft, days=((day, day),), doubt=None)


def settled(draft: Draft, earlier: When | None, scene: Scene) -> tuple[list[When], bool]:
    """Every reading of the draft, laid over the earlier wish; and whether an hour stays open."""
    readings: list[When] = []
    open_hour = False
    for span in draft.days or (None,):
        hint = span or _days_of(earlier)
        clocks = _clocks(draft, hint, earlier, scene)
        open_hour = open_hour or len(clocks) > 1
        for clock in clocks or (None,):
            readings.append(_when(draft, span, clock).merged_over(earlier))
    return readings, open_hour


def classified(readings: Iterable[When], kind: AmbiguityKind | None, scene: Scene) -> WhenReading:
    """One reading left → understood; several → ask; all over → in the past."""
    past: list[When] = []
    kept: list[When] = []
    for when in dict.fromkeys(readings):
        live = _without_past(when, scene, strict=kind is AmbiguityKind.SAME_WEEKDAY)
        if live is None:
            past.append(when)
        elif live not in kept:
            kept.append(live)
    if len(kept) > 1:
        return Ambiguous(kind or AmbiguityKind.SEVERAL, tuple(kept))
    if kept:
        return NoWhen() if kept[0].empty else Understood(kept[0])
    return InPast(past[0]) if past else NoWhen()


def _when(draft: Draft, span: Span | None, clock: Clock | None) -> When:
    return When(
        day_from=span[0] if span else None,
        day_to=span[1] if span else None,
        time_from=clock.begin if clock else None,
        time_to=clock.end if clock else None,
        point=clock is not None and clock.end is None,
        soonest=draft.soonest,
        not_days=tuple(dict.fromkeys(draft.not_days)),
    )


def _days_of(when: When | None) -> Span | None:
    if when is None or when.day_from is None or when.day_to is None:
        return None
    return when.day_from, when.day_to


def _without_past(when: When, scene: Scene, *, strict: bool) -> When | None:
    """The wish without the days that are over; None when nothing is left of it."""
    if when.day_from is None or when.day_to is None:
        return when
    if when.day_to < scene.today:
        return None
    if when.day_to == scene.today and _over_today(when, scene.now, scene, strict=strict):
        return None
    live = replace(when, day_from=max(when.day_from, scene.today))
    return replace(live, not_days=_inside(live))


def _inside(when: When) -> tuple[date, ...]:
    """The days ruled out that the wish would otherwise hold."""
    first, last = when.day_from or date.min, when.day_to or date.max
    return tuple(day for day in when.not_days if first <= day <= last)


def _over_today(when: When, now: datetime, scene: Scene, *, strict: bool) -> bool:
    clock = now.time().replace(tzinfo=None)
    if when.point and when.time_from is not None:
        return when.time_from < clock.replace(second=0, microsecond=0)
    if when.time_to is not None:
        return when.time_to <= clock
    return strict and not any(end > clock for _, end in scene.open_times.opening(scene.today))


def _clocks(
    draft: Draft, span: Span | None, earlier: When | None, scene: Scene
) -> tuple[Clock, ...]:
    opening = _opening(span, scene)
    if draft.clock is None:
        return (_half_of(None, draft.half, opening),) if draft.half else ()
    clock = draft.clock
    if clock.half is not None and clock.end is not None:
        end = time(12) if clock.begin < time(9) and clock.end < time(12) else clock.end
        return (_half_of((clock.begin, end), clock.half, opening),)
    if clock.bare and earlier and earlier.time_from and earlier.time_to:
        clock = fitted(clock, earlier.time_from, earlier.time_to)
    return _hours(clock, opening)


def _opening(span: Span | None, scene: Scene) -> Opening:
    """The hours of the first open day wished for, or of the next open day at all."""
    if span is not None:
        first = max(span[0], scene.today)
        days = min((span[1] - first).days, _LOOK_AHEAD)
        for ahead in range(days + 1):
            if opening := scene.open_times.opening(first + ahead * _DAY):
                return opening
    for ahead in range(_LOOK_AHEAD):
        if opening := scene.open_times.opening(scene.today + ahead * _DAY):
            return opening
    return ()


def _hours(clock: Clock, opening: Opening) -> tuple[Clock, ...]:
    """A bare hour is the one at which the hospital is open; neither → the daytime reading."""
    if not clock.bare or clock.end is not None:
        return (replace(clock, bare=False),)
    readings = [
        Clock(clock.begin.replace(hour=hour))
        for hour in sorted({clock.begin.hour, (clock.begin.hour + 12) % 24})
    ]
    inside = [r for r in readings if any(a <= r.begin < b for a, b in opening)]
    if not inside and opening:
        inside = [r for r in readings if opening[0][0] <= r.begin < opening[-1][1]]
    return tuple(inside) or (Clock(clock.begin),)


def _half_of(window: tuple[time, time] | None, half: Half | None, opening: Opening) -> Clock:
    """The earlier or later half of the opening hours inside the window, cut at a half hour."""
    begin, end = _open_part(window, opening)
    middle = (_minutes(begin) + _minutes(end)) // 2
    cut = _time(middle - middle % 30)
    if half is Half.LATE:
        return Clock(max(cut, begin), end)
    return Clock(begin, cut if cut > begin else end)


def _open_part(window: tuple[time, time] | None, opening: Opening) -> tuple[time, time]:
    if window is None:
        return (opening[0][0], opening[-1][1]) if opening else (w.DAY_BEGIN, w.DAY_END)
    parts = [(max(a, window[0]), min(b, window[1])) for a, b in opening]
    real = [part for part in parts if part[0] < part[1]]
    return max(real, key=lambda p: _minutes(p[1]) - _minutes(p[0]), default=window)


def _minutes(moment: time) -> int:
    return moment.hour * 60 + moment.minute


def _time(minutes: int) -> time:
    return time(minutes // 60, minutes % 60)
