"""Recognising a moment or a birth date in words, for the checks.

Written apart from the code that composes the product's sentences, on purpose: a check that used
the same function as the sentence would agree with every mistake in it. It only recognises; it
must never be used to compose what a caller hears.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from wonmu.clock import SEOUL

_SINO = ("", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구")
_DIGIT_WORDS = ("공", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구")
_HOURS = ("열두", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한")
_WEEKDAYS = ("월", "화", "수", "목", "금", "토", "일")
_PLACES = ((1000, "천"), (100, "백"), (10, "십"))
_ODD_MONTHS = {6: "유", 10: "시"}


def sino(value: int) -> str:
    """1–9999 in Sino-Korean words without spaces."""
    out = ""
    for size, word in _PLACES:
        count, value = divmod(value, size)
        out += (_SINO[count] if count > 1 else "") + word if count else ""
    return out + _SINO[value]


def says_start(words: str, start: datetime) -> bool:
    """Do ``words`` name month, day, weekday, half of the day, hour and minute of ``start``?"""
    local = start.astimezone(SEOUL)
    flat = re.sub(r"\s+", "", words)
    return (
        re.search(_day_pattern(local.date()), flat) is not None
        and f"{_WEEKDAYS[local.weekday()]}요일" in flat
        and re.search(_time_pattern(local), flat) is not None
    )


def _day_pattern(day: date) -> str:
    months = [f"(?<!\\d)0?{day.month}", f"(?<!십){sino(day.month)}"]
    if day.month in _ODD_MONTHS:
        months.append(_ODD_MONTHS[day.month])
    return f"(?:{'|'.join(months)})월(?:0?{day.day}|{sino(day.day)})일"


def _time_pattern(local: datetime) -> str:
    hour = local.hour % 12
    half = _half(local.hour)
    clock = f"(?:{_HOURS[hour]}|0?{hour or 12})"
    if not local.minute:
        return f"(?:{half}){clock}(?:시(?:정각)?(?!\\d+분|[일이삼사오육칠팔구십]+분|반)|:00)"
    minutes = [f"{local.minute}분", f"{sino(local.minute)}분", *(["반"] if _is_half(local) else [])]
    return f"(?:{half}){clock}(?:시(?:{'|'.join(minutes)})|:{local.minute:02d})"


def _is_half(local: datetime) -> bool:
    return local.minute == 30


def _half(hour: int) -> str:
    if hour < 12:
        return "오전|새벽|아침"
    return "오후|낮|정오" if hour == 12 else "오후|낮|저녁|밤"


def birth_spellings(born: date) -> tuple[str, ...]:
    """Every spelling of a birth date that counts as a leak, digits and spoken Korean (N8)."""
    short = born.year % 100
    digits = f"{born.year:04d}{born.month:02d}{born.day:02d}"
    numbers = [
        f"{born.year}년{born.month}월{born.day}일",
        f"{short:02d}년{born.month}월{born.day}일",
    ]
    padded = [f"{year}년{born.month:02d}월{born.day:02d}일" for year in (born.year, f"{short:02d}")]
    words = [
        f"{year}년{month}월{sino(born.day)}일" for year in _years(born) for month in _months(born)
    ]
    strings = [
        digits[2:],
        *numbers,
        *padded,
        *words,
        _digit_words(digits),
        _digit_words(digits[2:]),
    ]
    return tuple(dict.fromkeys(strings))


def _years(born: date) -> tuple[str, ...]:
    digits = f"{born.year:04d}"
    short = sino(born.year % 100)
    own = (sino(born.year), _digit_words(digits), _digit_words(digits[2:]))
    return (*own, short) if short else own


def _months(born: date) -> tuple[str, ...]:
    odd = _ODD_MONTHS.get(born.month)
    return (sino(born.month), odd) if odd else (sino(born.month),)


def _digit_words(digits: str) -> str:
    return "".join(_DIGIT_WORDS[int(digit)] for digit in digits)


def leaks(private: str, written: str) -> bool:
    """Does ``private`` occur in ``written``, whatever spaces and separators lie between?

    A string of digits counts only where a number starts (with or without 19/20 before it), so
    that an id or a fraction of a second does not match by chance.
    """
    plain = _CLOCK_TIMES.sub(" ", written)
    digits = re.sub(r"[-\s./]", "", private)
    if digits.isdigit():
        century = r"(?:1\s?9\s?|2\s?0\s?)?" if len(digits) == 6 else ""
        return re.search(rf"(?<!\d){century}" + r"[-\s./,]{0,2}".join(digits), plain) is not None
    return _flat(private) in _flat(plain)


_CLOCK_TIMES = re.compile(r"T\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?")


def _flat(words: str) -> str:
    return re.sub(r"[\s,.\-·]+", "", words)
