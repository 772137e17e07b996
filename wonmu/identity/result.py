"""How finding out who the patient is can end (D1, B7).

The patient and the contact are kept apart: the record carries the patient, the caller is whom the
desk calls back. No outcome says which fact did not match.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from wonmu.emr.port import Patient


class Outcome(StrEnum):
    """The names under which the outcomes appear in events."""

    VERIFIED = "verified"
    NEW_PATIENT = "new_patient"
    AMBIGUOUS = "ambiguous"
    INCOMPLETE = "incomplete"
    ESCALATED = "escalated"
    ERROR = "error"


class IncompleteReason(StrEnum):
    REFUSED = "refused"
    TOO_MANY_TRIES = "too_many_tries"
    SILENCE = "silence"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Contact:
    """Who called. ``relation`` is the caller's own word ("어머니") when it is not the patient."""

    phone: str | None = None
    relation: str | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """Exactly one person on file matched."""

    patient: Patient
    contact: Contact


@dataclass(frozen=True, slots=True)
class NewPatient:
    """Not on file. ``unmatched``: says to be on file but was not found; staff must match.

    ``phone`` is digits only. Raises ``ValueError`` if name or phone is empty.
    """

    name: str
    birth_date: date
    phone: str
    contact: Contact
    unmatched: bool = False

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.phone.strip():
            raise ValueError("a new patient needs a name and a phone")


@dataclass(frozen=True, slots=True)
class AmbiguousPatient:
    """Several people on file fit and the name did not decide it."""


@dataclass(frozen=True, slots=True)
class Incomplete:
    reason: IncompleteReason


@dataclass(frozen=True, slots=True)
class Escalated:
    """A person has to identify the caller."""


@dataclass(frozen=True, slots=True)
class IdentityError:
    """The record system could not be asked; nothing is known about the patient."""


IdentityOutcome = Verified | NewPatient | AmbiguousPatient | Incomplete | Escalated | IdentityError


def outcome_name(outcome: IdentityOutcome) -> Outcome:
    """The event name of an outcome."""
    match outcome:
        case Verified():
            return Outcome.VERIFIED
        case NewPatient():
            return Outcome.NEW_PATIENT
        case AmbiguousPatient():
            return Outcome.AMBIGUOUS
        case Incomplete():
            return Outcome.INCOMPLETE
        case Escalated():
            return Outcome.ESCALATED
        case IdentityError():  # pragma: no branch - the match is exhaustive
            return Outcome.ERROR
