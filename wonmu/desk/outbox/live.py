"""One direct write while the caller waits, from the request to its outcome.

Decides the order: recorded before sent, read back before confirmed, dropped before "somebody else
has it". When the store fails in the middle, what the record system holds still counts, and what is
not certain stays open for the reconciler.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from wonmu.clock import Clock
from wonmu.desk.outbox.entry import Doing, Entry, Step
from wonmu.desk.outbox.network import (
    Differs,
    Failed,
    Lost,
    Network,
    OldGone,
    OldKept,
    Ruled,
    Sent,
    TakenBy,
    Tell,
    Wrote,
)
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.outcome import (
    Act,
    Confirmed,
    NotKept,
    NotWritten,
    Outcome,
    Pending,
    RefusedByRule,
    Repeated,
    SlotGone,
)
from wonmu.desk.outbox.store import Move, OutboxStore
from wonmu.desk.outbox.waits import Pause
from wonmu.desk.records import (
    BookingRequest,
    CancelRequest,
    DuplicateRequest,
    Recorded,
    RequestState,
    SlotTaken,
)
from wonmu.emr.port import Appointment
from wonmu.errors import EmrFailure, EmrFault, StoreFailure

FRESH = timedelta(seconds=10)
"""A live writer changes its row at least this often; longer than any one request may take."""

LOOK_UPS = (0.5, 1.0, 2.0)
"""Seconds before each look at what became of a lost reply; searches of real servers lag."""

LOOK_UP_SECONDS = 4.0
"""A caller waits no longer for the truth; the reconciler goes on."""


class _LostTurn(Exception):
    """Somebody else works on the row now."""


class LiveWrite:
    """Runs once."""

    def __init__(
        self,
        network: Network,
        store: OutboxStore,
        clock: Clock,
        pause: Pause,
        notes: StaffNotes,
        entry: Entry,
        tell: Tell,
    ) -> None:
        self._network = network
        self._store = store
        self._clock = clock
        self._pause = pause
        self._notes = notes
        self._entry = entry
        self._tell = tell

    async def run(self, request: BookingRequest | CancelRequest) -> Outcome:
        try:
            stop = await self._record(request)
            if stop is not None:
                return stop
            return await self._after(await self._network.send(self._entry))
        except _LostTurn:
            return await self._standing()

    async def _record(self, request: BookingRequest | CancelRequest) -> Outcome | None:
        """None: it is kept, nobody else has it, and it may be sent."""
        self._tell(Doing.RECORD)
        try:
            result = await self._store.record(request, self._entry)
        except StoreFailure:
            return None if await self._was_kept() else NotKept()
        match result:
            case Recorded(replayed=False):
                return None
            case Recorded():
                return await self._standing()
            case SlotTaken(slot_id=slot_id):
                return SlotGone(slot_id)
            case DuplicateRequest(key=key):
                return Repeated(key)

    async def _was_kept(self) -> bool:
        """A transaction that failed at its very end may have been kept all the same."""
        try:
            return await self._store.find(self._entry.key) == self._entry
        except StoreFailure:
            return False

    async def _after(self, sent: Sent) -> Outcome:
        match sent:
            case Wrote(appointment=appointment, replayed=replayed):
                return await self._written(appointment, replayed)
            case Lost(fault=fault):
                return await self._look_up(fault)
            case TakenBy():
                return await self._gone()
            case Ruled(reason=reason):
                await self._hand_over(self._notes.refused(reason), None, reason)
                return RefusedByRule(self._entry.key, reason)
            case Failed(fault=fault):
                await self._hand_over(self._notes.failed(fault), fault, "")
                return NotWritten(self._entry.key, fault)

    async def _written(
        self, appointment: Appointment, replayed: bool, *, ended: bool = True
    ) -> Outcome:
        made = None if self._entry.act is Act.CANCEL else appointment.id
        sent_at = None if ended else self._entry.sent_at
        await self._keep(replace(self._entry, step=Step.WRITTEN, written_id=made, sent_at=sent_at))
        try:
            read = await self._network.read_back(self._entry, appointment.id)
        except EmrFailure:
            return Pending(self._entry.key)
        match read:
            case None:
                return Pending(self._entry.key)
            case Differs():
                note = self._notes.mismatch()
                await self._keep(replace(self._entry, step=Step.MISMATCH, note=note))
                return Pending(self._entry.key)
            case Appointment():
                return await self._confirmed(read, replayed)

    async def _confirmed(self, appointment: Appointment, replayed: bool) -> Outcome:
        """It stands in the record system, whatever our own store can still take down."""
        if self._entry.act is Act.CHANGE:
            match await self._network.end_old(self._entry):
                case OldGone():
                    pass
                case Lost(fault=fault):
                    await self._note_old(Step.OLD_STANDS, self._notes.old_stands(), fault, "")
                    return Confirmed(appointment, replayed, old_stands=True)
                case OldKept(reason=reason):
                    note = self._notes.old_left(reason)
                    await self._note_old(Step.OLD_LEFT, note, None, reason)
                    return Confirmed(appointment, replayed, old_stands=True)
        if self._entry.sent_at is not None:
            return Confirmed(appointment, replayed)
        with suppress(_LostTurn):
            done = replace(self._entry, step=Step.VERIFIED, note="", fault=None)
            await self._keep(done, RequestState.DONE)
        return Confirmed(appointment, replayed)

    async def _note_old(self, step: Step, note: str, fault: EmrFault | None, reason: str) -> None:
        with suppress(_LostTurn):
            await self._keep(replace(self._entry, step=step, note=note, fault=fault, reason=reason))

    async def _look_up(self, fault: EmrFault | None) -> Outcome:
        note = self._notes.unknown()
        await self._keep(replace(self._entry, step=Step.UNKNOWN, note=note, fault=fault))
        began = self._clock.mono()
        for wait in LOOK_UPS:
            if self._clock.mono() - began + wait > LOOK_UP_SECONDS:
                break
            await self._pause(wait)
            try:
                found = await self._network.find(self._entry)
            except EmrFailure:
                continue
            if found is not None:
                return await self._end(found)
        return Pending(self._entry.key)

    async def _end(self, found: Appointment) -> Outcome:
        """Sent once more under the same key, so that what was cut off is brought to its end.

        Without an answer to that the caller hears what stands, and the reconciler goes on.
        """
        sent = await self._network.send(self._entry)
        if isinstance(sent, Lost | Failed):
            return await self._written(found, replayed=False, ended=False)
        return await self._after(sent)

    async def _gone(self) -> Outcome:
        """Only a request that is dropped for certain may be told as gone: an open one would be
        sent again, and the caller would have two times."""
        if self._entry.slot_id is None:
            return Pending(self._entry.key)
        gone = replace(self._entry, step=Step.GONE, note="", sent_at=None)
        kept = await self._keep(gone, RequestState.DROPPED)
        return SlotGone(self._entry.slot_id) if kept else Pending(self._entry.key)

    async def _hand_over(self, note: str, fault: EmrFault | None, reason: str) -> None:
        """Staff has it; the reconciler still looks whether something of ours is left behind."""
        given_up = replace(self._entry, step=Step.GIVEN_UP, note=note, sent_at=None)
        await self._keep(replace(given_up, fault=fault, reason=reason))

    async def _keep(self, wanted: Entry, request: RequestState | None = None) -> bool:
        """Take the row down as ``wanted``. False: the store failed, and only memory has it."""
        now = self._clock.now()
        wanted = replace(wanted, updated_at=now, due_at=_due(wanted.step, now))
        try:
            kept = await self._store.move(Move(wanted, request))
        except StoreFailure:
            self._entry = wanted
            return False
        if kept is None:
            raise _LostTurn
        self._entry = kept
        return True

    async def _standing(self) -> Outcome:
        """The outcome of a row that somebody else works or worked on."""
        key = self._entry.key
        try:
            entry = await self._store.find(key)
        except StoreFailure:
            return Pending(key)
        if entry is None:
            return Repeated(key)  # left to staff from the start, under the same key
        match entry.step:
            case Step.VERIFIED | Step.OLD_STANDS | Step.OLD_LEFT:
                return await self._already(entry)
            case Step.GONE if entry.slot_id is not None:
                return SlotGone(entry.slot_id)
            case Step.GIVEN_UP | Step.STAFF if entry.reason:
                return RefusedByRule(key, entry.reason)
            case Step.GIVEN_UP | Step.STAFF if entry.fault is not None:
                return NotWritten(key, entry.fault)
            case _:
                return Pending(key)

    async def _already(self, entry: Entry) -> Outcome:
        appointment_id = entry.written_id or entry.appointment_id
        if appointment_id is None:
            return Pending(entry.key)
        try:
            read = await self._network.read_back(entry, appointment_id)
        except EmrFailure:
            return Pending(entry.key)
        if not isinstance(read, Appointment):
            return Pending(entry.key)  # changed at the desk since: nothing is promised again
        return Confirmed(read, replayed=True, old_stands=entry.step is not Step.VERIFIED)


def _due(step: Step, now: datetime) -> datetime | None:
    if step.final:
        return None
    return now if step is Step.GIVEN_UP else now + FRESH
