"""One booking, from the confirmed wish to the appointment that was read back (B2, B4).

The steps that all modes share: what this key began before, the rules that forbid it, the mode's own
way of getting slot and appointment, then the reading back. Only what was read back, on the agreed
slot at the agreed time and alone there, is ``Booked``; of two on one slot the later one gives way,
and it is the same one whoever looks. Nothing here sends a create twice.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

from wonmu.emr import port
from wonmu.emr.fhir import appointments, claims, errors, mapping
from wonmu.emr.fhir.models import Appointment, Patient, Slot
from wonmu.emr.fhir.ways import Job, Way
from wonmu.emr.fhir.wire import Wire
from wonmu.ids import AppointmentId, SlotId

CONFIRMED = ("booked", "arrived", "checked-in", "fulfilled")
"""A pending appointment waits for the hospital's word and is not told as confirmed."""


async def book(
    wire: Wire, way: Way, intent: port.BookingIntent, replaces: AppointmentId | None = None
) -> port.BookResult:
    """Raises ``FhirFailure`` only when certainly nothing was booked."""
    began, slot, patient = await asyncio.gather(
        appointments.by_key(wire, intent.key),
        claims.read(wire, intent.slot_id),
        _patient(wire, intent),
    )
    if began:
        return await _replay(wire, way, intent, slot, began[0])
    if slot is None:
        return port.Rejected("unknown_slot")
    place = await wire.places.of_schedule(mapping.target(slot.schedule, "Schedule"))
    if place is None:
        return port.Rejected("unknown_slot")
    reason = await _refusal(wire, intent, slot, patient, replaces)
    if reason is not None:
        return port.Rejected(reason)
    job = Job(intent, slot, place, appointments.draft(wire, intent, slot, place))
    placed = await way.place(wire, job)
    if not isinstance(placed, Appointment):
        return placed
    return await _read_back(wire, way, job, placed, replayed=False)


async def reschedule(
    wire: Wire, way: Way, appointment_id: AppointmentId, intent: port.BookingIntent
) -> port.BookResult:
    """The new booking first; while the old one stands the patient has two, never none.

    ``Booked`` also when the old one could not be cancelled.
    """
    result = await book(wire, way, intent, replaces=appointment_id)
    if isinstance(result, port.Booked):
        await _let_old_go(wire, way, appointment_id, result.appointment)
    return result


async def _let_old_go(
    wire: Wire, way: Way, appointment_id: AppointmentId, new: port.Appointment
) -> None:
    try:
        old = await appointments.read(wire, appointment_id)
        if old is None or appointment_id == new.id:
            return
        if new.patient_id not in mapping.actors(old, "Patient"):
            return
        gone = await appointments.give_up(wire, old, appointments.BY_PATIENT, None)
        if gone is not None and way.frees:
            await claims.free_after(wire, gone)
    except errors.FhirFailure:
        # The new one stands, and that is what the caller is told; the old one is read again by
        # whoever keeps the books, and the same call under the same key comes back to it.
        return


async def _patient(wire: Wire, intent: port.BookingIntent) -> Patient | None:
    if not mapping.is_id(intent.patient_id):
        return None
    return await wire.client.read(Patient, intent.patient_id, "reading a patient")


async def _refusal(
    wire: Wire,
    intent: port.BookingIntent,
    slot: Slot,
    patient: Patient | None,
    replaces: AppointmentId | None,
) -> str | None:
    """The rule that forbids this booking, if one does. Nothing has been written yet."""
    if slot.start <= wire.clock.now():
        return "past"
    if patient is None:
        return "unknown_patient"
    if replaces is not None:
        reason = await _unfit_old(wire, intent, replaces)
        if reason is not None:
            return reason
    window = port.Window(slot.start, slot.start + timedelta(seconds=1))
    there = await appointments.of_patient(wire, intent.patient_id, window)
    for one in there:
        ours = mapping.has_key(one.identifier, wire.system, intent.key)
        if one.id != replaces and one.start == slot.start and not ours:
            return "patient_busy"
    return None


async def _unfit_old(wire: Wire, intent: port.BookingIntent, replaces: AppointmentId) -> str | None:
    old = await appointments.read(wire, replaces)
    if old is None or old.status in (*mapping.OVER, "fulfilled"):
        return "no_appointment"
    if intent.patient_id not in mapping.actors(old, "Patient"):
        return "not_this_patient"
    if intent.slot_id in mapping.targets(old.slot, "Slot"):
        return "same_slot"
    return None


async def _replay(
    wire: Wire, way: Way, intent: port.BookingIntent, slot: Slot | None, began: Appointment
) -> port.BookResult:
    """What this key began before, brought to its end."""
    key = mapping.key_of(began.identifier, wire.system)
    same_patient = intent.patient_id in mapping.actors(began, "Patient")
    same_slot = intent.slot_id in mapping.targets(began.slot, "Slot")
    if key != intent.key or not same_patient or not same_slot:
        return port.Rejected("key_reused")
    if began.status in mapping.OVER:
        if not appointments.gave_way(began):
            return port.Rejected("key_cancelled")
        await _leave(wire, way, intent)
        return port.Taken(intent.slot_id)
    if slot is None:
        return port.Unknown(intent.key)
    place = await wire.places.of_schedule(mapping.target(slot.schedule, "Schedule"))
    if place is None:
        return port.Unknown(intent.key)
    job = Job(intent, slot, place, appointments.draft(wire, intent, slot, place))
    return await _read_back(wire, way, job, began, replayed=True)


async def _read_back(
    wire: Wire, way: Way, job: Job, made: Appointment, *, replayed: bool
) -> port.BookResult:
    """The appointment as the server has it now, or what else is true."""
    key = job.intent.key
    try:
        now, there = await asyncio.gather(
            appointments.read(wire, AppointmentId(made.id or "")),
            appointments.on_slot(wire, job.intent.slot_id),
        )
        if now is None:
            return port.Unknown(key)
        if now.status in mapping.OVER:
            await _leave(wire, way, job.intent)
            gave_way = appointments.gave_way(now)
            return port.Taken(job.intent.slot_id) if gave_way else port.Rejected("key_cancelled")
        live = {one.id: one for one in there} | {now.id: now}
        first = min(live.values(), key=appointments.age)
        ours = [one for one in live.values() if mapping.has_key(one.identifier, wire.system, key)]
        if not await _give_way(wire, [one for one in ours if one.id != first.id]):
            return port.Unknown(key)
        if first not in ours:
            await _leave(wire, way, job.intent)
            return port.Taken(job.intent.slot_id)
        if not _as_agreed(first, job):
            return await _withdraw(wire, way, job, first)
        return _booked(wire, job, first, replayed)
    except errors.FhirFailure:
        return port.Unknown(key)


async def _give_way(wire: Wire, later: list[Appointment]) -> bool:
    gone = [await appointments.give_up(wire, one, appointments.GAVE_WAY, None) for one in later]
    return None not in gone


def _as_agreed(found: Appointment, job: Job) -> bool:
    return (
        found.start == job.slot.start
        and job.intent.slot_id in mapping.targets(found.slot, "Slot")
        and job.intent.patient_id in mapping.actors(found, "Patient")
        and mapping.actors(found, "Practitioner") in ((job.place.doctor_id,), ())
        and found.status not in mapping.OVER
    )


def _booked(wire: Wire, job: Job, found: Appointment, replayed: bool) -> port.BookResult:
    mapped = mapping.appointment(found, wire.system, job.place)
    if mapped is None or found.status not in CONFIRMED:
        return port.Unknown(job.intent.key)
    return port.Booked(mapped, replayed)


async def _withdraw(wire: Wire, way: Way, job: Job, found: Appointment) -> port.BookResult:
    """What the server holds is not what the caller agreed to."""
    gone = await appointments.give_up(wire, found, appointments.GAVE_WAY, None)
    if gone is None:
        return port.Unknown(job.intent.key)
    if way.frees:
        await claims.give_back(wire, SlotId(job.slot.id or ""), job.intent.key)
    return port.Rejected("not_as_agreed")


async def _leave(wire: Wire, way: Way, intent: port.BookingIntent) -> None:
    """Take our claim off a slot that somebody else has."""
    if way.frees:
        await claims.give_back(wire, intent.slot_id, intent.key)
