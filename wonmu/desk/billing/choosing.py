"""Which of several bills a caller means (T9): by amount, by the day of the visit, by department.

Reads the answer to "which one?", on the phone or in text. It must never pick one where the words
mean more than one, nor read a wish for all of them as a wish for the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from wonmu.desk.billing.results import Numbered
from wonmu.ids import Won
from wonmu.korean.ordinals import read_ordinal, wants_all
from wonmu.korean.won import read_won
from wonmu.lines import Lines

_DAY = re.compile(r"(?:(?P<month>1[0-2]|0?[1-9])\s*월\s*)?(?P<day>3[01]|[12]\d|0?[1-9])\s*일")
"""A day of a bill lies in the past, where the reader of wishes for a visit does not look."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the bills, as far as it is told apart. ``number``: in the list last read."""

    number: int
    day: date
    department: str
    refundable: Won
    amount: Won

    @classmethod
    def of(cls, each: Numbered) -> Choice:
        invoice = each.invoice
        day, department = invoice.visit_day, invoice.department
        return cls(each.number, day, department, invoice.refundable, invoice.amount)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Choice:
        refundable, amount = data["amounts"]
        day = date.fromisoformat(data["day"])
        return cls(data["number"], day, data["department"], Won(refundable), Won(amount))

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "day": self.day.isoformat(),
            "department": self.department,
            "amounts": [self.refundable, self.amount],
        }


@dataclass(frozen=True, slots=True)
class All:
    """More than one is meant; only one can be asked for at a time."""


def named(choices: Sequence[Choice], words: str) -> Choice | None:
    """The one that words from before the question name already."""
    found = _fitting(choices, words)
    return found[0] if len(found) == 1 and not wants_all(words) else None


def chosen(choices: Sequence[Choice], words: str) -> Choice | All | None:
    """The answer to the question; None when it does not say which."""
    if wants_all(words):
        return All()
    place = read_ordinal(words)
    if place is not None:
        return choices[place - 1] if 1 <= place <= len(choices) else None
    found = _fitting(choices, words)
    return found[0] if len(found) == 1 else None


def options(lines: Lines, choices: Iterable[Choice], *, refunds: bool) -> str:
    """The bills as they are told in a list. ``refunds``: what comes back is told, else what they
    came to."""
    return ", ".join(
        lines.say(
            "billing.option",
            day=each.day,
            department=each.department,
            amount=each.refundable if refunds else each.amount,
        )
        for each in choices
    )


def _fitting(choices: Sequence[Choice], words: str) -> list[Choice]:
    amounts = set(read_won(words))
    by_amount = [each for each in choices if {each.refundable, each.amount} & amounts]
    if by_amount:
        return by_amount
    by_day = [each for each in choices if _names_day(each.day, words)]
    if by_day:
        return by_day
    folded = "".join(words.split())
    return [each for each in choices if "".join(each.department.split()) in folded]


def _names_day(day: date, words: str) -> bool:
    return any(
        int(found["day"]) == day.day and (not found["month"] or int(found["month"]) == day.month)
        for found in _DAY.finditer(words)
    )
