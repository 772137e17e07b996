"""Recording one consented cancellation, once (B2, B3, B4)."""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.booking.commit import Written
from wonmu.desk.outbox.direct import DirectDesk, can_write
from wonmu.desk.outbox.outcome import Act, Confirmed, NotKept, NotWritten, RefusedByRule, Repeated
from wonmu.desk.records import CancelRequest, DuplicateRequest, Recorded, RequestPatient
from wonmu.errors import StoreFailure
from wonmu.identity.result import Verified
from wonmu.ids import BookingKey
from wonmu.visit.direct import desk_of, settled
from wonmu.visit.host import Host
from wonmu.visit.own import OwnBooking
from wonmu.visit.party import party_of


@dataclass(frozen=True, slots=True)
class Gone:
    """The cancellation is in the inbox at least; how far it has come."""

    written: Written
    reason: str = ""
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The same cancellation is open already."""


@dataclass(frozen=True, slots=True)
class Unkept:
    """Nothing was recorded, because something failed."""


async def record_cancel(
    host: Host, chosen: OwnBooking, request: CancelRequest
) -> Gone | Known | Unkept:
    """Record it in the way the hospital wants it."""
    direct = desk_of(host)
    if direct is not None and can_write(request) and not chosen.requested:
        return await _directly(host, direct, request)
    try:
        result = await host.desk.inbox.record_request(request)
    except StoreFailure:
        return Unkept()
    match result:
        case Recorded(replayed=replayed):
            return Gone(Written.REQUESTED, replayed=replayed)
        case DuplicateRequest():
            return Known()
        case _:
            return Unkept()


async def _directly(
    host: Host, direct: DirectDesk, request: CancelRequest
) -> Gone | Known | Unkept:
    match await settled(host, request.key, Act.CANCEL, direct.cancel(request)):
        case Confirmed(replayed=replayed):
            return Gone(Written.CONFIRMED, replayed=replayed)
        case Repeated():
            return Known()
        case NotKept():
            return Unkept()
        case RefusedByRule(reason=reason):
            return Gone(Written.REFUSED, reason)
        case NotWritten(fault=fault):
            return Gone(Written.NOT_WRITTEN, fault.value)
        case _:
            return Gone(Written.PENDING)


def cancel_request(host: Host, who: Verified, chosen: OwnBooking, key: BookingKey) -> CancelRequest:
    """What is left for staff, and sent to the record system where that is written to."""
    party = party_of(who)
    patient = who.patient
    phone = patient.phones[0] if patient.phones else ""
    contact = (party.contact.phone if party is not None else None) or phone
    note = host.lines.say("desk.note_open_request") if chosen.requested else ""
    doctor = host.desk.catalog.doctor(chosen.doctor_id)
    return CancelRequest(
        key=key,
        hospital_id=host.desk.hospital.id,
        call_id=host.recorder.call_id,
        created_at=host.desk.clock.now(),
        patient=RequestPatient(patient.name, patient.birth_date, phone, patient.id),
        contact=contact,
        appointment_id=chosen.ref,
        department=chosen.department,
        # Without title, as in every inbox row.
        doctor=doctor.name if doctor is not None else chosen.doctor,
        start=chosen.start,
        note=note,
    )
