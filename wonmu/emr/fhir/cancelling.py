"""Cancelling: the appointment first, over the state it was read in, then its slot (B2).

Told as cancelled only when the server shows it so. A slot that could not be freed changes nothing
about that: the same call again frees it.
"""

from __future__ import annotations

import logging

from wonmu.emr import port
from wonmu.emr.fhir import appointments, claims, errors, mapping
from wonmu.emr.fhir.mapping import Place
from wonmu.emr.fhir.models import Appointment
from wonmu.emr.fhir.wire import LOOK_AGAIN, Wire
from wonmu.ids import AppointmentId, BookingKey, SlotId

_LOG = logging.getLogger(__name__)

_TOO_LATE = ("noshow", "fulfilled", "arrived", "checked-in")


async def cancel(
    wire: Wire, appointment_id: AppointmentId, key: BookingKey, *, frees: bool
) -> port.CancelResult:
    """Raises ``FhirFailure`` when the appointment certainly stands as it was."""
    found = await appointments.read(wire, appointment_id)
    if found is None:
        return port.NotThere()
    if found.status in ("cancelled", "entered-in-error"):
        return await _done(wire, found, already=True, frees=frees)
    reason = await _refusal(wire, found, key)
    if reason is not None:
        return port.Rejected(reason)
    try:
        gone = await appointments.give_up(wire, found, appointments.BY_PATIENT, key)
    except errors.FhirFailure as failure:
        if any(issue.code == "business-rule" for issue in failure.issues):
            return port.Rejected(next(failure.words(), "refused"))
        raise
    if gone is None:
        return port.Unknown(key)
    ours = mapping.has_key(gone.identifier, wire.system, key)
    return await _done(wire, gone, already=not ours, frees=frees)


async def _refusal(wire: Wire, found: Appointment, key: BookingKey) -> str | None:
    others = await appointments.by_key(wire, key)
    if any(one.id != found.id for one in others):
        return "key_reused"
    late = found.start is not None and found.start <= wire.clock.now()
    return "past" if late or found.status in _TOO_LATE else None


async def _done(wire: Wire, gone: Appointment, *, already: bool, frees: bool) -> port.CancelResult:
    if frees:
        await _free(wire, gone)
    told = mapping.appointment(gone, wire.system, await _place(wire, gone))
    if told is None:
        raise errors.unreadable("reading a cancelled appointment")
    return port.Cancelled(told, already)


async def _free(wire: Wire, gone: Appointment) -> None:
    for seconds in (0.0, LOOK_AGAIN[0]):
        if seconds:
            await wire.wait(seconds)
        try:
            await claims.free_after(wire, gone)
        except errors.FhirFailure as failure:
            _LOG.warning("a cancelled appointment's slot was not freed (%s)", failure.fault)
        else:
            return


async def _place(wire: Wire, gone: Appointment) -> Place | None:
    """Doctor and department from the slot; the cancellation does not hang on them."""
    try:
        return await place_of(wire, gone)
    except errors.FhirFailure:
        return None


async def place_of(wire: Wire, one: Appointment) -> Place | None:
    """Doctor and department of an appointment that does not name them itself."""
    if mapping.is_placed(one):
        return None
    for slot_id in mapping.targets(one.slot, "Slot"):
        slot = await claims.read(wire, SlotId(slot_id))
        if slot is not None:
            return await wire.places.of_schedule(mapping.target(slot.schedule, "Schedule"))
    return None
