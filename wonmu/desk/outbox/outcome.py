"""How writing one consented booking, change or cancellation to the record system ended (B2, B4).

Every outcome is a type of its own, because each is told in words of its own: confirmed, somebody
else has it, refused by a rule, not written, nobody knows yet. Whatever the outcome, the request is
in the inbox (or was dropped from it for a reason that the caller hears now), so nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wonmu.emr.port import Appointment
from wonmu.errors import EmrFault
from wonmu.ids import BookingKey, SlotId


class Act(StrEnum):
    """What is written."""

    BOOK = "book"
    CHANGE = "change"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Written, read back and as agreed; only now may it be called confirmed.

    ``appointment``: the new one, or for a cancellation the cancelled one. ``replayed``: it was
    there already under this key. ``old_stands``: a change whose old appointment could not be
    cancelled yet; the reconciler goes on with that and staff sees it.
    """

    appointment: Appointment
    replayed: bool = False
    old_stands: bool = False


@dataclass(frozen=True, slots=True)
class SlotGone:
    """Somebody else has the slot; nothing was written and the request was dropped."""

    slot_id: SlotId


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same wish is open already under ``key``; nothing was written."""

    key: BookingKey


@dataclass(frozen=True, slots=True)
class RefusedByRule:
    """The record system refused by a rule; nothing was written. The request stays for staff."""

    key: BookingKey
    reason: str


@dataclass(frozen=True, slots=True)
class NotWritten:
    """The record system failed and certainly wrote nothing. The request stays for staff."""

    key: BookingKey
    fault: EmrFault


@dataclass(frozen=True, slots=True)
class Pending:
    """Nobody knows yet whether it was written. The request is taken; the reconciler finds out."""

    key: BookingKey


@dataclass(frozen=True, slots=True)
class NotKept:
    """Our own store failed before anything was written anywhere: nothing is promised."""


Outcome = Confirmed | SlotGone | Repeated | RefusedByRule | NotWritten | Pending | NotKept
