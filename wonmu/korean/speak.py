"""Values into Korean speech.

Decides how a date, a time, a telephone number, a birth date, a count or a list is said, and puts
ranges, clock times and abbreviations of any text into a form that a voice reads rightly
(``voice_text``, the last step before a voice). It never decides what is said.

Hours are native Korean numbers (두 시), minutes and years Sino-Korean; days of the calendar keep
their digits (12월 8일), which voices read correctly, except in birth dates, which are spelled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time

from wonmu.clock import SEOUL
from wonmu.errors import ProgrammingError
from wonmu.korean.counting import digit_words, native, sino
from wonmu.korean.josa import PAIRS, josa, with_josa
from wonmu.korean.phone import Phone
from wonmu.korean.voice import voice_text

__all__ = [
    "josa",
    "speak_birth",
    "speak_count",
    "speak_date",
    "speak_digits",
    "speak_list",
    "speak_month",
    "speak_phone",
    "speak_time",
    "speak_when",
    "voice_text",
    "weekday_name",
    "with_josa",
]

_WEEKDAYS = ("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일")
_MONTHS = {6: "유월", 10: "시월"}


def weekday_name(day: date) -> str:
    """월요일 … 일요일."""
    return _WEEKDAYS[day.weekday()]


def speak_date(day: date, *, today: date | None = None, with_year: bool = False) -> str:
    """ "12월 8일 화요일"; the year comes first when asked for or when it is not ``today``'s."""
    year = with_year or (today is not None and today.year != day.year)
    head = f"{day.year}년 " if year else ""
    return f"{head}{day.month}월 {day.day}일 {weekday_name(day)}"


def speak_time(clock: time) -> str:
    """ "오후 두 시 삼십 분"; noon is 낮 열두 시, the hour after midnight 밤 열두 시.

    Seconds are not spoken.
    """
    hour = native(clock.hour % 12 or 12)
    minutes = f" {sino(clock.minute)} 분" if clock.minute else ""
    return f"{_half(clock)} {hour} 시{minutes}"


def _half(clock: time) -> str:
    if clock.hour == 0:
        return "밤"
    if (clock.hour, clock.minute) == (12, 0):
        return "낮"
    return "오전" if clock.hour < 12 else "오후"


def speak_when(moment: datetime, *, today: date | None = None, with_year: bool = False) -> str:
    """ "12월 8일 화요일 오후 두 시 삼십 분", in hospital time.

    Raises ProgrammingError for a moment without a zone.
    """
    if moment.tzinfo is None:
        raise ProgrammingError("a moment without a time zone cannot be spoken")
    local = moment.astimezone(SEOUL)
    day = speak_date(local.date(), today=today, with_year=with_year)
    return f"{day} {speak_time(local.time())}"


def speak_digits(text: str) -> str:
    """Digit by digit, in the groups of a telephone number or of the hyphens in ``text``."""
    phone = Phone.parse(text)
    if phone is not None:
        return speak_phone(phone)
    groups = [digit_words(part) for part in text.replace(" ", "-").split("-")]
    return ", ".join(group for group in groups if group)


def speak_phone(phone: Phone) -> str:
    """ "공일공, 일이삼사, 오육칠팔"."""
    return ", ".join(digit_words(part) for part in phone.hyphened.split("-"))


def speak_month(month: int) -> str:
    """삼월, 유월, 시월 …"""
    return _MONTHS.get(month, f"{sino(month)}월")


def speak_birth(day: date) -> str:
    """ "천구백팔십오년 삼월 십이일"; never two digits at a time (a year is one number)."""
    return f"{sino(day.year)}년 {speak_month(day.month)} {sino(day.day)}일"


def speak_count(count: int) -> str:
    """The number before a counter: 한, 두, 세 … 스무 (건, 번, 명); Sino from 100, 영 for none."""
    return native(count) if 0 < count < 100 else sino(count)


def speak_list(items: Sequence[str], last: str = "또는") -> str:
    """ "가, 나 또는 다". ``last`` may be a particle pair: "과/와" gives "가, 나와 다"."""
    if len(items) < 2:
        return "".join(items)
    before = ", ".join(items[:-1])
    link = josa(before, last) if last in PAIRS else f" {last}"
    return f"{before}{link} {items[-1]}"
