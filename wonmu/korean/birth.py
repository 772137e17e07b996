"""Birth dates from keys and from speech (D1, D2, D4).

Decides whether digits or words are a date on which a living person can be born, and in which
century. Never corrects an impossible date and never says whose it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


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


def birth_from_keys(digits: str, *, today: date, ask_century: bool = False) -> BirthReading:
    """6 (YYMMDD) or 8 (YYYYMMDD) digits into a birth date.

    A two-digit year that both a child and a person of 100 or more could have is read as the
    younger one (``BirthOk.century_assumed``), or as CenturyUnclear with ``ask_century``.
    """
    raise NotImplementedError


def birth_from_words(words: str, *, today: date, ask_century: bool = False) -> BirthReading:
    """ "팔오년 삼월 십이일이요", "천구백오십팔년 유월 …", "850312", "팔오공삼일이", mixtures."""
    raise NotImplementedError
