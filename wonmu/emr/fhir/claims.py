"""Slots as plain data that we claim: the lock of the modes in which the client owns slots.

A claim is a versioned update that puts our key on the slot, so that of two callers one fails, and
so that whoever comes later (this process or another) can tell whose claim it is and finish or free
it. Frees only what carries our key or belonged to the appointment that went; never by a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from wonmu.emr import port
from wonmu.emr.fhir import appointments, errors, mapping
from wonmu.emr.fhir.datatypes import Identifier, Period, instant_text
from wonmu.emr.fhir.models import Appointment, Slot
from wonmu.emr.fhir.wire import Wire
from wonmu.ids import BookingKey, SlotId, Version

TRIES = 3
OLD = "old"
"""Identifier.use of a claim that was given back, with the slot's start as it was then: the same key
may come again, and its own claiming and freeing must not look like a change of the slot."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """``slot`` as it was read before or after the claim: no longer fit for an update."""

    slot: Slot


@dataclass(frozen=True, slots=True)
class Open:
    """The slot may be claimed."""


async def read(wire: Wire, slot_id: SlotId) -> Slot | None:
    if not mapping.is_id(slot_id):
        return None
    return await wire.client.read(Slot, slot_id, "reading a time")


def standing(
    wire: Wire, slot: Slot, key: BookingKey, offered: Version
) -> Open | Claimed | port.Taken | port.Rejected:
    """Whether ``key`` may have this slot, which was offered in the state ``offered``."""
    ours = _owner(wire, slot) == key
    version = slot.meta.version_id if slot.meta is not None else None
    lapsed = mapping.is_lapsed(slot, wire.clock.now(), wire.system)
    match slot.status:
        case "entered-in-error":
            return port.Rejected("unknown_slot")
        case "busy" if ours:
            return Claimed(slot)
        case "busy-tentative" if ours:
            return Open()
        case "free":
            same = version == offered or _gave_back(wire, slot, key)
            return Open() if same else port.Rejected("stale_version")
        case "busy-tentative" if lapsed:
            return Open() if version == offered else port.Rejected("stale_version")
        case _:
            return port.Taken(SlotId(slot.id or ""))


def claimed(wire: Wire, slot: Slot, key: BookingKey, until: datetime | None = None) -> Slot:
    """The slot as our claim leaves it; with ``until`` only held."""
    period = None if until is None else Period(end=instant_text(until))
    ours = Identifier(system=wire.system, value=key)
    ours = ours if period is None else ours.model_copy(update={"period": period})
    status = "busy" if until is None else "busy-tentative"
    return slot.model_copy(update={"status": status, "identifier": (*_others(wire, slot), ours)})


def freed(wire: Wire, slot: Slot, trace: BookingKey | None = None) -> Slot:
    """Free, with or without a trace of the claim that was given back."""
    identifiers = _others(wire, slot)
    if trace is not None:
        period = Period(start=instant_text(slot.start))
        old = Identifier(use=OLD, system=wire.system, value=trace, period=period)
        identifiers = (*identifiers, old)
    return slot.model_copy(update={"status": "free", "identifier": identifiers})


async def claim(
    wire: Wire, slot: Slot, key: BookingKey, offered: Version, until: datetime | None = None
) -> Claimed | port.Taken | port.Rejected:
    """Claim for good, or with ``until`` hold.

    Raises ``FhirFailure``; with ``outcome_known`` False the claim may stand.
    """
    lost: errors.FhirFailure | None = None
    for _ in range(TRIES):
        state = standing(wire, slot, key, offered)
        if not isinstance(state, Open):
            return state
        wanted = claimed(wire, slot, key, until)
        if wanted == slot:
            return Claimed(slot)
        try:
            await wire.client.update(wanted, "claiming a time")
            return Claimed(slot)
        except errors.FhirFailure as failure:
            if failure.outcome_known and failure.status not in (409, 412):
                raise
            lost = failure
        slot = await _again(wire, slot, lost)
    if lost is not None and not lost.outcome_known:
        raise lost
    return port.Taken(SlotId(slot.id or ""))


async def _again(wire: Wire, slot: Slot, lost: errors.FhirFailure) -> Slot:
    """Read anew after a claim that was refused or got no answer."""
    try:
        found = await read(wire, SlotId(slot.id or ""))
    except errors.FhirFailure:
        raise lost from None
    if found is None:
        raise lost
    return found


async def free(
    wire: Wire, slot_id: SlotId, may: Callable[[Slot], bool], trace: BookingKey | None = None
) -> bool:
    """Free a slot that ``may`` be freed; False when it may not or there is none.

    Raises ``FhirFailure`` when it could not be done.
    """
    lost: errors.FhirFailure | None = None
    for _ in range(TRIES):
        slot = await read(wire, slot_id)
        if slot is None:
            return False
        if slot.status == "free" and lost is not None:
            return True
        if not may(slot):
            return False
        try:
            await wire.client.update(freed(wire, slot, trace), "giving a time back")
            return True
        except errors.FhirFailure as failure:
            if failure.outcome_known and failure.status not in (409, 412):
                raise
            lost = failure
    raise lost or errors.unreadable("giving a time back")


async def give_back(wire: Wire, slot_id: SlotId, key: BookingKey) -> bool:
    """Undo a claim or hold of ours; False if it was not ours.

    When somebody else turns out to have an appointment there, the slot stays busy without our key,
    and while our own appointment is live it stays as it is.

    Raises ``FhirFailure`` when it could not be done.
    """
    slot = await read(wire, slot_id)
    if slot is None or not is_ours(wire, slot, key):
        return False
    if slot.status == "busy":
        live = await appointments.on_slot(wire, slot_id)
        if any(mapping.has_key(one.identifier, wire.system, key) for one in live):
            return False
        if live:
            await _leave_to(wire, slot, live[0])
            return True
    return await free(wire, slot_id, lambda now: is_ours(wire, now, key), trace=key)


async def free_after(wire: Wire, gone: Appointment) -> None:
    """Free the slot of an appointment that was cancelled, if it is still that one's.

    Raises ``FhirFailure`` when it could not be done.
    """
    key = mapping.key_of(gone.identifier, wire.system)
    for slot_id in mapping.targets(gone.slot, "Slot"):
        live = await appointments.on_slot(wire, slot_id)
        if any(one.id != gone.id for one in live):
            continue

        def may(slot: Slot) -> bool:
            owner = _owner(wire, slot)
            return slot.status in ("busy", "busy-tentative") and owner in (None, key)

        await free(wire, SlotId(slot_id), may)


async def _leave_to(wire: Wire, slot: Slot, owner: Appointment) -> None:
    """The slot is somebody else's: take our key off it, put theirs on if it is one of ours."""
    key = mapping.key_of(owner.identifier, wire.system)
    others = _others(wire, slot)
    theirs = () if key is None else (Identifier(system=wire.system, value=key),)
    changed = slot.model_copy(update={"identifier": (*others, *theirs)})
    await wire.client.update(changed, "leaving a time to its owner")


def is_ours(wire: Wire, slot: Slot, key: BookingKey) -> bool:
    """Whether this key claims or holds the slot."""
    is_claim = slot.status in ("busy", "busy-tentative")
    return is_claim and _owner(wire, slot) == key


def _owner(wire: Wire, slot: Slot) -> BookingKey | None:
    """The key under which we claim or hold this slot."""
    claims = tuple(one for one in slot.identifier if one.use != OLD)
    return mapping.key_of(claims, wire.system)


def _gave_back(wire: Wire, slot: Slot, key: BookingKey) -> bool:
    """Whether this key was the last to claim it, gave it back, and the time is still the same."""
    trace = freed(wire, slot, key).identifier[-1]
    return trace in slot.identifier


def _others(wire: Wire, slot: Slot) -> tuple[Identifier, ...]:
    return tuple(one for one in slot.identifier if one.system != wire.system)
