"""Finds the phrases of day and time in tidied words and gives each its plain meaning.

Wraps the calendar library and overrules it where a hospital's telephone needs another reading:
weekdays, weeks of a month, the ends of a month, parts of the day. It never drops a phrase for what
stands around it (history, refusals, bounds): that is ``date_context``.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from korean_datetime import (
    Ambiguity,
    AmbiguousHour,
    BuiltinHolidays,
    ChainedHolidays,
    DateTableHolidays,
    Grain,
    Kind,
    ParseOptions,
    TemporalExpression,
    TemporalParser,
)

from wonmu.korean import date_words as w
from wonmu.korean.date_draft import Clock, Draft, Half, Piece, Span
from wonmu.korean.when import AmbiguityKind

_DAY = timedelta(days=1)
_WEEKDAYS = "월화수목금토일"
_WEEKDAY = re.compile(
    r"^(이번|다음|담|오는|돌아오는|다가오는|매주)?\s*([월화수목금토일])\s*(?:요일|욜)"
)
_NTH = re.compile(
    r"(?:(첫|둘|셋|넷|다섯)\s*째|(첫|두|세|네|다섯)\s*번째|(마지막))\s*주(?:\s*([월화수목금토일])\s*(?:요일|욜))?"
)
_NTH_VALUE = {"첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5}
_LATER_WEEKDAY = re.compile(
    r"(?:(?P<weeks>주일?)|[달월일름흘])\s*(?:뒤|후)(?:쯤|경)?에?\s*(?P<day>[월화수목금토일])\s*(?:요일|욜)"
)
_WEEKDAYS_ONLY = re.compile(r"^(?:평일|주중)")
_MONTH_END = re.compile(r"(?:달|월)\s*말$")
_MONTH_BEGIN = re.compile(r"(?:달|월)\s*초$")
#: Too general to be the name of a day, though a hospital's table may use them as one.
_NO_NAMES = frozenset({"휴진", "휴무", "휴일", "공휴일", "휴무일", "대체공휴일", "대체 휴일"})
_MONTH_AND_DAY = re.compile(r"월.*일$")
_LONG_WAY = timedelta(days=180)
"""A day of the month moved on by more than this was meant as the one just gone ("7월 20일" said
on 22 July), not the one next year; half the year is where both are equally near."""


@lru_cache(maxsize=8)
def _parser(names: tuple[tuple[date, str], ...]) -> TemporalParser:
    """Building one costs about 30 ms, so one is kept per table of named days."""
    if not names:
        return TemporalParser(ParseOptions(ambiguous_hour=AmbiguousHour.DAYTIME))
    calendar = ChainedHolidays(DateTableHolidays(names), BuiltinHolidays())
    options = ParseOptions(ambiguous_hour=AmbiguousHour.DAYTIME, holidays=calendar)
    return TemporalParser(options)


def _named(holidays: Mapping[date, str]) -> tuple[tuple[date, str], ...]:
    kept = ((day, name) for day, name in holidays.items() if len(name.strip()) > 1)
    return tuple(sorted((day, name) for day, name in kept if name.strip() not in _NO_NAMES))


@lru_cache(maxsize=8)
def _feasts(library: TemporalParser) -> frozenset[str]:
    calendar = library.options.holidays or BuiltinHolidays()
    names = (*calendar.names(), *calendar.span_names())
    return frozenset("".join(name.split()) for name in names)


class Finder:
    """Reads phrases at one moment with one table of named days."""

    def __init__(self, now: datetime, holidays: Mapping[date, str]) -> None:
        self._now = now
        self._today = now.date()
        self._library = _parser(_named(holidays))

    def find(self, masked: str) -> list[Piece]:
        """The phrases in order of place. A phrase without a day carries none, whatever the hour."""
        pieces = (self._piece(e, masked) for e in self._library.parse_all(masked, self._now))
        return [piece for piece in pieces if piece is not None]

    def _piece(self, found: TemporalExpression, masked: str) -> Piece | None:
        draft = Draft()
        if found.text.startswith("지금"):
            draft = Draft(days=((self._today, self._today),), soonest=True)
        elif found.kind is not Kind.TIME:
            draft = self._days(found)
        elif "이따" in found.text:
            draft = Draft(days=((self._today, self._today),))
        if found.kind is not Kind.DATE and not draft.soonest:
            draft = replace(draft, clock=_clock(found))
        if draft.empty:
            return None
        start, end = found.span
        return Piece(
            start,
            end,
            found.text,
            draft,
            feast=self._is_feast(found),
        )

    def _is_feast(self, found: TemporalExpression) -> bool:
        return "".join(found.text.split()) in _feasts(self._library)

    def _days(self, found: TemporalExpression) -> Draft:
        if not found.is_range:
            special = (
                self._nth_week(found)
                or self._weekday(found)
                or self._weekday_later(found)
                or self._working_days(found)
            )
            if special is not None:
                return special
        if found.kind is Kind.DATETIME and Ambiguity.MULTI_DAY_TIME in found.ambiguities:
            return self._wide_days(found)
        first, last = found.start.date(), (found.end - timedelta(microseconds=1)).date()
        if found.kind is Kind.DATETIME and not found.is_range:
            last = first
        return Draft(days=(self._narrowed(found, first, last),))

    def _wide_days(self, found: TemporalExpression) -> Draft:
        """ "다음 주 오후": the library keeps only the first day, the caller means the week."""
        said = _date_part(found)
        if len(said) >= len(found.text):
            return Draft(days=((found.start.date(), found.start.date()),))
        inner = self._library.parse(said, self._now)
        return self._days(inner) if inner is not None else Draft()

    def _narrowed(self, found: TemporalExpression, first: date, last: date) -> Span:
        if found.grain is not Grain.DAY or found.is_range:
            return first, last
        if _MONTH_END.search(found.text):
            return last - 6 * _DAY, last
        if _MONTH_BEGIN.search(found.text):
            return first, first + 6 * _DAY
        if Ambiguity.CYCLE_SHIFTED in found.ambiguities and _MONTH_AND_DAY.search(
            _date_part(found)
        ):
            first, last = self._unshifted(first, last)
        return first, last

    def _unshifted(self, first: date, last: date) -> Span:
        if first - self._today < _LONG_WAY or first.day != last.day:
            return first, last
        try:
            back = first.replace(year=first.year - 1)
        except ValueError:
            return first, last
        return back, back

    def _weekday(self, found: TemporalExpression) -> Draft | None:
        """Today's weekday and "다음 X요일" have two readings; "오는" is never today.

        On a Thursday: "목요일" asks back, "이번 주 목요일" and "이번 목요일" are today, "돌아오는
        목요일" and "다음 주 목요일" are a week later. On a Wednesday "다음 목요일" asks back.
        """
        match = _WEEKDAY.match(found.text)
        if match is None:
            return None
        wanted = _WEEKDAYS.index(match[2])
        ahead = (wanted - self._today.weekday()) % 7
        near, far = self._today + ahead * _DAY, self._today + (ahead or 7) * _DAY
        match match[1]:
            case "이번":
                return _on(near)
            case "오는" | "돌아오는" | "다가오는":
                return _on(far)
            case "다음" | "담":
                monday = self._today - self._today.weekday() * _DAY
                return _on(far, monday + (7 + wanted) * _DAY, doubt=AmbiguityKind.NEXT_WEEKDAY)
            case _:
                draft = _on(near, far, doubt=AmbiguityKind.SAME_WEEKDAY)
                return replace(draft, weekday=wanted)

    def _weekday_later(self, found: TemporalExpression) -> Draft | None:
        """ "2주 뒤 월요일": the library drops the weekday. Weeks are counted from Monday to Sunday;
        after days or months the nearest such weekday is meant.
        """
        match = _LATER_WEEKDAY.search(found.text)
        if match is None:
            return None
        counted, wanted = found.start.date(), _WEEKDAYS.index(match["day"])
        day = counted + (wanted - counted.weekday()) * _DAY
        if match["weeks"] is None:
            day = min((day + n * 7 * _DAY for n in (-1, 0, 1)), key=lambda d: abs(d - counted))
        return _on(day if day > self._today else day + 7 * _DAY)

    def _working_days(self, found: TemporalExpression) -> Draft | None:
        if not _WEEKDAYS_ONLY.match(found.text):
            return None
        days = [self._today + n * _DAY for n in range(14)]
        weekend = tuple(day for day in days if day.weekday() > 4)
        return Draft(days=((days[0], days[-1]),), not_days=weekend)

    def _nth_week(self, found: TemporalExpression) -> Draft | None:
        """The calendar row and the n-th weekday (or the week with its Thursday) may differ."""
        match = _NTH.search(found.text)
        if match is None:
            return None
        nth = 0 if match[3] else _NTH_VALUE[match[1] or match[2]]
        named = self._library.parse(found.text[: match.start()], self._now)
        month = (named.start if named else found.start).date().replace(day=1)
        if named is not None and named.grain is Grain.YEAR and nth == 0:
            month = month.replace(month=12)
        if named is None:
            month = self._today.replace(day=1)
        weekday = _WEEKDAYS.index(match[4]) if match[4] else None
        draft = _nth_draft(month, nth, weekday)
        if named is None and all(last < self._today for _, last in draft.days):
            draft = _nth_draft((month + 31 * _DAY).replace(day=1), nth, weekday)
        return draft


def _date_part(found: TemporalExpression) -> str:
    at = w.TIME_START.search(found.text)
    return (found.text[: at.start()] if at else found.text).rstrip()


def _on(*days: date, doubt: AmbiguityKind | None = None) -> Draft:
    spans = tuple((day, day) for day in dict.fromkeys(days))
    return Draft(days=spans, doubt=doubt if len(spans) > 1 else None)


def _nth_draft(month: date, nth: int, weekday: int | None) -> Draft:
    last = month.replace(day=monthrange(month.year, month.month)[1])
    base = last if nth == 0 else month
    row = base - base.weekday() * _DAY + max(nth - 1, 0) * 7 * _DAY
    if weekday is not None:
        counted = _nth_weekday(month, last, nth, weekday)
        return _on(row + weekday * _DAY, counted, doubt=AmbiguityKind.NTH_WEEK)
    thursday = _nth_weekday(month, last, nth, 3)
    weeks = dict.fromkeys((row, thursday - 3 * _DAY))
    spans = tuple((monday, monday + 6 * _DAY) for monday in weeks)
    return Draft(days=spans, doubt=AmbiguityKind.NTH_WEEK if len(spans) > 1 else None)


def _nth_weekday(month: date, last: date, nth: int, weekday: int) -> date:
    if nth == 0:
        return last - (last.weekday() - weekday) % 7 * _DAY
    return month + ((weekday - month.weekday()) % 7 + 7 * (nth - 1)) * _DAY


def _clock(found: TemporalExpression) -> Clock | None:
    begin, end = found.start.time(), found.end.time()
    if found.is_range:
        return Clock(begin, end if end > begin else w.DAY_END)
    period = _longest(m[0] for m in w.PERIOD.finditer(found.text))
    if period and not w.CLOCK.search(found.text):
        window = w.PERIODS[period.replace(" ", "")]
        half = Half.LATE if period.startswith("늦은") or "늦" in found.text else None
        if period.startswith("이른") or "일찍" in found.text:
            half = Half.EARLY
        return Clock(*window, half=half)
    if found.grain is Grain.HOUR and not w.CLOCK.search(found.text):
        return Clock(begin, end if end > begin else w.DAY_END)
    literal = w.LITERAL_CLOCK.search(found.text) is not None and period is None
    bare = Ambiguity.MERIDIEM in found.ambiguities or (literal and begin.hour < 12)
    return Clock(time(begin.hour, begin.minute), bare=bare)


def _longest(words: Iterable[str]) -> str | None:
    return max(words, key=len, default=None)
