"""The snapshot of a booking being made or moved (H2).

Holds no read-back and no consent: those live in the process that saw them (``Memory``) and do not
outlive it. The key of a write is in it before the write is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from wonmu.booking.draft import DraftState
from wonmu.lines import Value
from wonmu.visit.codec import (
    draft_from_json,
    draft_to_json,
    first_from_json,
    first_to_json,
    own_from_json,
    own_to_json,
    values_from_json,
    values_to_json,
)
from wonmu.visit.own import OwnBooking
from wonmu.visit.people import Who, who_from_json, who_to_json
from wonmu.visit.wishes import FirstWish


class Open(StrEnum):
    """The question the visitor is expected to answer."""

    NONE = "none"
    INSURANCE = "insurance"
    DEPARTMENT = "department"
    DOCTOR = "doctor"
    WHEN = "when"
    CHOOSE = "choose"
    CONFIRM = "confirm"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Asked:
    """A line that was asked, with what filled it."""

    line: str
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BookingState:
    """``first``: the wish that waits for the insurance kind. ``told``: what must be said before the
    read-back. ``failures``: searches that failed. ``turns``: the visitor's so far."""

    who: Who
    draft: DraftState
    first: FirstWish = field(default_factory=FirstWish)
    insurance: str | None = None
    insurance_asked: bool = False
    replaces: OwnBooking | None = None
    open: Open = Open.NONE
    question: Asked | None = None
    told: tuple[str, ...] = ()
    misses: int = 0
    failures: int = 0
    turns: int = 0

    def to_json(self) -> dict[str, Any]:
        asked = self.question
        return {
            "who": who_to_json(self.who),
            "draft": draft_to_json(self.draft),
            "first": first_to_json(self.first),
            "insurance": self.insurance,
            "insurance_asked": self.insurance_asked,
            "replaces": own_to_json(self.replaces) if self.replaces is not None else None,
            "open": self.open.value,
            "question": [asked.line, values_to_json(asked.values)] if asked is not None else None,
            "told": list(self.told),
            "misses": self.misses,
            "failures": self.failures,
            "turns": self.turns,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BookingState:
        who, asked = who_from_json(data["who"]), data["question"]
        return cls(
            who,
            draft_from_json(data["draft"], who.ref),
            first_from_json(data["first"]),
            data["insurance"],
            data["insurance_asked"],
            own_from_json(data["replaces"]) if data["replaces"] else None,
            Open(data["open"]),
            Asked(asked[0], values_from_json(asked[1])) if asked else None,
            tuple(data["told"]),
            data["misses"],
            data["failures"],
            data["turns"],
        )
