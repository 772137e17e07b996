"""M2: claim and appointment in one transaction.

A server that only says it has transactions may carry out one entry and refuse the other, and may
even answer that it refused the whole (Medplum's router does); the answer is therefore read entry by
entry, a refusal is checked by the key, and an appointment without its slot is given up again. One
that ignores the version inside a bundle is found out by the reading back that follows.
"""

from __future__ import annotations

from wonmu.emr import port
from wonmu.emr.fhir import appointments, claims, errors, mapping
from wonmu.emr.fhir.http import etag_of
from wonmu.emr.fhir.models import (
    Appointment,
    Bundle,
    Entry,
    EntryRequest,
    EntryResponse,
    OperationOutcome,
    Slot,
)
from wonmu.emr.fhir.ways import Job, Placed, refusal, settled
from wonmu.emr.fhir.wire import Wire

_DOING = "booking"


class Transaction:
    frees = True

    async def place(self, wire: Wire, job: Job) -> Placed:
        intent = job.intent
        state = claims.standing(wire, job.slot, intent.key, intent.slot_version)
        if isinstance(state, port.Taken | port.Rejected):
            return state
        mine = isinstance(state, claims.Claimed)
        slot = None if mine else claims.claimed(wire, job.slot, intent.key)
        try:
            return await settled(wire, job, _send(wire, job, slot))
        except errors.FhirFailure as failure:
            return await _undone(wire, job, failure, held=mine)


async def _send(wire: Wire, job: Job, slot: Slot | None) -> Appointment:
    """``slot`` None: an earlier try has claimed it already."""
    entries = [_create(wire, job)]
    if slot is not None:
        entries.insert(0, _update(slot))
    bundle = Bundle(type="transaction", entry=tuple(entries))
    answers = (await wire.client.transaction(bundle, _DOING)).entry
    if len(answers) != len(entries):
        raise errors.unreadable(_DOING, write=True)
    bad = next((one for one in answers if not _is_done(one.response)), None)
    made = answers[-1]
    if bad is None:
        return await _made(wire, made)
    if made is not bad and _is_done(made.response):
        gone = await _take_back(wire, await _made(wire, made))
        if not gone:
            raise errors.unreadable(_DOING, write=True)
    raise _entry_failure(bad)


def _update(slot: Slot) -> Entry:
    url = f"Slot/{slot.id}"
    tag = etag_of(slot)
    if tag is None:
        raise errors.unreadable("changing a Slot that has no version")
    return Entry(resource=slot, request=EntryRequest(method="PUT", url=url, if_match=tag))


def _create(wire: Wire, job: Job) -> Entry:
    unless = f"identifier={wire.system}|{job.intent.key}"
    request = EntryRequest(method="POST", url="Appointment", if_none_exist=unless)
    return Entry(resource=job.wanted, request=request)


def _is_done(response: EntryResponse | None) -> bool:
    return response is not None and response.status.startswith("2")


async def _made(wire: Wire, entry: Entry) -> Appointment:
    if isinstance(entry.resource, Appointment):
        return entry.resource
    place = entry.response.location if entry.response is not None else None
    parts = (place or "").split("/_history/")[0].rstrip("/").split("/")
    return await appointments.created_as(wire, parts[-1], _DOING)


async def _take_back(wire: Wire, made: Appointment) -> bool:
    """Whether an appointment whose slot was refused is certainly gone again."""
    try:
        gone = await appointments.give_up(wire, made, appointments.GAVE_WAY, None)
    except errors.FhirFailure:
        return False
    return gone is not None


def _entry_failure(entry: Entry) -> errors.FhirFailure:
    """The refusal of one entry as if it had been asked alone."""
    said = entry.resource if isinstance(entry.resource, OperationOutcome) else None
    status = (entry.response.status if entry.response is not None else "")[:3]
    return errors.of_status(int(status) if status.isdigit() else 500, _DOING, said)


async def _undone(wire: Wire, job: Job, failure: errors.FhirFailure, *, held: bool) -> Placed:
    """The server says that nothing was done. Say why, and leave neither claim nor appointment:
    a server without real transactions refuses the whole and has done a part of it."""
    try:
        part = await _part_done(wire, job) if failure.status is not None else None
        if part is not None:
            return part
        result = await _meaning(wire, job, failure)
        if not isinstance(result, Appointment):
            await claims.give_back(wire, job.intent.slot_id, job.intent.key)
    except errors.FhirFailure:
        if held or failure.status is not None:
            return port.Unknown(job.intent.key)
        raise failure from None
    if result is None:
        raise failure
    return result


async def _part_done(wire: Wire, job: Job) -> Placed | None:
    """What was done all the same, with its slot or undone. None: no appointment is left."""
    key = job.intent.key
    for one in await appointments.by_key(wire, key):
        if one.status in mapping.OVER:
            continue
        slot = await claims.read(wire, job.intent.slot_id)
        if slot is not None and claims.is_ours(wire, slot, key):
            return one
        if not await _take_back(wire, one):
            return port.Unknown(key)
    return None


async def _meaning(wire: Wire, job: Job, failure: errors.FhirFailure) -> Placed | None:
    """A version that has moved on means that somebody had the slot first, or changed it."""
    if failure.status in (409, 412):
        slot = await claims.read(wire, job.intent.slot_id)
        if slot is not None:
            state = claims.standing(wire, slot, job.intent.key, job.intent.slot_version)
            if isinstance(state, port.Taken | port.Rejected):
                return state
    return await refusal(wire, job, failure)
