"""Who the patient is, as little as must be kept while nobody speaks (D2, N8).

Somebody on file is kept as an id and a number to read them again by; name, numbers and birth date
come from the record system each time. A new patient is kept whole until the request is written,
because nobody else has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from wonmu.emr.port import Patient
from wonmu.identity.result import Contact, NewPatient, Verified
from wonmu.ids import PatientId


@dataclass(frozen=True, slots=True)
class KnownWho:
    """Verified. ``phone``: a number on file. ``contact`` and ``relation``: the visitor's own."""

    patient_id: PatientId
    phone: str
    contact: str | None = None
    relation: str | None = None

    @property
    def ref(self) -> str:
        """What a digest is bound to; the same as ``Party.ref``."""
        return self.patient_id

    def verified(self, patient: Patient) -> Verified:
        """The identity, with the person as read again just now."""
        return Verified(patient, Contact(self.contact, self.relation))


@dataclass(frozen=True, slots=True)
class NewWho:
    """Not on file."""

    name: str
    birth_date: date
    phone: str
    contact: str | None = None
    relation: str | None = None
    unmatched: bool = False

    @property
    def ref(self) -> str:
        """What a digest is bound to; the same as ``Party.ref``."""
        return "|".join((self.name, self.birth_date.isoformat(), self.phone))

    @property
    def new_patient(self) -> NewPatient:
        contact = Contact(self.contact, self.relation)
        return NewPatient(self.name, self.birth_date, self.phone, contact, self.unmatched)


Who = KnownWho | NewWho


def who_of(outcome: Verified | NewPatient) -> Who:
    """What of an established identity is kept."""
    contact = outcome.contact
    match outcome:
        case Verified(patient=patient):
            phone = patient.phones[0] if patient.phones else contact.phone or ""
            return KnownWho(patient.id, phone, contact.phone, contact.relation)
        case NewPatient() as new:
            known = (new.name, new.birth_date, new.phone)
            return NewWho(*known, contact.phone, contact.relation, new.unmatched)


def who_to_json(who: Who) -> dict[str, Any]:
    shared = {"phone": who.phone, "contact": who.contact, "relation": who.relation}
    match who:
        case KnownWho():
            return {"kind": "known", "id": who.patient_id, **shared}
        case NewWho():
            born = who.birth_date.isoformat()
            new = {"name": who.name, "birth_date": born, "unmatched": who.unmatched}
            return {"kind": "new", **new, **shared}


def who_from_json(data: dict[str, Any]) -> Who:
    contact, relation = data["contact"], data["relation"]
    if data["kind"] == "known":
        return KnownWho(PatientId(data["id"]), data["phone"], contact, relation)
    born = date.fromisoformat(data["birth_date"])
    return NewWho(data["name"], born, data["phone"], contact, relation, data["unmatched"])
