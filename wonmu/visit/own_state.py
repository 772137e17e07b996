"""The snapshot of work on a visitor's own bookings (H2).

Holds no read-back and no consent, as a booking's snapshot; the key of a cancellation is in it
before the cancellation is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wonmu.booking.commit import Written
from wonmu.booking.draft import Digest
from wonmu.booking.result import Completed, Exited
from wonmu.ids import BookingKey
from wonmu.visit.booking_state import BookingState
from wonmu.visit.codec import own_from_json, own_to_json
from wonmu.visit.keys import framed
from wonmu.visit.own import OwnBooking
from wonmu.visit.people import KnownWho, who_from_json, who_to_json
from wonmu.visit.turned import Agreed


class Doing(StrEnum):
    INQUIRE = "inquire"
    CHANGE = "change"
    CANCEL = "cancel"


class Stage(StrEnum):
    """Which question is open."""

    READING = "reading"
    """None: the bookings have not been read yet."""
    PICK = "pick"
    SURE = "sure"
    """Is this the one to be changed?"""
    CONFIRM = "confirm"
    """The read-back of a cancellation."""
    BOOKING = "booking"
    """A new time is being found."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The bookings were told; there may be none."""

    count: int


@dataclass(frozen=True, slots=True)
class CancelDone:
    """How far the cancellation has come; ``known``: such a request was open already."""

    written: Written
    known: bool = False


OwnEnd = Listed | Completed | CancelDone | Agreed | Exited


@dataclass(frozen=True, slots=True)
class OwnState:
    """``words`` and ``when``: what the work was begun with. ``booking``: set once a new time is
    being found. ``key``: of an agreed cancellation."""

    doing: Doing
    who: KnownWho
    words: str = ""
    when: str | None = None
    asides: tuple[str, ...] = ()
    stage: Stage = Stage.READING
    bookings: tuple[OwnBooking, ...] = ()
    chosen: OwnBooking | None = None
    booking: BookingState | None = None
    key: BookingKey | None = None
    misses: int = 0
    turns: int = 0

    @property
    def digest(self) -> Digest | None:
        """The cancellation of this booking of this patient at this time, and of nothing else."""
        if self.chosen is None:
            return None
        chosen = self.chosen
        parts = (Doing.CANCEL.value, self.who.patient_id, chosen.ref, chosen.start.isoformat())
        return Digest(framed(*parts))

    def to_json(self) -> dict[str, Any]:
        return {
            "doing": self.doing.value,
            "who": who_to_json(self.who),
            "words": self.words,
            "when": self.when,
            "asides": list(self.asides),
            "stage": self.stage.value,
            "bookings": [own_to_json(each) for each in self.bookings],
            "chosen": own_to_json(self.chosen) if self.chosen is not None else None,
            "booking": self.booking.to_json() if self.booking is not None else None,
            "key": self.key,
            "misses": self.misses,
            "turns": self.turns,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OwnState:
        who = who_from_json(data["who"])
        if not isinstance(who, KnownWho):
            raise ValueError("only somebody on file has bookings of their own")
        return cls(
            Doing(data["doing"]),
            who,
            data["words"],
            data["when"],
            tuple(data["asides"]),
            Stage(data["stage"]),
            tuple(own_from_json(each) for each in data["bookings"]),
            own_from_json(data["chosen"]) if data["chosen"] else None,
            BookingState.from_json(data["booking"]) if data["booking"] else None,
            BookingKey(data["key"]) if data["key"] else None,
            data["misses"],
            data["turns"],
        )
