"""How a slot and an appointment on it are got: one way for each mode of a server.

What a way returns as an appointment exists, but has not been read back. A refusal that certainly
wrote nothing leaves nothing claimed; where that cannot be made sure, the answer is ``Unknown`` and
the claim stays, because a slot freed under an appointment that does exist would be given away
twice.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol

from wonmu.emr import port
from wonmu.emr.fhir import appointments, claims, errors, mapping
from wonmu.emr.fhir.mapping import Place
from wonmu.emr.fhir.models import Appointment, Slot
from wonmu.emr.fhir.wire import Wire
from wonmu.errors import EmrFault
from wonmu.ids import SlotId

Placed = Appointment | port.Taken | port.Rejected | port.Unknown


@dataclass(frozen=True, slots=True)
class Job:
    """One wish on one slot, as it was read, and the appointment that is to be."""

    intent: port.BookingIntent
    slot: Slot
    place: Place
    wanted: Appointment


class Way(Protocol):
    @property
    def frees(self) -> bool:
        """Whether we change the status of slots, and so must free them."""
        ...

    async def place(self, wire: Wire, job: Job) -> Placed:
        """Raises ``FhirFailure`` when certainly nothing was booked."""
        ...


class SlotClaim:
    """M1: claim the slot, then create."""

    frees = True

    async def place(self, wire: Wire, job: Job) -> Placed:
        intent = job.intent
        try:
            got = await claims.claim(wire, job.slot, intent.key, intent.slot_version)
        except errors.FhirFailure as failure:
            if failure.outcome_known:
                raise
            return port.Unknown(intent.key)
        if not isinstance(got, claims.Claimed):
            return got
        try:
            return await settled(wire, job, appointments.create(wire, job.wanted, intent.key))
        except errors.FhirFailure as failure:
            return await self._undone(wire, job, failure)

    async def _undone(self, wire: Wire, job: Job, failure: errors.FhirFailure) -> Placed:
        """Give the claim back, then say why there is no appointment."""
        try:
            result = await refusal(wire, job, failure)
            if isinstance(result, Appointment):
                return result
            await claims.give_back(wire, job.intent.slot_id, job.intent.key)
        except errors.FhirFailure:
            return port.Unknown(job.intent.key)
        if result is None:
            raise failure
        return result


class ServerDecides:
    """M4: create, and the server says whether the slot could be had."""

    frees = False

    async def place(self, wire: Wire, job: Job) -> Placed:
        state = claims.standing(wire, job.slot, job.intent.key, job.intent.slot_version)
        if isinstance(state, port.Taken | port.Rejected):
            return state
        create = appointments.create(wire, job.wanted, job.intent.key)
        return await decided(wire, job, create)


async def decided(wire: Wire, job: Job, sending: Awaitable[Appointment]) -> Placed:
    """A write that the server decides alone: what it answered, or what it refused for."""
    try:
        return await settled(wire, job, sending)
    except errors.FhirFailure as failure:
        result = await refusal(wire, job, failure)
        if result is None:
            raise
        return result


async def settled(wire: Wire, job: Job, sending: Awaitable[Appointment]) -> Placed:
    """A write, and if it got no answer, what became of it. Raises only when nothing did."""
    try:
        return await sending
    except errors.FhirFailure as failure:
        if failure.outcome_known:
            raise
    found = await appointments.look_for(wire, job.intent.key)
    return port.Unknown(job.intent.key) if found is None else found


async def refusal(wire: Wire, job: Job, failure: errors.FhirFailure) -> Placed | None:
    """What a refused booking means; None when it is a failure of the record system after all.

    Raises ``FhirFailure`` when what is there now cannot be read.
    """
    codes = {issue.code for issue in failure.issues}
    told = failure.fault is EmrFault.OUTCOME
    if failure.status not in (409, 412, 422) and not told:
        return None
    began = await appointments.by_key(wire, job.intent.key)
    if began and began[0].status not in mapping.OVER:
        return began[0]
    if "business-rule" in codes:
        return port.Rejected(next(failure.words(), "refused"))
    if codes & {"conflict", "duplicate"} or (told and "not-found" in codes):
        return port.Taken(job.intent.slot_id)
    if await _is_gone(wire, job):
        return port.Taken(job.intent.slot_id)
    return port.Rejected("refused") if told else None


async def _is_gone(wire: Wire, job: Job) -> bool:
    """Whether somebody else has the slot meanwhile."""
    slot = await claims.read(wire, SlotId(job.slot.id or ""))
    if slot is None:
        return True
    return slot.status != "free" and not claims.is_ours(wire, slot, job.intent.key)
