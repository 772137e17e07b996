"""Dates and clock times that a sentence states, as far as it states them (T12).

Reads digits and spoken numbers ("12월 8일 오전 10시 30분", "오후 세 시 반"). Decides nothing about
truth except whether a stated time agrees with a known moment in every part that was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from wonmu.clock import SEOUL

_NATIVE = {
    "열두": 12, "열한": 11, "열": 10, "아홉": 9, "여덟": 8, "일곱": 7,
    "여섯": 6, "다섯": 5, "네": 4, "세": 3, "두": 2, "한": 1,
}  # fmt: skip
_SINO = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
_MONTHS = {"유": 6, "시": 10}
_WEEKDAYS = "월화수목금토일"
_NUM = r"(?:\d{1,2}|[일이삼사오육칠팔구십]{1,4})"
_STATED = re.compile(
    rf"(?:(?P<month>\d{{1,2}}|십[일이]|유|시|[일이삼사오육칠팔구십])월\s*(?:달\s*)?)?"
    rf"(?:(?<![가-힣])(?P<day>{_NUM})일(?!곱)\s*)?"
    rf"(?:\(?(?P<weekday>[{_WEEKDAYS}])요일\)?\s*)?"
    r"(?:에\s*|날\s*)?"
    r"(?P<half>오전|오후|낮|저녁|밤|아침|새벽)?\s*"
    rf"(?:(?<![가-힣\d])(?:(?P<hour>\d{{1,2}}|{'|'.join(_NATIVE)})\s*시(?!간|작|술|내|력|럽)"
    rf"\s*(?:(?P<minute>{_NUM})\s*분|(?P<thirty>반))?|(?P<clock>\d{{1,2}}:\d{{2}})))?"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """Parts of a moment that were said; ``None`` = not said. ``hour`` is as spoken (1–24)."""

    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    afternoon: bool | None = None
    hour: int | None = None
    minute: int | None = None

    @property
    def is_concrete(self) -> bool:
        """A day of the month or a clock time was said; a weekday alone can be a house rule."""
        return self.day is not None or self.hour is not None

    def agrees(self, moment: datetime) -> bool:
        """Whether every part said is true of ``moment`` (in Seoul)."""
        here = moment.astimezone(SEOUL)
        return (
            self.month in (None, here.month)
            and self.day in (None, here.day)
            and self.weekday in (None, here.weekday())
            and (self.hour is None or self._hour_agrees(here))
        )

    def _hour_agrees(self, here: datetime) -> bool:
        if (self.minute or 0) != here.minute or self.hour is None:
            return False
        if self.hour > 12 or self.hour == 0:
            return self.hour == here.hour
        if self.afternoon is not None and self.afternoon != (here.hour >= 12):
            return False
        return self.hour % 12 == here.hour % 12


@dataclass(frozen=True, slots=True)
class StatedSpan:
    """A stated time and where it stands in the sentence, [start, end)."""

    stated: Stated
    start: int
    end: int


def stated_times(sentence: str) -> tuple[Stated, ...]:
    """Every time a sentence states; a later one takes over the day and half of the one before."""
    return tuple(span.stated for span in stated_spans(sentence))


def stated_spans(sentence: str) -> tuple[StatedSpan, ...]:
    """Like ``stated_times``, with the places."""
    found: list[StatedSpan] = []
    for match in _STATED.finditer(sentence):
        stated = _stated(match)
        if stated is None:
            continue
        full = _carried_over(stated, found[-1].stated) if found else stated
        found.append(StatedSpan(full, match.start(), match.end()))
    return tuple(found)


def all_agree(stated: Iterable[Stated], moments: Iterable[datetime]) -> bool:
    """Whether each stated time is one of the known moments."""
    known = tuple(moments)
    return all(any(one.agrees(moment) for moment in known) for one in stated)


def _stated(match: re.Match[str]) -> Stated | None:
    month, day, weekday, hour, clock = match.group("month", "day", "weekday", "hour", "clock")
    if not any((day, weekday, hour, clock)):
        return None
    half = match["half"]
    spoken_hour, minute = _clock(match)
    return Stated(
        month=_MONTHS.get(month, 0) or _number(month) if month else None,
        day=_number(day) if day else None,
        weekday=_WEEKDAYS.index(weekday) if weekday else None,
        afternoon=None if half is None else half in ("오후", "낮", "저녁", "밤"),
        hour=spoken_hour,
        minute=minute,
    )


def _clock(match: re.Match[str]) -> tuple[int | None, int | None]:
    if match["clock"]:
        hour, minute = match["clock"].split(":")
        return int(hour), int(minute)
    if match["hour"] is None:
        return None, None
    minute = match["minute"]
    said = 30 if match["thirty"] else _number(minute) if minute else 0
    return _NATIVE.get(match["hour"], 0) or int(match["hour"]), said


def _carried_over(stated: Stated, before: Stated) -> Stated:
    if stated.day is None and stated.weekday is None:
        stated = replace(stated, month=before.month, day=before.day, weekday=before.weekday)
    if stated.afternoon is None and stated.hour is not None:
        stated = replace(stated, afternoon=before.afternoon)
    return stated


def _number(text: str) -> int:
    """A number below 100 in digits or Sino-Korean syllables."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("십")
    if not ten:
        return _SINO.get(text[-1], 0)
    return 10 * _SINO.get(tens, 1) + _SINO.get(ones, 0)
