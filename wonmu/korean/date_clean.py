"""Tidies the caller's words before the calendar library sees them.

Decides which stretches are no time at all (birth dates, telephone numbers, meals) and rewrites
spellings the library would misread. It never decides what a time means. ``masked`` has the same
length as ``shown``, so that a place found in one is the same place in the other.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from wonmu.korean import date_words as w

BLANK = "·"
_DIGITS = {c: i for i, c in enumerate("영일이삼사오육칠팔구")} | {"륙": 6}
_UNITS = {"십": 10, "백": 100, "천": 1000}
_HOUR = re.compile(r"(?<![\d:])(\d{2,3}|[일이삼사오육칠팔구십]{2,5})\s*시(?!간|\s*간|오(?!\s*분))")
_MONTH_DAY = re.compile(
    r"(?<![\d가-힣])(?:(\d{4})\s*년\s*)?"
    rf"(\d{{1,3}}|유|시|{w.SINO})\s*월(?!\s*(?:요일|욜))(?:\s*(\d{{1,3}}|{w.SINO})\s*일)?"
)
_LONE_DAY = re.compile(r"(?<![\d월])(?<!월\s)(\d{2})\s*일(?=에|로|이요|날|요|\s*$)")
_MINUTE = re.compile(r"\d{1,2}\s*시\s*(\d{1,3})\s*분")
DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.([0-5]\d)(?![\d.])")


def sino(text: str) -> int | None:
    """A number written in digits or Sino-Korean words, up to thousands; None when it is neither."""
    if text.isdigit():
        return int(text)
    total, digit = 0, 0
    for c in text:
        if c in _DIGITS:
            digit = digit * 10 + _DIGITS[c]
        elif c in _UNITS:
            total += (digit or 1) * _UNITS[c]
            digit = 0
        else:
            return None
    return total + digit


@dataclass(frozen=True, slots=True)
class Clean:
    """The words in two versions of equal length."""

    shown: str
    masked: str


def tidy(words: str, today: date) -> str:
    """One spelling of the words: composed letters, single spaces, near years in digits."""
    text = " ".join(unicodedata.normalize("NFC", words).split()).casefold()
    text = w.SPOKEN_ENDING.sub("", text)
    for rough, hours in w.ROUGH_HOURS.items():
        text = re.sub(rf"{rough}\s*시(?!간)", hours, text)
    text = w.FROM_TO_CHANGE.sub("대신", text)
    text = w.NOT_BUT.sub(" 말고", text)
    text = w.SINO_HOUR.sub(lambda m: f"{sino(m[1])}시", text)
    text = w.NEW_YEARS_WEEK.sub("1월 ", text)
    text = w.SHORT_DAY.sub(lambda m: f"{sino(m[1])}일", text)
    text = _reopen(text)
    return w.YEAR_DATE.sub(lambda m: _near_year(m, today), text)


def _reopen(text: str) -> str:
    """ "16.30" is half past four; "8.12" is a date. What could be both is left alone."""

    def rewrite(match: re.Match[str]) -> str:
        first, second = int(match[1]), int(match[2])
        is_date = exists(None, first, second)
        is_time = first <= 24 and second % 5 == 0
        if is_date and is_time:
            return match[0]
        return f"{first}/{second}" if is_date else f"{first}:{match[2]}" if is_time else match[0]

    return DOTTED.sub(rewrite, text)


def _near_year(match: re.Match[str], today: date) -> str:
    """Years of this and the next two stay (in four digits); all other years are no wish."""
    spoken = match["year"]
    number = sino(spoken)
    if number is None:
        return match[0]
    year = number + today.year // 100 * 100 if number < 100 else number
    if today.year <= year <= today.year + 2 and number >= 20:
        return f"{year}{match[0][len(spoken) :]}"
    if number < 20 and not match[0].rstrip().endswith(("월", "일")):
        return match[0]  # "2년", "십 년": a length of time
    return BLANK * len(match[0])


def clean(shown: str) -> Clean:
    """Blanks out what is no time, and hides bounds that would be taken for a length of time."""
    masked = w.BIRTH.sub(_blank, shown)
    masked = w.NOT_TIMES.sub(_blank, masked)
    masked = w.WITHIN.sub(_blank, masked)
    for pattern in (w.MONTH_DAY_THEN_BOUND, w.DAY_THEN_BOUND):
        masked = pattern.sub(lambda m: _hide_bound(m, shown), masked)
    return Clean(shown, masked)


def _blank(match: re.Match[str]) -> str:
    return BLANK * len(match[0])


def _hide_bound(match: re.Match[str], shown: str) -> str:
    begin = match.start("bound") - match.start()
    bound = match["bound"]
    after = shown[match.end() :]
    told = w.SYMPTOM.search(after) or after.startswith("부터")
    if bound == "전" and (told or not re.match(r"에|으로|까지|\s*$", after)):
        return match[0]
    return match[0][:begin] + BLANK * len(bound)


def exists(year: int | None, month: int, day: int) -> bool:
    """Whether the calendar has that day; without a year, in a leap year."""
    return 1 <= month <= 12 and 1 <= day <= monthrange(year or 2024, month)[1]


def impossible(masked: str, today: date) -> str | None:
    """The first day or hour named that does not exist ("2월 30일", "25시"), in the words said.

    A day that the caller takes back at once ("2월 30일 아니 28일") does not count.
    """
    for match, bad in _checked(masked, today):
        if bad and not w.CORRECTION.match(masked[match.end() :]):
            return match[0].strip()
    return None


def _checked(masked: str, today: date) -> list[tuple[re.Match[str], bool]]:
    found = [(m, _bad_day(m, today)) for m in _MONTH_DAY.finditer(masked)]
    found += [(m, (sino(m[1]) or 0) > 24) for m in _HOUR.finditer(masked)]
    found += [(m, int(m[1]) > 59) for m in _MINUTE.finditer(masked)]
    found += [(m, int(m[1]) > 31) for m in _LONE_DAY.finditer(masked)]
    return found


def _bad_day(match: re.Match[str], today: date) -> bool:
    month = {"유": 6, "시": 10}.get(match[2]) or sino(match[2])
    day = sino(match[3]) if match[3] else 1
    if month is None or day is None:
        return False
    year = int(match[1]) if match[1] else None
    if year is None and (month, day) == (2, 29):
        year = today.year if today <= date(today.year, 2, 28) else today.year + 1
    return not exists(year, month, day)
