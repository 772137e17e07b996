"""Wishes that lean on an earlier one: "그날 오후로", "하루만 늦게", "다음 주 같은 요일".

Decides how the earlier wish moves before the rest of the words is laid over it. It never acts
without an earlier wish, and blanks what it has used so that nobody reads it twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from wonmu.korean import date_words as w
from wonmu.korean.date_clean import BLANK, sino
from wonmu.korean.when import When

_DAY = timedelta(days=1)
_DAYS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "열흘": 10, "보름": 15}
_DAYS |= {"일주일": 7, "이주일": 14, "한 주": 7, "한주": 7, "두 주": 14, "두주": 14}
_HOURS = {"한": 1, "두": 2, "세": 3, "네": 4}
_LATER = r"뒤로|뒤\s*쪽|늦게|늦춰|늦추|늦은|미뤄|미루|나중"
_SOONER = r"당겨|당기|앞당|일찍|빨리|빠른|앞으로|먼저|전으로|이른"
_MOVE = rf"\s*(?:만|정도|쯤)?\s*(?:더\s*|좀\s*)*(?:(?P<later>{_LATER})|(?P<sooner>{_SOONER}))"
_DAY_SHIFT = re.compile(
    rf"(?P<days>{'|'.join(_DAYS)}|(?:\d{{1,2}}|[일이삼사오육칠팔구십]{{1,2}})\s*일){_MOVE}"
)
_TIME_SHIFT = re.compile(
    r"(?:(?P<hours>한|두|세|네|\d)\s*시간(?P<half>\s*반)?|(?P<halfhour>반\s*시간)|"
    rf"(?P<minutes>\d{{1,2}}|[일이삼사오육칠팔구십]{{1,3}})\s*분){_MOVE}"
)
_NEXT_DAY = re.compile(r"(?:그\s*)?다음\s*날|이튿날")
_AFTER_IT = re.compile(r"그\s*(?:뒤|이후|후)\s*(?:로|에|쪽)")
_SAME_WEEKDAY = re.compile(
    r"(?:(?P<that>그\s*다음\s*주)|(?P<next>다음\s*주|담\s*주)|(?P<next2>다다음\s*주))?\s*에?\s*"
    r"(?:같은|그)\s*(?:요일|시간|시각)"
)
_THAT_NEXT_WEEK = re.compile(r"그\s*다음\s*주")
_SAME_DAY = re.compile(r"그\s*날|같은\s*날")
_LATER_DAY = re.compile(r"더\s*(?:늦은|뒤의?)\s*날")
_SOONER_DAY = re.compile(r"더\s*(?:빠른|이른|앞의?)\s*날")
_LATER_TIME = re.compile(r"(?:더|좀|조금)\s*(?:늦은|늦게|뒤\s*(?:로|쪽)|뒤\s*시간)")
_SOONER_TIME = re.compile(r"(?:더|좀|조금)\s*(?:이른|일찍|빠른|빨리|앞\s*(?:으로|당|쪽))")


@dataclass(frozen=True, slots=True)
class Leaned:
    """The words left to read, the earlier wish as moved, and whether it was leaned on at all."""

    masked: str
    earlier: When | None
    touched: bool


def leaned_on(masked: str, earlier: When | None, today: date) -> Leaned:
    """Applies every relative phrase in the words to the earlier wish, one kind after the other."""
    if earlier is None:
        return Leaned(_SAME_DAY.sub(_blank, masked), None, False)
    touched = False
    for pattern, move in _moves(today):
        match = pattern.search(masked)
        if match is None:
            continue
        moved = move(match, earlier)
        if moved is None:
            continue
        earlier, touched = moved, True
        masked = masked[: match.start()] + _blank(match) + masked[match.end() :]
    return Leaned(masked, earlier, touched)


Move = Callable[[re.Match[str], When], When | None]


def _moves(today: date) -> tuple[tuple[re.Pattern[str], Move], ...]:
    return (
        (_TIME_SHIFT, _shift_time),
        (_DAY_SHIFT, _shift_days),
        (_SAME_WEEKDAY, lambda m, e: _same_weekday(m, e, today)),
        (_THAT_NEXT_WEEK, lambda _, e: _week_after(e)),
        (_NEXT_DAY, lambda _, e: _on_day(e, 1)),
        (_AFTER_IT, lambda _, e: _after(e)),
        (_SAME_DAY, lambda _, e: e),
        (_LATER_DAY, lambda _, e: _days_beside(e, today, later=True)),
        (_SOONER_DAY, lambda _, e: _days_beside(e, today, later=False)),
        (_LATER_TIME, lambda _, e: _time_beside(e, later=True)),
        (_SOONER_TIME, lambda _, e: _time_beside(e, later=False)),
    )


def _blank(match: re.Match[str]) -> str:
    return BLANK * len(match[0])


def _shift_days(match: re.Match[str], earlier: When) -> When | None:
    said = " ".join(match["days"].split())
    count = _DAYS.get(said) or sino(said.removesuffix("일").strip())
    if count is None:
        return None
    return _on_day(earlier, count if match["later"] else -count)


def _on_day(earlier: When, days: int) -> When | None:
    """The earlier day (the first of a range) moved; its time of day stays."""
    if earlier.day_from is None:
        return None
    day = _moved(earlier.day_from, days)
    return None if day is None else replace(earlier, day_from=day, day_to=day, soonest=False)


def _moved(day: date, days: int) -> date | None:
    try:
        return day + days * _DAY
    except OverflowError:
        return None


def _shift_time(match: re.Match[str], earlier: When) -> When | None:
    if earlier.time_from is None or not earlier.point:
        return None
    minutes = _minutes(match)
    at = datetime.combine(date(2000, 1, 2), earlier.time_from)
    moved = at + timedelta(minutes=minutes if match["later"] else -minutes)
    return replace(earlier, time_from=moved.time()) if moved.date() == at.date() else None


def _minutes(match: re.Match[str]) -> int:
    if match["halfhour"]:
        return 30
    if match["minutes"]:
        return sino(match["minutes"]) or 0
    hours = _HOURS.get(match["hours"]) or int(match["hours"])
    return hours * 60 + (30 if match["half"] else 0)


def _same_weekday(match: re.Match[str], earlier: When, today: date) -> When | None:
    day = earlier.one_day
    if day is None:
        return earlier if earlier.has_time else None
    monday = today - today.weekday() * _DAY
    if match["that"]:
        target = day + 7 * _DAY
    elif match["next"] or match["next2"]:
        weeks = 1 if match["next"] else 2
        target = monday + (7 * weeks + day.weekday()) * _DAY
    else:
        target = day
    return replace(earlier, day_from=target, day_to=target)


def _week_after(earlier: When) -> When | None:
    if earlier.day_from is None:
        return None
    monday = earlier.day_from - earlier.day_from.weekday() * _DAY + 7 * _DAY
    return replace(earlier, day_from=monday, day_to=monday + 6 * _DAY)


def _after(earlier: When) -> When | None:
    if earlier.day_to is None:
        return None
    return When(day_from=earlier.day_to + _DAY, day_to=earlier.day_to + 14 * _DAY)


def _days_beside(earlier: When, today: date, *, later: bool) -> When | None:
    """ "더 빠른 날": any day before the earlier one, from today on; its time of day stays."""
    if earlier.day_from is None or earlier.day_to is None:
        return None
    if later:
        first, last = earlier.day_to + _DAY, earlier.day_to + 14 * _DAY
    else:
        first, last = min(today, earlier.day_from - _DAY), earlier.day_from - _DAY
    return replace(earlier, day_from=first, day_to=last)


def _time_beside(earlier: When, *, later: bool) -> When | None:
    """ "더 늦은 시간": anything after the earlier clock time, on the same day."""
    at = earlier.time_from
    if at is None or not earlier.point or at == w.DAY_BEGIN or at >= time(23, 58):
        return None
    if not later:
        return replace(earlier, time_from=w.DAY_BEGIN, time_to=at, point=False)
    next_minute = (datetime.combine(date(2000, 1, 1), at) + timedelta(minutes=1)).time()
    return replace(earlier, time_from=next_minute, time_to=w.DAY_END, point=False)
