"""Recording one consented booking or change, once (B2, B3, B4, N2).

In request mode the slot is read again and the inbox decides by its unique indexes. In direct mode
the outbox writes it to the record system. Either way the outcome is one of four things that the
talk must tell apart; how far a kept one has come is in its ``Completed``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from wonmu.booking.commit import CommitMode, Written
from wonmu.booking.result import Completed, WholeBooking
from wonmu.desk.outbox.direct import DirectDesk, can_write
from wonmu.desk.outbox.outcome import (
    Act,
    Confirmed,
    NotWritten,
    Outcome,
    RefusedByRule,
    Repeated,
    SlotGone,
)
from wonmu.desk.outbox.outcome import NotKept as Unkept
from wonmu.desk.records import (
    BookingRequest,
    DuplicateRequest,
    Recorded,
    RequestPatient,
    SlotTaken,
)
from wonmu.emr.port import Slot
from wonmu.errors import EmrFailure, StoreFailure
from wonmu.ids import BookingKey
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.direct import desk_of, settled
from wonmu.visit.host import Host
from wonmu.visit.slots import still_free


@dataclass(frozen=True, slots=True)
class Kept:
    """It is in the inbox, perhaps already before under the same key."""

    booking: Completed
    replayed: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """Somebody else has the slot; nothing was recorded."""


@dataclass(frozen=True, slots=True)
class Twice:
    """This patient has an open request for this very start already."""


@dataclass(frozen=True, slots=True)
class NotKept:
    """Nothing was recorded, because something failed."""


async def record_booking(
    host: Host, opened: OpenBooking, slot: Slot, key: BookingKey, *, known: bool = False
) -> Kept | Lost | Twice | NotKept:
    """Record the consented booking in the way the hospital wants it.

    ``known``: a row with this key is in the inbox already; what became of it is told, and the slot
    is not asked for, because that row has it.
    """
    request = _request(host, opened, slot, key)
    direct = desk_of(host)
    # A request that staff has not entered yet is nothing that the record system could change.
    entered = opened.replaces is None or not opened.replaces.requested
    if direct is not None and can_write(request) and entered:
        return await _directly(host, direct, opened, slot, request)
    return await _for_staff(host, opened, slot, request, known=known)


async def _for_staff(
    host: Host, opened: OpenBooking, slot: Slot, request: BookingRequest, *, known: bool
) -> Kept | Lost | Twice | NotKept:
    try:
        if not known and await still_free(host, host.emr.step(), slot) is None:
            return Lost()
        result = await host.desk.inbox.record_request(request)
    except EmrFailure as failure:
        host.state.fault = failure.fault
        return NotKept()
    except StoreFailure:
        return NotKept()
    match result:
        case Recorded(replayed=replayed):
            return Kept(Completed(_whole(opened, slot, request.key)), replayed)
        case SlotTaken():
            return Lost()
        case DuplicateRequest():
            return Twice()


async def _directly(
    host: Host, direct: DirectDesk, opened: OpenBooking, slot: Slot, request: BookingRequest
) -> Kept | Lost | Twice | NotKept:
    if request.replaces is None:
        outcome = await settled(host, request.key, Act.BOOK, direct.book(request, slot))
    else:
        outcome = await settled(host, request.key, Act.CHANGE, direct.change(request, slot))
    booking = _whole(opened, slot, request.key)
    match outcome:
        case Confirmed(replayed=replayed, old_stands=old):
            confirmed = replace(booking, mode=CommitMode.DIRECT)
            return Kept(Completed(confirmed, Written.CONFIRMED, old_stands=old), replayed)
        case SlotGone():
            return Lost()
        case Repeated():
            return Twice()
        case Unkept():
            return NotKept()
        case _:
            return Kept(Completed(booking, *_how(outcome)), replayed=False)


def _how(outcome: Outcome) -> tuple[Written, str]:
    """How far an outcome short of confirmed has come, and the record system's reason."""
    match outcome:
        case RefusedByRule(reason=reason):
            return Written.REFUSED, reason
        case NotWritten(fault=fault):
            return Written.NOT_WRITTEN, fault.value
        case _:
            return Written.PENDING, ""


def _request(host: Host, opened: OpenBooking, slot: Slot, key: BookingKey) -> BookingRequest:
    catalog = host.desk.catalog
    department = catalog.department(slot.department_id)
    doctor = catalog.doctor(slot.doctor_id)
    party, patient = opened.party, opened.party.patient
    return BookingRequest(
        key=key,
        hospital_id=host.desk.hospital.id,
        call_id=host.recorder.call_id,
        created_at=host.desk.clock.now(),
        patient=RequestPatient(patient.name, patient.birth_date, patient.phone, patient.id),
        contact=party.contact.phone or patient.phone,
        department_id=slot.department_id,
        department=department.name if department else slot.department_id,
        doctor_id=slot.doctor_id,
        doctor=doctor.name if doctor else slot.doctor_id,
        slot_id=slot.id,
        start=slot.start,
        insurance=opened.insurance,
        note=_note(host, opened),
        replaces=opened.replaces.ref if opened.replaces is not None else None,
    )


def _note(host: Host, opened: OpenBooking) -> str:
    """What staff should know beside the fields."""
    party, notes = opened.party, []
    if (old := opened.replaces) is not None:
        department, doctor = old.department, old.doctor
        line = "desk.note_replaces"
        notes.append(host.lines.say(line, when=old.start, department=department, doctor=doctor))
    if party.patient.id is None:
        line = "desk.note_unmatched" if party.patient.unmatched else "desk.note_new"
        notes.append(host.lines.say(line))
    if party.contact.relation:
        notes.append(host.lines.say("desk.note_relation", relation=party.contact.relation))
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
