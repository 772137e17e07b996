"""What can be masked, and the years that tell a wished day from a birth date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Secret(StrEnum):
    """Kinds of personal numbers."""

    RRN = "rrn"
    PHONE = "phone"
    BIRTH = "birth"
    CARD = "card"
    NUMBER = "number"
    """A long run of digits of unknown use, such as half a telephone number."""


PLACEHOLDER: dict[Secret, str] = {
    Secret.RRN: "[주민번호]",
    Secret.PHONE: "[전화번호]",
    Secret.BIRTH: "[생년월일]",
    Secret.CARD: "[카드번호]",
    Secret.NUMBER: "[번호]",
}


@dataclass(frozen=True, slots=True)
class Span:
    kind: Secret
    start: int
    end: int


FIRST_YEAR = 2026
"""No booking of this product lies before it, so an earlier full date is a birth date."""
_WISHED_YEARS = 2
"""Years from the present one on in which a wished day may lie."""


def may_be_wished(year: int, today: date | None) -> bool:
    """May a full date of this year (two or four digits) be a wished day?"""
    first = FIRST_YEAR if today is None else max(FIRST_YEAR, today.year)
    wished = range(first, first + _WISHED_YEARS)
    return year in wished or (year < 100 and year in {each % 100 for each in wished})
