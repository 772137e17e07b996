"""What a gate can say (T3–T7). A closed union; an exception inside a gate is a Refuse."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """Everything a tool may be asked to do."""

    BOOKING_CREATE = "booking.create"
    BOOKING_INQUIRE = "booking.inquire"
    BOOKING_CHANGE = "booking.change"
    BOOKING_CANCEL = "booking.cancel"
    BILLING_ASK = "billing.ask"
    REFUND_REQUEST = "billing.refund"
    RECEIPT_REQUEST = "billing.receipt"
    CONNECT_PERSON = "person.connect"
    END_CALL = "call.end"


@dataclass(frozen=True, slots=True)
class Allow:
    pass


@dataclass(frozen=True, slots=True)
class AskIntent:
    """The caller has not said which of the actions is wanted: ask once, collect nothing."""

    reason: str


@dataclass(frozen=True, slots=True)
class AskConsent:
    """The action was not asked for: it may be proposed, and then needs a yes."""

    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class NeedIdentity:
    reason: str


@dataclass(frozen=True, slots=True)
class ByPerson:
    """The hospital wants a person to do this."""

    reason: str


@dataclass(frozen=True, slots=True)
class ByMemo:
    """The hospital wants a memo for this."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refuse:
    reason: str


Verdict = Allow | AskIntent | AskConsent | NeedIdentity | ByPerson | ByMemo | Refuse
