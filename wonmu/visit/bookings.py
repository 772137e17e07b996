"""A booking on its way through a call: for whom, and how far."""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.booking.draft import Draft
from wonmu.booking.result import BookedPatient
from wonmu.booking.wish import ClosedLists
from wonmu.identity.result import Contact
from wonmu.visit.own import OwnBooking


@dataclass(frozen=True, slots=True)
class Party:
    """The patient, and whom to call back."""

    patient: BookedPatient
    contact: Contact

    @property
    def ref(self) -> str:
        """What the draft's digest is bound to."""
        patient = self.patient
        return patient.id or "|".join((patient.name, patient.birth_date.isoformat(), patient.phone))


@dataclass(slots=True)
class OpenBooking:
    """What is kept over an exit, so that nothing is asked twice (S7)."""

    party: Party
    draft: Draft
    lists: ClosedLists
    relation: str | None = None
    insurance: str | None = None
    insurance_asked: bool = False
    replaces: OwnBooking | None = None
    """The booking that gives way once the new one stands (B3)."""
