"""What becomes of one row that nobody works on any more.

The record system is asked for the row's key first, always. Found: what this key began is brought
to its end, read back and done. Not found: sent again under the same key, since the caller was told
that the request is taken, unless the consent is too old, the time is past, or staff has taken the
request over; then staff has it. It must never send under another key, and never drop a request
that a caller believes in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

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
    TakenBy,
    Wrote,
)
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.outcome import Act
from wonmu.desk.outbox.rules import Did, Reconciled, ReconcileRules
from wonmu.desk.outbox.store import Move, OutboxStore
from wonmu.desk.records import RequestState
from wonmu.emr.port import Appointment, Emr
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import AppointmentId

_UNASKED = frozenset({EmrFault.BREAKER_OPEN, EmrFault.TOO_MANY})
"""Faults that say nothing about the row: it was not asked at all."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What to take down (None: somebody else has the row) and what to tell."""

    move: Move | None
    told: Reconciled

    def as_(self, did: Did) -> Settled:
        return Settled(self.move, replace(self.told, did=did))

    def lost(self) -> Settled:
        return Settled(None, replace(self.told, did=Did.LEFT_TO_OTHERS))


@dataclass(frozen=True, slots=True)
class Resend:
    """Nothing stands under the row's key: it is to be sent again, once ``move`` is taken down."""

    before: Entry
    move: Move


class Settling:
    """Works on rows one by one; several at once are fine."""

    def __init__(
        self,
        emr: Emr,
        store: OutboxStore,
        clock: Clock,
        notes: StaffNotes,
        rules: ReconcileRules,
    ) -> None:
        self._network = Network(emr, _quiet)
        self._store = store
        self._clock = clock
        self._notes = notes
        self._rules = rules

    async def look(self, entry: Entry) -> Settled | Resend:
        """What the record system says of the row; a failing one is in the result."""
        match entry.step:
            case Step.OLD_STANDS:
                return await self._old(entry)
            case Step.GIVEN_UP:
                return await self._watch(entry)
            case _:
                return await self._open(entry)

    async def _open(self, entry: Entry) -> Settled | Resend:
        try:
            if entry.written_id is not None:  # a search by key may lag, a read by id does not
                return await self._found(entry, entry.written_id)
            found = await self._network.find(entry)
            if found is not None:
                return await self._found(entry, found.id)
        except EmrFailure as failure:
            return self._again(entry, failure.fault, failure.retry_after)
        if self._too_late(entry):
            return await self._hand_over(entry, self._notes.too_late(), reason="too_late")
        sending = replace(entry, step=Step.SENDING, sent_at=self._clock.now())
        return Resend(entry, Move(sending, needs_open=True))

    async def send(self, entry: Entry, kept: Entry | None) -> Settled:
        """Send again under the same key. ``kept``: the row as it was taken down, None if it could
        not be. Raises ``StoreFailure``."""
        if kept is None:
            return await self._closed_by_staff(entry)
        sent = await self._network.send(kept)
        # What this attempt certainly did not do, an earlier one whose reply is missing still may.
        before = replace(kept, sent_at=entry.sent_at)
        match sent:
            case Wrote(appointment=appointment):
                written = replace(kept, step=Step.WRITTEN, sent_at=None)
                try:
                    return await self._finish(written, appointment.id)
                except EmrFailure as failure:
                    return self._again(written, failure.fault, failure.retry_after)
            case Lost(fault=fault, retry_after=retry_after):
                lost = replace(kept, step=Step.UNKNOWN, note=self._notes.unknown())
                return self._again(lost, fault or EmrFault.TIMEOUT, retry_after)
            case Failed(fault=fault, retry_after=retry_after):
                return self._again(before, fault, retry_after)
            case TakenBy():
                return await self._hand_over(before, self._notes.taken(), reason="taken")
            case Ruled(reason=reason):
                return await self._hand_over(before, self._notes.refused(reason), reason=reason)

    async def _closed_by_staff(self, entry: Entry) -> Settled:
        """Staff closed the request, or somebody else took the row."""
        now = await self._store.find(entry.key)
        if now is None or now.turn != entry.turn:
            return Settled(None, self._told(now or entry, Did.LEFT_TO_OTHERS))
        return await self._hand_over(entry, "", reason="closed_by_staff")

    async def _found(self, entry: Entry, appointment_id: AppointmentId) -> Settled:
        """Something stands under the key. Raises ``EmrFailure``.

        If the request that made it was cut off, it is sent once more: nothing new can come of it,
        but a record system that takes several steps ends them (frees a slot, cancels the old one).
        """
        if entry.sent_at is None:
            return await self._finish(entry, appointment_id)
        match await self._network.send(entry):
            case Wrote(appointment=appointment):
                return await self._finish(replace(entry, sent_at=None), appointment.id)
            case Ruled():
                return await self._finish(replace(entry, sent_at=None), appointment_id)
            case TakenBy():
                return await self._hand_over(entry, self._notes.taken(), reason="taken")
            case (
                Lost(fault=fault, retry_after=retry_after)
                | Failed(fault=fault, retry_after=retry_after)
            ):
                return self._again(entry, fault or EmrFault.TIMEOUT, retry_after)

    async def _finish(self, entry: Entry, appointment_id: AppointmentId) -> Settled:
        """It is in the record system; is it what was agreed? Raises ``EmrFailure``."""
        read = await self._network.read_back(entry, appointment_id)
        made = entry.appointment_id if entry.act is Act.CANCEL else appointment_id
        if entry.act is not Act.CANCEL:
            entry = replace(entry, written_id=made)
        match read:
            case None:
                written = replace(entry, step=Step.WRITTEN)
                return self._again(written, EmrFault.NOT_FOUND, None)
            case Differs():
                differs = replace(entry, step=Step.MISMATCH, note=self._notes.mismatch())
                return self._settled(differs, Did.HANDED_OVER)
            case Appointment():
                written = replace(entry, sent_at=None, attempts=0)
                if entry.act is Act.CHANGE:
                    return await self._old(written)
                return self._done(written)

    async def _old(self, entry: Entry) -> Settled:
        """The new appointment stands; see to it that the old one does not."""
        match await self._network.end_old(entry):
            case OldGone():
                return self._done(entry)
            case OldKept(reason=reason):
                note = self._notes.old_left(reason)
                left = replace(entry, step=Step.OLD_LEFT, note=note, reason=reason)
                return self._settled(left, Did.HANDED_OVER)
            case Lost(fault=fault, retry_after=retry_after):
                failures = entry.attempts + (fault not in _UNASKED)
                stands = replace(entry, step=Step.OLD_STANDS, note=self._notes.old_stands())
                stands = replace(stands, attempts=failures, fault=fault or EmrFault.TIMEOUT)
                wait = self._rules.wait(failures, retry_after)
                return self._settled(stands, Did.OLD_STANDS, self._clock.now() + wait)

    def _again(self, entry: Entry, fault: EmrFault, retry_after: float | None) -> Settled:
        """Look again later; after too many failures staff has it and the key is still asked for."""
        failures = entry.attempts + (fault not in _UNASKED)
        entry = replace(entry, attempts=failures, fault=fault)
        did = Did.WAITING
        if failures >= self._rules.attempts and entry.step is not Step.GIVEN_UP:
            note = self._notes.not_found_out(failures)
            entry, did = replace(entry, step=Step.GIVEN_UP, note=note), Did.HANDED_OVER
        now = self._clock.now()
        if entry.step is Step.GIVEN_UP and now > entry.start + self._rules.give_up:
            return self._settled(replace(entry, step=Step.STAFF), Did.CLOSED)
        return self._settled(entry, did, now + self._rules.wait(failures, retry_after))

    async def _hand_over(self, entry: Entry, note: str, *, reason: str) -> Settled:
        """Staff has it from now on; nothing stands under the key at this moment."""
        given = replace(entry, step=Step.GIVEN_UP, note=note, reason=reason, attempts=0)
        return await self._let_go(replace(given, fault=None), Did.HANDED_OVER)

    async def _watch(self, entry: Entry) -> Settled:
        """Handed over before: a late write may have come true, a claim may still stand."""
        try:
            found = await self._network.find(entry)
            if found is not None:
                return await self._found(entry, found.id)
        except EmrFailure as failure:
            return self._again(entry, failure.fault, failure.retry_after)
        return await self._let_go(entry, Did.CLOSED)

    async def _let_go(self, entry: Entry, did: Did) -> Settled:
        """Give back what is still claimed, once no request of ours can be under way any more.

        Before that, the claim could be the first half of a booking that is just being made.
        """
        now = self._clock.now()
        if entry.sent_at is not None and now < entry.sent_at + self._rules.late_write:
            waits = Did.WAITING if did is Did.CLOSED else did
            return self._settled(entry, waits, entry.sent_at + self._rules.late_write)
        try:
            await self._network.release(entry)
        except EmrFailure as failure:
            again = self._again(entry, failure.fault, failure.retry_after)
            return again if did is Did.CLOSED else again.as_(did)
        return self._settled(replace(entry, step=Step.STAFF, sent_at=None), did)

    def _too_late(self, entry: Entry) -> bool:
        now = self._clock.now()
        return entry.start <= now or entry.created_at + self._rules.consent_lasts < now

    def _done(self, entry: Entry) -> Settled:
        done = replace(entry, step=Step.VERIFIED, note="", reason="", fault=None, sent_at=None)
        return self._settled(done, Did.FINISHED, request=RequestState.DONE)

    def _settled(
        self,
        entry: Entry,
        did: Did,
        due_at: datetime | None = None,
        request: RequestState | None = None,
    ) -> Settled:
        entry = replace(entry, updated_at=self._clock.now(), due_at=due_at)
        return Settled(Move(entry, request), self._told(entry, did))

    def _told(self, entry: Entry, did: Did) -> Reconciled:
        return Reconciled(
            key=entry.key,
            hospital_id=entry.hospital_id,
            act=entry.act,
            did=did,
            step=entry.step,
            appointment_id=entry.written_id or entry.appointment_id,
            fault=None if entry.step.final else entry.fault,
            reason=entry.reason,
        )


def _quiet(_: Doing) -> None:
    """Nobody listens to the steps of a reconciler."""
