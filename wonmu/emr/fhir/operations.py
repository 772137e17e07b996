"""M3: the record system's own $find, $hold and $book (IHE ITI Scheduling, ITI-115 to ITI-117).

The server owns its slots and says who has one. A hold is an appointment of the server's making
whose id must be handed in when booking; it is kept here for this process only, and there is no
operation to give it back: a hold that nobody books lapses by the server's rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from wonmu.emr import port
from wonmu.emr.fhir import claims, errors, mapping
from wonmu.emr.fhir.datatypes import Reference
from wonmu.emr.fhir.models import Appointment, Parameter, Parameters, Slot
from wonmu.emr.fhir.ways import Job, Placed, decided
from wonmu.emr.fhir.wire import Wire
from wonmu.errors import EmrFault
from wonmu.ids import BookingKey, SlotId

SERVERS_LIMIT = timedelta(seconds=90)
"""How long a server is expected to hold at least; IHE leaves it to the server and tells it not."""


class Operations:
    frees = False

    def __init__(self) -> None:
        self._held: dict[tuple[BookingKey, str], tuple[str, datetime]] = {}

    async def hold(
        self, wire: Wire, slot: Slot, doctor: str, key: BookingKey, lasting: timedelta
    ) -> datetime | port.Taken | port.Rejected:
        """Until when it is held. Raises ``FhirFailure``."""
        slot_id = slot.id or ""
        offered = await _offered(wire, slot, doctor)
        if offered is None:
            return port.Taken(SlotId(slot_id))
        try:
            held = await _answered(wire, "$hold", _by_reference(offered), "holding a time")
        except errors.FhirFailure as failure:
            if failure.status in (409, 412, 422) or failure.fault is EmrFault.OUTCOME:
                return port.Taken(SlotId(slot_id))
            raise
        now = wire.clock.now()
        until = now + min(lasting, SERVERS_LIMIT)
        self._held = {which: kept for which, kept in self._held.items() if kept[1] > now}
        self._held[key, slot_id] = (held.id or "", until)
        return until

    async def place(self, wire: Wire, job: Job) -> Placed:
        key = job.intent.key
        held, _ = self._held.pop((key, job.intent.slot_id), (None, None))
        if held:
            placed = await self._book_held(wire, job, held)
            if not isinstance(placed, port.Taken):
                return placed
            # The hold may have lapsed with the slot still free.
            slot = await claims.read(wire, job.intent.slot_id)
            if slot is None or slot.status != "free":
                return placed
        else:
            state = claims.standing(wire, job.slot, key, job.intent.slot_version)
            if isinstance(state, port.Taken | port.Rejected):
                return state
        return await decided(wire, job, _book(wire, job, None))

    async def _book_held(self, wire: Wire, job: Job, held: str) -> Placed:
        try:
            return await decided(wire, job, _book(wire, job, held))
        except errors.FhirFailure as failure:
            if failure.fault is not EmrFault.CONFLICT:
                raise
            return port.Taken(job.intent.slot_id)  # the hold is no longer good


async def _book(wire: Wire, job: Job, held: str | None) -> Appointment:
    change: dict[str, object] = {"status": "pending"}
    if held is not None:
        change["id"] = held
    wanted = job.wanted.model_copy(update=change)
    given = Parameters(parameter=(Parameter(name="appointment-resource", resource=wanted),))
    return await _answered(wire, "$book", given, "booking")


async def _offered(wire: Wire, slot: Slot, doctor: str) -> str | None:
    """The id of the proposed appointment that stands for this slot, if it is still offered."""
    asked = Parameters(
        parameter=(
            Parameter(name="start", value_date_time=slot.start),
            Parameter(name="end", value_date_time=slot.end),
            Parameter(
                name="practitioner",
                value_reference=Reference(reference=f"Practitioner/{doctor}"),
            ),
        )
    )
    path = "Appointment/$find"
    found = await wire.client.operate(path, asked, "looking for a free time", write=False)
    proposed = (one.resource for one in found.entry)
    ids = _standing_for(slot, [one for one in proposed if isinstance(one, Appointment)])
    return next(ids, None)


def _standing_for(slot: Slot, proposed: list[Appointment]) -> Iterator[str]:
    for one in proposed:
        named = mapping.targets(one.slot, "Slot")
        same = slot.id in named if named else (one.start, one.end) == (slot.start, slot.end)
        if same and one.id is not None:
            yield one.id


def _by_reference(appointment_id: str) -> Parameters:
    link = Reference(reference=f"Appointment/{appointment_id}")
    return Parameters(parameter=(Parameter(name="appointment-reference", value_reference=link),))


async def _answered(wire: Wire, name: str, given: Parameters, doing: str) -> Appointment:
    """The one appointment that an operation answers with."""
    answer = await wire.client.operate(f"Appointment/{name}", given, doing, write=True)
    found = [one.resource for one in answer.entry if isinstance(one.resource, Appointment)]
    if len(found) != 1:
        raise errors.unreadable(doing, write=True)
    return found[0]
