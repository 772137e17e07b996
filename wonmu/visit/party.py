"""From an established identity to a patient and a contact; from a hospital to what it books."""

from __future__ import annotations

from wonmu.booking.result import BookedPatient
from wonmu.booking.wish import ClosedLists
from wonmu.hospital.config import DoctorChoiceRule
from wonmu.identity.result import Contact, IdentityOutcome, NewPatient, Verified
from wonmu.visit.bookings import Party
from wonmu.visit.host import Host


def party_of(who: IdentityOutcome) -> Party | None:
    """Patient and contact for a request; None when nobody is established."""
    match who:
        case Verified(patient=patient, contact=contact):
            phone = contact.phone or (patient.phones[0] if patient.phones else "")
            on_file = patient.phones[0] if patient.phones else phone
            booked = BookedPatient(patient.id, patient.name, patient.birth_date, on_file)
            return Party(booked, Contact(phone, contact.relation))
        case NewPatient() as new:
            booked = BookedPatient(None, new.name, new.birth_date, new.phone, new.unmatched)
            return Party(booked, Contact(new.contact.phone or new.phone, new.contact.relation))
        case _:
            return None


def closed_lists(host: Host) -> ClosedLists:
    """What may be booked here at all (T9)."""
    catalog = host.desk.catalog
    doctors_of = {
        department.id: tuple(d.id for d in catalog.doctors(department.id) if d.bookable)
        for department in catalog.departments()
        if department.bookable
    }
    rule = host.desk.hospital.booking.doctor_choice
    return ClosedLists(doctors_of, choose_doctor=rule is DoctorChoiceRule.REQUIRED)
