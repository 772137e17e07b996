"""Holding a slot while the caller listens to the read-back, and giving it back."""

from __future__ import annotations

from datetime import datetime, timedelta

from wonmu.emr import port
from wonmu.emr.fhir import claims, errors, mapping
from wonmu.emr.fhir.operations import Operations
from wonmu.emr.fhir.ways import Way
from wonmu.emr.fhir.wire import Wire
from wonmu.ids import BookingKey, SlotId

HOLD_LIMIT = timedelta(seconds=120)
"""A read-back takes 15 to 30 s; a longer hold only keeps a slot from others."""


async def hold(
    wire: Wire, way: Way, slot: port.Slot, key: BookingKey, lasting: timedelta
) -> port.HoldResult:
    """Holding one's own again extends it where we own the slots.

    Raises ``FhirFailure``; with ``outcome_known`` False the hold may stand and lapses.
    """
    found = await claims.read(wire, slot.id)
    if found is None:
        return port.Rejected("unknown_slot")
    now = wire.clock.now()
    if found.start <= now:
        return port.Rejected("past")
    until = now + min(lasting, HOLD_LIMIT)
    if isinstance(way, Operations):
        got = await way.hold(wire, found, slot.doctor_id, key, lasting)
        if isinstance(got, port.Taken | port.Rejected):
            return got
        until = got
    elif way.frees:
        state = await claims.claim(wire, found, key, slot.version, until)
        if isinstance(state, port.Taken | port.Rejected):
            return state
        if state.slot.status == "busy":
            return port.Taken(slot.id)
    else:
        return port.Rejected("no_holds")
    return await _held(wire, slot, until)


async def release(wire: Wire, way: Way, slot_id: SlotId, key: BookingKey) -> bool:
    """Raises ``FhirFailure``."""
    return await claims.give_back(wire, slot_id, key) if way.frees else False


async def _held(wire: Wire, slot: port.Slot, until: datetime) -> port.HoldResult:
    """The slot under its hold; what cannot be read back may be held all the same."""
    try:
        now = await claims.read(wire, slot.id)
    except errors.FhirFailure as failure:
        raise errors.FhirFailure(failure.fault, failure.doing, outcome_known=False) from failure
    place = mapping.Place(slot.department_id, slot.doctor_id)
    mapped = None if now is None else mapping.slot(now, place, wire.clock.now(), wire.system)
    if mapped is None:
        raise errors.unreadable("holding a time", write=True)
    return port.Held(mapped, until)
