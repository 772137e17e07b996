"""The race table through the direct commit: what was told is what is there, everywhere (B2, B4).

The same callers as in the race over the port. Each is told a typed outcome; what is still pending
is reconciled, and then the record system, the outbox and the inbox say the same. Run with ``-s`` to
see the line.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest
import race_audit
import races
from outbox_parts import HOSPITAL, NOTES, cancel_request, request
from race_audit import audit
from races import Caller, End, Told, Wish
from stores import StoreAt

from wonmu.desk.inbox import open_inbox
from wonmu.desk.outbox.direct import DirectDesk
from wonmu.desk.outbox.outcome import (
    Confirmed,
    NotKept,
    NotWritten,
    Outcome,
    Pending,
    RefusedByRule,
    Repeated,
    SlotGone,
)
from wonmu.desk.outbox.reconcile import Reconciler
from wonmu.desk.outbox.store import OutboxStore, outbox_of
from wonmu.desk.records import BookingRequest, RequestPatient
from wonmu.emr.faults import FaultPlan, FaultyEmr
from wonmu.emr.guard import GuardedEmr, GuardRules
from wonmu.emr.port import Appointment, Slot
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.ids import AppointmentId, BookingKey, SlotId
from wonmu.loop import LoopClock, run

pytestmark = pytest.mark.service

SEED = 20261202
ENGINES = 3
PATIENT_GUARD = GuardRules(request=30.0, step=60.0)
"""On a busy machine the limits of a call would turn a slow answer into a pending one; limits are
tested elsewhere."""


class DirectLine:
    """One caller whose wishes are written by a direct desk."""

    def __init__(self, desk: DirectDesk, records: SqlEmr, caller: Caller) -> None:
        emr = GuardedEmr(FaultyEmr(records, FaultPlan(races.lost(caller.wish))), PATIENT_GUARD)
        self._desk = desk.for_call(emr)
        self._records = records
        self._caller = caller
        self._rng = Random(caller.seed)
        self._took: list[float] = []

    async def run(self) -> Told:
        caller = self._caller
        seen = await self._look(caller.slot)
        wish = self._request(seen, caller.key)
        if caller.wish is Wish.TWICE:
            both = await asyncio.gather(
                *(self._timed(self._desk.book(wish, seen)) for _ in range(2))
            )
            assert both[0] == both[1], "one key, two answers"
            outcome: Outcome = both[0]
        else:
            outcome = await self._timed(self._desk.book(wish, seen))
        told = self._told(outcome, caller.key, End.BOOKED)
        if not isinstance(outcome, Confirmed):
            return told
        if caller.wish in (Wish.CANCEL, Wish.CANCEL_LOST):
            return await self._cancel(told, outcome.appointment)
        if caller.wish in (Wish.MOVE, Wish.MOVE_LOST):
            return await self._move(told, outcome.appointment)
        return told

    async def _cancel(self, told: Told, made: Appointment) -> Told:
        await self._hesitate()
        key = f"c{self._caller.number}"
        wish = cancel_request(made, key, patient=_person(self._caller), created_at=races.NOW)
        after = self._told(
            await self._timed(self._desk.cancel(wish)), BookingKey(key), End.CANCELLED
        )
        return after if after.end in (End.CANCELLED, End.UNKNOWN) else told

    async def _move(self, told: Told, made: Appointment) -> Told:
        seen = await self._look(self._caller.other)
        key = BookingKey(f"m{self._caller.number}")
        wish = replace(self._request(seen, key), replaces=AppointmentId(made.id))
        after = self._told(await self._timed(self._desk.change(wish, seen)), key, End.MOVED)
        return after if after.end in (End.MOVED, End.UNKNOWN) else told

    def _request(self, seen: Slot, key: BookingKey) -> BookingRequest:
        return request(seen, key, patient=_person(self._caller), created_at=races.NOW)

    async def _look(self, slot_id: SlotId) -> Slot:
        await self._hesitate()
        seen = await self._records.read_slot(slot_id)
        assert seen is not None
        await self._hesitate()
        return seen

    async def _timed(self, write: Awaitable[Outcome]) -> Outcome:
        began = time.perf_counter()
        outcome = await write
        self._took.append((time.perf_counter() - began) * 1000)
        return outcome

    async def _hesitate(self) -> None:
        await asyncio.sleep(self._rng.random() * races.HESITATION)

    def _told(self, outcome: Outcome, key: BookingKey, done: End) -> Told:
        told = Told(self._caller, done, took=tuple(self._took))
        match outcome:
            case Confirmed(made, _, old_stands):
                assert not old_stands
                return replace(told, key=key, slot=made.slot_id)
            case SlotGone():
                return replace(told, end=End.TAKEN)
            case Repeated() | RefusedByRule() | NotWritten() | NotKept():
                return replace(told, end=End.REFUSED, why=type(outcome).__name__)
            case Pending():
                return replace(told, end=End.UNKNOWN, key=key)


def _person(caller: Caller) -> RequestPatient:
    number = caller.patient.removeprefix("p-")
    return RequestPatient(f"환자{number}", date(1990, 1, 1), f"0100000{number}", caller.patient)


async def reconciled(told: Sequence[Told], records: SqlEmr, store: OutboxStore) -> list[Told]:
    """Those of whom nobody knew yet, after the reconciler has found out."""
    clock = LoopClock(races.NOW + timedelta(hours=1))
    await Reconciler(GuardedEmr(records), store, clock, NOTES, HOSPITAL).run_once()
    known = []
    for each in told:
        if each.end is not End.UNKNOWN or each.key is None:
            known.append(each)
            continue
        entry, made = await store.find(each.key), await records.lookup_key(each.key)
        assert entry is not None
        assert entry.step.final, entry
        known.append(_settled(each, made))
    return known


def _settled(told: Told, made: Appointment | None) -> Told:
    """What the record system says about the key of which nobody knew."""
    caller, key = told.caller, told.key
    if made is not None and made.key == key:
        end = End.BOOKED if key == caller.key else End.MOVED
        return replace(told, end=end, slot=made.slot_id)
    if made is not None:
        return replace(told, end=End.CANCELLED)
    if key == caller.key:
        return replace(told, end=End.REFUSED)
    return replace(told, end=End.BOOKED, key=caller.key, slot=caller.slot)  # the old one stands


def test_the_race_through_the_direct_commit(
    store_at: StoreAt, request: pytest.FixtureRequest
) -> None:
    async def main() -> tuple[list[Told], set[SlotId], race_audit.Audit, int, int]:
        async with AsyncExitStack() as stack:
            clock = LoopClock(races.NOW)
            everything = [await open_embedded(store_at("emr"), clock) for _ in range(ENGINES)]
            inboxes = [await open_inbox(store_at("desk")) for _ in range(ENGINES)]
            for records in everything:
                stack.push_async_callback(records.close)
            for inbox in inboxes:
                stack.push_async_callback(inbox.close)
            slots = await races.fill(everything[0])
            desks = [
                DirectDesk(GuardedEmr(records), outbox_of(inbox), clock, asyncio.sleep, NOTES)
                for records, inbox in zip(everything, inboxes, strict=True)
            ]
            callers = races.callers_for(slots, SEED)
            lines = [
                DirectLine(desks[n % ENGINES], everything[n % ENGINES], caller)
                for n, caller in enumerate(callers)
            ]
            ends, by_desk = await asyncio.gather(
                asyncio.gather(*(each.run() for each in lines), return_exceptions=True),
                races.desk(everything[0], slots, SEED),
            )
            for desk in desks:
                await desk.close()
            told = races.told_by(callers, ends)
            pending = sum(each.end is End.UNKNOWN for each in told)
            told = await reconciled(told, everything[0], outbox_of(inboxes[0]))
            found = await audit(everything[0], told, slots, by_desk)
            rows = await outbox_of(inboxes[0]).entries()
            open_rows = sum(not each.step.final for each in rows)
            return told, by_desk, found, pending, open_rows

    told, by_desk, found, pending, open_rows = run(main)
    name = request.node.callspec.id + "-direct commit"
    table = race_audit.line(name, told, by_desk, found)
    print(f"\n{race_audit.HEADING}\n{table}  ({pending} pending)")
    assert found.clean, found
    assert open_rows == 0
    assert {End.BOOKED, End.TAKEN, End.CANCELLED} <= {each.end for each in told}
