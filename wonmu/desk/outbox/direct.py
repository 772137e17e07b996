"""Writing one consented act straight to the record system, exactly once (B2, B3, B4).

Decides in which order things are written down and sent, and which of the outcomes of ``outcome``
is true. It must never say confirmed of anything that was not read back, never send what it has not
recorded first, and never send under a second key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from wonmu.clock import Clock
from wonmu.desk.outbox.entry import Doing, Entry, Step
from wonmu.desk.outbox.live import FRESH, LiveWrite
from wonmu.desk.outbox.network import Network
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.outcome import Act, Outcome
from wonmu.desk.outbox.store import OutboxStore
from wonmu.desk.outbox.waits import Pause
from wonmu.desk.records import BookingRequest, CancelRequest
from wonmu.emr.port import Emr, Slot
from wonmu.errors import ProgrammingError
from wonmu.ids import BookingKey, PatientId

OnStep = Callable[[BookingKey, Act, Doing], None]
"""Told each step as it begins."""

CLOSE_SECONDS = 15.0
"""Longer than a live write takes within the record system's limits; the rest is reconciled."""


class DirectDesk:
    """``emr`` must have time limits (``GuardedEmr``), or a hang of it hangs the caller.

    A caller who hangs up does not stop a write: it goes on, and ``close`` waits for it.
    """

    def __init__(
        self,
        emr: Emr,
        store: OutboxStore,
        clock: Clock,
        pause: Pause,
        notes: StaffNotes,
        on_step: OnStep | None = None,
    ) -> None:
        self._emr = emr
        self._store = store
        self._clock = clock
        self._pause = pause
        self._notes = notes
        self._on_step = on_step
        self._writes: dict[BookingKey, asyncio.Task[Outcome]] = {}

    def for_call(self, emr: Emr, on_step: OnStep | None = None) -> DirectDesk:
        """The same desk for one call: through the call's guarded ``emr``, steps told to it."""
        desk = DirectDesk(emr, self._store, self._clock, self._pause, self._notes, on_step)
        desk._writes = self._writes  # so that one key is one write, and ``close`` knows them all
        return desk

    async def book(self, request: BookingRequest, slot: Slot) -> Outcome:
        """Record the request, write it, read it back.

        The same key again gives the first one's outcome. ProgrammingError: the request replaces
        an appointment, is not about ``slot``, or its patient has no id (keep request mode then:
        see ``can_write``).
        """
        if request.replaces is not None:
            raise ProgrammingError("a request that replaces an appointment is a change")
        return await self._write(request, self._booking(Act.BOOK, request, slot))

    async def change(self, request: BookingRequest, slot: Slot) -> Outcome:
        """``book`` for a request that ``replaces`` an appointment: the new one before the old."""
        if request.replaces is None:
            raise ProgrammingError("a change replaces an appointment")
        return await self._write(request, self._booking(Act.CHANGE, request, slot))

    async def cancel(self, request: CancelRequest) -> Outcome:
        """Cancel ``request.appointment_id``. ProgrammingError as for ``book``."""
        entry = self._entry(Act.CANCEL, request)
        return await self._write(request, replace(entry, appointment_id=request.appointment_id))

    async def close(self) -> None:
        """Wait for writes under way. Closes neither the store nor the record system."""
        if self._writes:
            _, late = await asyncio.wait(set(self._writes.values()), timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _booking(self, act: Act, request: BookingRequest, slot: Slot) -> Entry:
        wished = (request.slot_id, request.start, request.doctor_id, request.department_id)
        if wished != (slot.id, slot.start, slot.doctor_id, slot.department_id):
            raise ProgrammingError(f"{request.key}: the request and the slot are not the same time")
        return replace(
            self._entry(act, request),
            slot_id=slot.id,
            slot_version=slot.version,
            department_id=slot.department_id,
            doctor_id=slot.doctor_id,
            appointment_id=request.replaces,
        )

    def _entry(self, act: Act, request: BookingRequest | CancelRequest) -> Entry:
        """The row as it is recorded: from then on a request may be under way."""
        now = self._clock.now()
        return Entry(
            key=request.key,
            hospital_id=request.hospital_id,
            call_id=request.call_id,
            act=act,
            step=Step.SENDING,
            patient_id=_known(request),
            start=request.start,
            created_at=request.created_at,
            updated_at=now,
            due_at=now + FRESH,
            sent_at=now,
            note=self._notes.writing(),
        )

    async def _write(self, request: BookingRequest | CancelRequest, entry: Entry) -> Outcome:
        task = self._writes.get(entry.key)
        if task is None:
            task = asyncio.ensure_future(self._live(entry).run(request))
            self._writes[entry.key] = task
            task.add_done_callback(lambda _: self._writes.pop(entry.key))
        return await asyncio.shield(task)

    def _live(self, entry: Entry) -> LiveWrite:
        def tell(doing: Doing) -> None:
            if self._on_step is not None:
                self._on_step(entry.key, entry.act, doing)

        network = Network(self._emr, tell)
        return LiveWrite(network, self._store, self._clock, self._pause, self._notes, entry, tell)


def can_write(request: BookingRequest | CancelRequest) -> bool:
    """Whether the record system knows the patient; otherwise only staff can enter the request."""
    return request.patient.id is not None


def _known(request: BookingRequest | CancelRequest) -> PatientId:
    if request.patient.id is None:
        raise ProgrammingError(f"{request.key}: the record system does not know this patient")
    return request.patient.id
