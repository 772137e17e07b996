"""The patient and the contact of a piece of work, read again where they are not known (D2, N3)."""

from __future__ import annotations

from wonmu.booking.result import ExitCode, Exited
from wonmu.emr.port import Patient, PatientQuery
from wonmu.errors import ProgrammingError
from wonmu.visit.bookings import Party
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.party import party_of
from wonmu.visit.people import KnownWho, NewWho, Who
from wonmu.visit.visit import Visit


async def person(visit: Visit, who: KnownWho) -> Patient | Exited:
    """The person on file as this process knows them, else as the record system has them now.

    Exited: SYSTEM_ERROR when they could not be read, IDENTITY_INCOMPLETE when nobody with this id
    has that number any more.
    """
    known = visit.memory.people.get(who.patient_id)
    if known is not None:
        return known
    query = PatientQuery(phone=who.phone)
    found = await visit.lookups.run(Name.PATIENT, lambda emr: emr.find_patients(query))
    match found:
        case Stopped(code=code):
            return Exited(code, "while_reading")
        case Failed(fault=fault):
            return Exited(ExitCode.SYSTEM_ERROR, f"patient: {fault.value}")
    for each in found:
        if each.id == who.patient_id:
            visit.memory.people[each.id] = each
            return each
    return Exited(ExitCode.IDENTITY_INCOMPLETE, "patient")


async def party(visit: Visit, who: Who) -> Party | Exited:
    """Patient and contact. Exited: as for ``person``."""
    match who:
        case NewWho():
            found = party_of(who.new_patient)
        case KnownWho():
            patient = await person(visit, who)
            if isinstance(patient, Exited):
                return patient
            found = party_of(who.verified(patient))
    if found is None:
        raise ProgrammingError("an established identity has a party")
    return found
