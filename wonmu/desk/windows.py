"""When a caller wants to be called back, inside the desk's hours (P2).

Decides from the caller's words, the present moment and the desk's times whether a wish is a window
in which somebody can call. It must never move a wish to another day by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Protocol

from wonmu.clock import SEOUL
from wonmu.desk.records import CallWindow
from wonmu.korean.dates import Understood, When, read_when

Interval = tuple[time, time]

DAYS_AHEAD = 14
"""A call-back later than two weeks is a new matter; the caller is asked for an earlier day."""
POINT_MINUTES = 60
"""How long after a named clock time the call still counts as on time."""
LONGEST_WORDS = 200

_ANY = re.compile(
    r"아무\s*(때|시간|날)|언제(든|라도|나)|상관\s*없|편(한|하신|하실)\s*(때|시간|대로)|되(는|시는)\s*대로|"
    r"빨리|바로|최대한|가능한\s*(한|빨)|아무렇게나|모르겠"
)


class DeskTimes(Protocol):
    """When the people of the desk answer; empty on a day off."""

    def desk_times(self, day: date) -> tuple[Interval, ...]: ...


@dataclass(frozen=True, slots=True)
class AnyTime:
    """The caller does not mind when."""


@dataclass(frozen=True, slots=True)
class DeskClosed:
    """Nobody is there then. ``opens`` is the next time of the desk from that wish on, if any."""

    opens: tuple[datetime, datetime] | None


@dataclass(frozen=True, slots=True)
class Unclear:
    """No one window in these words."""


WindowReading = CallWindow | AnyTime | DeskClosed | Unclear


@dataclass(frozen=True, slots=True)
class _AsOpening:
    """The desk's times in the shape that the reader of dates wants."""

    times: DeskTimes

    def opening(self, day: date) -> tuple[Interval, ...]:
        return self.times.desk_times(day)


def read_window(
    words: str, *, now: datetime, times: DeskTimes, holidays: Mapping[date, str]
) -> WindowReading:
    """The wished window. ``now`` must be aware; it is taken in Asia/Seoul."""
    reading = read_when(words, now=now, open_times=_AsOpening(times), holidays=holidays)
    if not isinstance(reading, Understood):
        return AnyTime() if _ANY.search(words) else Unclear()
    when = reading.when
    if not when.has_day and not when.has_time:
        return AnyTime() if when.soonest or _ANY.search(words) else Unclear()
    local = now.astimezone(SEOUL)
    spans = [span for day in _days(when, local.date()) for span in _spans(when, day, times, local)]
    if not spans:
        return DeskClosed(next_times(when.day_from or local.date(), times, local))
    last = spans[-1] if when.has_day else _same_day(spans)
    return CallWindow(words[:LONGEST_WORDS], spans[0][0], last[1])


def next_times(day: date, times: DeskTimes, now: datetime) -> tuple[datetime, datetime] | None:
    """The first stretch from ``day`` on in which the desk answers and that is not over."""
    start = max(day, now.astimezone(SEOUL).date())
    for number in range(DAYS_AHEAD + 1):
        for span in _spans(When(), start + timedelta(days=number), times, now):
            return span
    return None


def _days(when: When, today: date) -> Iterator[date]:
    first = when.day_from or today
    last = when.day_to or today + timedelta(days=DAYS_AHEAD)
    last = min(last, today + timedelta(days=DAYS_AHEAD))
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        if day not in when.not_days:
            yield day


def _spans(
    when: When, day: date, times: DeskTimes, now: datetime
) -> Iterator[tuple[datetime, datetime]]:
    """The wish within the desk's times of one day, without what is over."""
    local = now.astimezone(SEOUL)
    wished_from, wished_to = _wished(when, day)
    for opens, closes in times.desk_times(day):
        start = max(datetime.combine(day, opens, SEOUL), wished_from, local)
        end = min(datetime.combine(day, closes, SEOUL), wished_to)
        if start < end:
            yield start.replace(second=0, microsecond=0), end


def _wished(when: When, day: date) -> tuple[datetime, datetime]:
    start = datetime.combine(day, when.time_from or time(), SEOUL)
    if when.point:
        return start, start + timedelta(minutes=POINT_MINUTES)
    if when.time_to is not None:
        return start, datetime.combine(day, when.time_to, SEOUL)
    return start, datetime.combine(day, time(), SEOUL) + timedelta(days=1)


def _same_day(spans: list[tuple[datetime, datetime]]) -> tuple[datetime, datetime]:
    """A clock time without a day means the next time it comes, not a fortnight of it."""
    first = spans[0][0].date()
    return [span for span in spans if span[0].date() == first][-1]
