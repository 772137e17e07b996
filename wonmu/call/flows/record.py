"""Recording one consented booking in request mode, once (B2, B4, N2).

The slot is read again, then the inbox decides by its unique indexes. The outcome is one of four
things that the talk must tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wonmu.booking.commit import CommitMode
from wonmu.booking.result import Completed, WholeBooking
from wonmu.call.bookings import OpenBooking
from wonmu.call.flows.search import NotChecked
from wonmu.call.flows.slots import still_free
from wonmu.desk.records import (
    BookingRequest,
    DuplicateRequest,
    Recorded,
    RequestPatient,
    SlotTaken,
)
from wonmu.emr.port import Slot
from wonmu.errors import StoreFailure
from wonmu.ids import BookingKey

if TYPE_CHECKING:
    from wonmu.call.session import Call


@dataclass(frozen=True, slots=True)
class Kept:
    """Recorded, perhaps already before under the same key."""

    booking: Completed
    replayed: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """Somebody else has the slot; nothing was recorded."""


@dataclass(frozen=True, slots=True)
class Twice:
    """This patient has an open request for this very start already."""


async def record_booking(
    call: Call, opened: OpenBooking, slot: Slot, key: BookingKey
) -> Kept | Lost | Twice | NotChecked:
    """Record the request. ``NotChecked``: nothing was recorded because something failed."""
    fresh = await still_free(call, slot)
    if isinstance(fresh, NotChecked):
        return fresh
    if fresh is None:
        return Lost()
    try:
        result = await call.desk.inbox.record_request(_request(call, opened, fresh, key))
    except StoreFailure:
        return NotChecked()
    match result:
        case Recorded(replayed=replayed):
            return Kept(Completed(_whole(opened, fresh, key)), replayed)
        case SlotTaken():
            return Lost()
        case DuplicateRequest():
            return Twice()


def _request(call: Call, opened: OpenBooking, slot: Slot, key: BookingKey) -> BookingRequest:
    catalog = call.desk.catalog
    department = catalog.department(slot.department_id)
    doctor = catalog.doctor(slot.doctor_id)
    party, patient = opened.party, opened.party.patient
    return BookingRequest(
        key=key,
        hospital_id=call.desk.hospital.id,
        call_id=call.recorder.call_id,
        created_at=call.desk.clock.now(),
        patient=RequestPatient(patient.name, patient.birth_date, patient.phone, patient.id),
        contact=party.contact.phone or patient.phone,
        department_id=slot.department_id,
        department=department.name if department else slot.department_id,
        doctor_id=slot.doctor_id,
        doctor=doctor.name if doctor else slot.doctor_id,
        slot_id=slot.id,
        start=slot.start,
        insurance=opened.insurance,
        note=_note(call, opened),
        replaces=opened.replaces.ref if opened.replaces is not None else None,
    )


def _note(call: Call, opened: OpenBooking) -> str:
    """What staff should know beside the fields."""
    party, notes = opened.party, []
    if (old := opened.replaces) is not None:
        department, doctor = old.department, old.doctor
        line = "desk.note_replaces"
        notes.append(call.lines.say(line, when=old.start, department=department, doctor=doctor))
    if party.patient.id is None:
        line = "desk.note_unmatched" if party.patient.unmatched else "desk.note_new"
        notes.append(call.lines.say(line))
    if party.contact.relation:
        notes.append(call.lines.say("desk.note_relation", relation=party.contact.relation))
    return " ".join(notes)


def _whole(opened: OpenBooking, slot: Slot, key: BookingKey) -> WholeBooking:
    return WholeBooking(
        key=key,
        mode=CommitMode.REQUEST,
        patient=opened.party.patient,
        contact=opened.party.contact,
        department_id=slot.department_id,
        doctor_id=slot.doctor_id,
        slot_id=slot.id,
        start=slot.start,
        minutes=slot.minutes,
        insurance=opened.insurance,
    )
