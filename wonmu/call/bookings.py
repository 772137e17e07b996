"""A booking on its way through a call: for whom, and how far."""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.booking.draft import Draft
from wonmu.booking.result import BookedPatient
from wonmu.booking.wish import ClosedLists
from wonmu.identity.result import Contact


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


@dataclass(frozen=True, slots=True)
class OpenBooking:
    party: Party
    draft: Draft
    lists: ClosedLists
    relation: str | None = None
