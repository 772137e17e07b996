"""Birth dates from keys and from speech (D1, D2, D4).

Decides whether digits or words are a date on which a living person can be born, and in which
century. Never corrects an impossible date and never says whose it is.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from wonmu.korean.counting import DIGIT_OF, sino_value
from wonmu.korean.digits import digit_readings


class ImpossibleBirth(StrEnum):
    """Why this cannot be a birth date."""

    LENGTH = "length"
    """Not 6 or 8 digits, or a part (year, month, day) is missing."""
    MONTH = "month"
    DAY = "day"
    FUTURE = "future"
    TOO_OLD = "too_old"


@dataclass(frozen=True, slots=True)
class BirthOk:
    """A birth date. ``other`` is the same day in the other century when a living person could be
    born on it as well (two-digit years only)."""

    value: date
    other: date | None = None

    @property
    def century_assumed(self) -> bool:
        """True when the century was chosen, not said."""
        return self.other is not None


@dataclass(frozen=True, slots=True)
class CenturyUnclear:
    """Two centuries are possible and the caller of this code wants to ask (``ask_century``).

    Younger reading first.
    """

    options: tuple[date, date]


@dataclass(frozen=True, slots=True)
class BirthImpossible:
    reason: ImpossibleBirth


@dataclass(frozen=True, slots=True)
class NoBirth:
    """Nothing like a birth date was given."""


BirthReading = BirthOk | CenturyUnclear | BirthImpossible | NoBirth


_OLDEST = 120
"""Years. The oldest person whose age was proven lived 122; a date beyond this is a mistake."""
_CENTENARIAN = 110
"""Years. Up to this age the older reading of a two-digit year is worth asking about."""

_NUMBER = r"[0-9공영빵일이삼사오육륙칠팔구십백천]"
_SPOKEN = re.compile(
    rf"(?P<year>(?:{_NUMBER}\s*){{1,8}})년(?:도|생|에)?[\s,.]*(?:이고|이고요|[가-힣]띠|음력|양력)?[\s,.]*"
    rf"(?P<month>(?:{_NUMBER}|유|시|\s){{1,5}}?)월(?:달)?[\s,.]*"
    rf"(?P<day>(?:{_NUMBER}\s*){{1,6}})일"
)
_WRITTEN = re.compile(
    r"(?<![0-9])(?P<year>[0-9]{4}|[0-9]{2})\s*[./\-]\s*(?P<month>[0-9]{1,2})\s*[./\-]\s*(?P<day>[0-9]{1,2})(?![0-9])"
)
_UNITS = {
    "년": re.compile(rf"(?P<said>(?:{_NUMBER}\s*){{1,8}})년"),
    "월": re.compile(rf"(?P<said>(?:{_NUMBER}|유|시)(?:{_NUMBER}|\s)*?)월"),
    "일": re.compile(rf"(?P<said>(?:{_NUMBER}\s*){{1,6}})일(?!월)"),
}
_PARTIAL = re.compile(rf"{_NUMBER}\s*(?:년|년생)|(?:{_NUMBER}|유|시)\s*월\s*{_NUMBER}")
_MONTHS = {"유": 6, "육": 6, "시": 10, "십": 10}
_AGAIN = re.compile(r"아니(?:요|야|다|라)?(?=[\s,.]|$)|말고|아니고")


def birth_from_keys(digits: str, *, today: date, ask_century: bool = False) -> BirthReading:
    """6 (YYMMDD) or 8 (YYYYMMDD) digits into a birth date.

    A two-digit year that both a child and a person of 100 or more could have is read as the
    younger one (``BirthOk.century_assumed``), or as CenturyUnclear with ``ask_century``.
    """
    if not digits:
        return NoBirth()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) not in (6, 8):
        return BirthImpossible(ImpossibleBirth.LENGTH)
    year, month, day = int(digits[:-4]), int(digits[-4:-2]), int(digits[-2:])
    if len(digits) == 8:
        return _one_century(year, month, day, today)
    return _two_digit_year(year, month, day, today, ask_century)


def birth_from_words(words: str, *, today: date, ask_century: bool = False) -> BirthReading:
    """ "팔오년 삼월 십이일이요", "천구백오십팔년 유월 …", "850312", "팔오공삼일이", mixtures.

    After 아니 only what follows counts, if it is a whole date.
    """
    text = unicodedata.normalize("NFKC", words)
    cuts = [0, *(found.end() for found in _AGAIN.finditer(text))]
    last = _read(text[cuts[-1] :], today, ask_century)
    if len(cuts) == 1 or isinstance(last, _WHOLE):
        return last
    return _patched(text[: cuts[-1]], text[cuts[-1] :], today, ask_century)


def _patched(before: str, after: str, today: date, ask_century: bool) -> BirthReading:
    """A date corrected in parts: "팔오년 삼월 이일 아니 삼일이요"."""
    named = _named_parts(before)
    changes = {
        unit: _year(found["said"]) if unit == "년" else _number(found["said"])
        for unit, pattern in _UNITS.items()
        if (found := pattern.search(after)) is not None
    }
    if named is None or (not changes):
        return NoBirth()
    parts = [changes.get(unit, said) for unit, said in zip("년월일", named, strict=True)]
    if None in parts:
        return NoBirth()
    year, month, day = (part for part in parts if part is not None)
    return _from_parts(year, month, day, today, ask_century)


_WHOLE = (BirthOk, CenturyUnclear)


def _read(text: str, today: date, ask_century: bool) -> BirthReading:
    named = _named_parts(text)
    if named is not None:
        return _from_parts(*named, today, ask_century)
    runs = [
        birth_from_keys(run, today=today, ask_century=ask_century)
        for run in digit_readings(text)
        if len(run) >= 4
    ]
    if runs:
        return next((each for each in runs if isinstance(each, _WHOLE)), runs[0])
    return BirthImpossible(ImpossibleBirth.LENGTH) if _PARTIAL.search(text) else NoBirth()


def _from_parts(year: int, month: int, day: int, today: date, ask_century: bool) -> BirthReading:
    if year >= 100:
        return _one_century(year, month, day, today)
    return _two_digit_year(year, month, day, today, ask_century)


def _named_parts(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a date with 년, 월 and 일 or with separators."""
    found = _WRITTEN.search(text)
    if found is not None:
        return int(found["year"]), int(found["month"]), int(found["day"])
    found = _SPOKEN.search(text)
    if found is None:
        return None
    year = _year(found["year"])
    month, day = _number(found["month"]), _number(found["day"])
    if year is None or month is None or day is None:
        return None
    return year, month, day


def _year(said: str) -> int | None:
    """A year of two or four digits; words before it that happen to be digits are dropped."""
    words = said.split()
    for start in range(len(words)):
        flat = "".join(words[start:])
        digits = "".join(DIGIT_OF.get(char, char) for char in flat)
        if digits.isdecimal():
            if len(digits) in (2, 4):
                return int(digits)
            continue
        value = sino_value(flat)
        if value is not None and (10 <= value < 100 or 1000 <= value < 3000):
            return value
    return None


def _number(said: str) -> int | None:
    flat = "".join(said.split())
    if flat in _MONTHS:
        return _MONTHS[flat]
    digits = "".join(DIGIT_OF.get(char, char) for char in flat)
    if digits.isdecimal() and len(digits) <= 2:
        return int(digits)
    return sino_value(flat)


def _one_century(year: int, month: int, day: int, today: date) -> BirthReading:
    if not 1 <= month <= 12:
        return BirthImpossible(ImpossibleBirth.MONTH)
    value = _date(year, month, day)
    if value is None:
        return BirthImpossible(ImpossibleBirth.DAY)
    if value > today:
        return BirthImpossible(ImpossibleBirth.FUTURE)
    if today.year - year > _OLDEST:
        return BirthImpossible(ImpossibleBirth.TOO_OLD)
    return BirthOk(value)


def _two_digit_year(
    year: int, month: int, day: int, today: date, ask_century: bool
) -> BirthReading:
    century = today.year // 100 * 100
    if not 1 <= month <= 12:
        return BirthImpossible(ImpossibleBirth.MONTH)
    days = [_date(century + year, month, day), _date(century - 100 + year, month, day)]
    possible = [
        each
        for each in days
        if each is not None and each <= today and today.year - each.year <= _OLDEST
    ]
    if not possible:
        return BirthImpossible(ImpossibleBirth.DAY)
    if len(possible) == 1:
        return BirthOk(possible[0])
    young, old = possible
    if ask_century and today.year - old.year <= _CENTENARIAN:
        return CenturyUnclear((young, old))
    return BirthOk(young, other=old)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
