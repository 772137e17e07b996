"""Sixty callers, twenty slots, and a desk that takes slots too: the race and its audit.

Every caller wants one appointment and ends with one thing that was said to them. The audit reads
the database afterwards and compares: nobody was told of a booking that is not there, and nothing is
there twice. Who wants what, and how long everybody hesitates, comes from a seed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from datetime import time as clock_time
from enum import StrEnum
from random import Random
from typing import TypeVar

from sqlalchemy import select

from wonmu.clock import SEOUL
from wonmu.emr import tables
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.emr.faults import FaultyEmr
from wonmu.emr.port import (
    Appointment,
    AppointmentStatus,
    Booked,
    BookingIntent,
    BookResult,
    Cancelled,
    CancelResult,
    Department,
    Doctor,
    Emr,
    NotThere,
    Rejected,
    Slot,
    SlotStatus,
    Taken,
    Unknown,
)
from wonmu.emr.rows import appointment, slot
from wonmu.emr.seed import SeedPlan, seed, slots_from_rota
from wonmu.emr.sql import SqlEmr
from wonmu.errors import EmrFailure
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, DoctorId, PatientId, SlotId
from wonmu.storage import reading

T = TypeVar("T")

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=SEOUL)
CALLERS, SLOTS, DESK_BOOKINGS = 60, 20, 6
TRIES = 12
HESITATION = 0.15
"""Seconds of loop time that a caller waits at most between two steps."""

_ORTHO = DepartmentId("ortho")
_PATIENTS = 46
_SAME_PATIENT = 8


class Wish(StrEnum):
    PLAIN = "plain"
    TWICE = "twice"
    """The same key is sent twice at once."""
    LOST = "lost"
    """The first answer gets lost on its way back."""
    CANCEL = "cancel"
    CANCEL_LOST = "cancel, answer lost"
    MOVE = "move"
    MOVE_LOST = "move, answer lost"


_WISHES = [*Wish, Wish.CANCEL, Wish.CANCEL_LOST, Wish.MOVE, Wish.MOVE_LOST]
"""Those who go on after booking come twice as often: many others lose before."""


class End(StrEnum):
    """What a caller was told last."""

    BOOKED = "booked"
    MOVED = "moved"
    CANCELLED = "cancelled"
    TAKEN = "taken"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    BROKEN = "broken"
    """Nothing that has a type: an exception."""


@dataclass(frozen=True, slots=True)
class Caller:
    """``other``: where a caller who moves wants to go."""

    number: int
    wish: Wish
    patient: PatientId
    slot: SlotId
    other: SlotId
    seed: int

    @property
    def key(self) -> BookingKey:
        return BookingKey(f"k{self.number}")


@dataclass(frozen=True, slots=True)
class Told:
    """``key``, ``slot``: of the appointment that stands, by what was said."""

    caller: Caller
    end: End
    key: BookingKey | None = None
    slot: SlotId | None = None
    why: str = ""
    took: tuple[float, ...] = ()
    """Milliseconds of each write."""


async def fill(records: SqlEmr) -> tuple[SlotId, ...]:
    """Two doctors, a calendar, and the twenty slots of the race: ten starts, both doctors free."""
    first = NOW.date() + timedelta(days=4)
    doctors = (Doctor(DoctorId("d1"), "박서준", _ORTHO), Doctor(DoctorId("d2"), "한지민", _ORTHO))
    hours = ((clock_time(9), clock_time(12)), (clock_time(13), clock_time(17)))
    rota = slots_from_rota(doctors, lambda _i, _d: hours, 30, first, first + timedelta(days=2))
    plan = SeedPlan((Department(_ORTHO, "정형외과"),), doctors, tuple(rota))
    await seed(records, plan, NOW, Random(7))
    free: dict[datetime, list[SlotId]] = {}
    for each in await all_slots(records):
        if each.status is SlotStatus.FREE:
            free.setdefault(each.start, []).append(each.id)
    pairs = [ids for _, ids in sorted(free.items()) if len(ids) == len(doctors)]
    return tuple(id_ for pair in pairs for id_ in pair)[:SLOTS]


def callers_for(slots: Sequence[SlotId], seed_number: int, count: int = CALLERS) -> list[Caller]:
    """Who calls. The first ones come in twos: one patient, one start, two doctors.

    The last slots are wanted by those only who have booked another one and want to move.
    """
    rng = Random(seed_number)
    wanted, spare = slots[: 2 * _SAME_PATIENT], slots[2 * _SAME_PATIENT :]
    made = []
    for number in range(count):
        twin = number // 2 if number < 2 * _SAME_PATIENT else None
        made.append(
            Caller(
                number=number,
                wish=rng.choice(_WISHES),
                patient=PatientId(f"p-{(twin or rng.randrange(_PATIENTS)) + 1:04d}"),
                slot=wanted[number] if twin is not None else rng.choice(wanted),
                other=rng.choice(spare),
                seed=rng.getrandbits(32),
            )
        )
    rng.shuffle(made)
    return made


class Line:
    """One caller's call: the port, hesitation, and what became of it."""

    def __init__(self, emr: Emr, caller: Caller) -> None:
        self._emr: Emr = FaultyEmr(emr, FaultPlan(lost(caller.wish)))
        self._caller = caller
        self._rng = Random(caller.seed)
        self._took: list[float] = []
        self._open: set[BookingKey] = set()
        """Keys of which a request may still be under way."""

    async def run(self) -> Told:
        caller = self._caller
        await self._hesitate()
        result = await self._book_somehow()
        if not isinstance(result, Booked):
            return self._told(_end_of(result), why=getattr(result, "reason", ""))
        made = result.appointment
        await self._hesitate()
        if caller.wish in (Wish.CANCEL, Wish.CANCEL_LOST):
            return await self._cancel(made)
        if caller.wish in (Wish.MOVE, Wish.MOVE_LOST):
            return await self._move(made)
        return self._told(End.BOOKED, caller.key, made.slot_id)

    async def _book_somehow(self) -> BookResult:
        result: BookResult = Taken(self._caller.slot)
        for _ in range(3):
            seen = await self._slot(self._caller.slot)
            await self._hesitate()
            result = await self._book(seen)
            # It may have become free again since: somebody cancelled.
            if not (isinstance(result, Rejected) and result.reason == "stale_version"):
                break
        return result

    async def _book(self, seen: Slot) -> BookResult:
        caller = self._caller
        intent = BookingIntent(caller.key, caller.patient, seen.id, seen.version)
        if caller.wish is not Wish.TWICE:
            return await self._booked(lambda: self._emr.book(intent), caller.key)
        both = await asyncio.gather(
            *(self._booked(lambda: self._emr.book(intent), caller.key) for _ in range(2))
        )
        done = [each for each in both if isinstance(each, Booked)]
        assert len({each.appointment.id for each in done}) <= 1, "one key, two appointments"
        return done[0] if done else both[0]

    async def _cancel(self, made: Appointment) -> Told:
        key = BookingKey(f"c{self._caller.number}")
        result = await self._cancelled(lambda: self._emr.cancel(made.id, key), made.id)
        if isinstance(result, Cancelled):
            return self._told(End.CANCELLED)
        return self._told(_end_of(result), why="the cancellation")

    async def _move(self, made: Appointment) -> Told:
        caller, key = self._caller, BookingKey(f"m{self._caller.number}")
        seen = await self._slot(caller.other)
        await self._hesitate()
        intent = BookingIntent(key, caller.patient, seen.id, seen.version)
        result = await self._booked(lambda: self._emr.reschedule(made.id, intent), key)
        match result:
            case Booked(moved):
                return self._told(End.MOVED, key, moved.slot_id)
            case Taken() | Rejected():
                return self._told(End.BOOKED, caller.key, made.slot_id)
            case Unknown():
                return self._told(End.UNKNOWN, why="the move")

    async def _booked(
        self, ask: Callable[[], Awaitable[BookResult]], key: BookingKey
    ) -> BookResult:
        """Sent until there is an answer; between two tries the key is looked up."""
        unknown: BookResult = Unknown(key)
        for _ in range(TRIES):
            result: BookResult = await self._sent(ask, unknown)
            if not isinstance(result, Unknown):
                return result
            self._open.add(key)
            standing = await self._looked_up(key)
            there = standing is not None and standing.status is AppointmentStatus.BOOKED
            # A move may be half done; sent again it is finished.
            if standing is not None and there and self._caller.wish is not Wish.MOVE_LOST:
                return Booked(standing, replayed=True)
            await self._hesitate()
        return unknown

    async def settled(self, told: Told) -> Told:
        """What a reconciler finds out when all is quiet: of a key whose first request got no
        answer, a later "taken" says nothing about that first one."""
        if told.end in (End.MOVED, End.CANCELLED):
            return told
        for key in self._open:
            standing = await self._looked_up(key)
            if standing is not None and standing.status is AppointmentStatus.BOOKED:
                end = End.BOOKED if key == self._caller.key else End.MOVED
                return replace(told, end=end, key=key, slot=standing.slot_id)
        return replace(told, end=End.REFUSED) if told.end is End.UNKNOWN else told

    async def _cancelled(
        self, ask: Callable[[], Awaitable[CancelResult]], made: AppointmentId
    ) -> CancelResult:
        unknown: CancelResult = Unknown(self._caller.key)
        for _ in range(TRIES):
            result = await self._sent(ask, unknown)
            if not isinstance(result, Unknown):
                return result
            await self._hesitate()
        return unknown

    async def _sent(self, ask: Callable[[], Awaitable[T]], unknown: T) -> T:
        began = time.perf_counter()
        try:
            return await ask()
        except (EmrFailure, TimeoutError):
            return unknown
        finally:
            self._took.append((time.perf_counter() - began) * 1000)

    async def _looked_up(self, key: BookingKey) -> Appointment | None:
        return await self._read(lambda: self._emr.lookup_key(key))

    async def _slot(self, slot_id: SlotId) -> Slot:
        found = await self._read(lambda: self._emr.read_slot(slot_id))
        assert found is not None
        return found

    async def _read(self, ask: Callable[[], Awaitable[T]]) -> T:
        for left in reversed(range(TRIES)):
            try:
                return await ask()
            except EmrFailure:
                if not left:
                    raise
            await self._hesitate()
        raise AssertionError("unreachable")

    async def _hesitate(self) -> None:
        await asyncio.sleep(self._rng.random() * HESITATION)

    def _told(
        self, end: End, key: BookingKey | None = None, slot_id: SlotId | None = None, why: str = ""
    ) -> Told:
        return Told(self._caller, end, key, slot_id, why, tuple(self._took))


def lost(wish: Wish) -> tuple[FaultRule, ...]:
    ops = {Wish.LOST: "book", Wish.CANCEL_LOST: "cancel", Wish.MOVE_LOST: "reschedule"}
    op = ops.get(wish)
    return () if op is None else (FaultRule(op, FaultKind.LOST_REPLY, seconds=0.0, times=1),)


def _end_of(result: BookResult | CancelResult) -> End:
    match result:
        case Booked():
            return End.BOOKED
        case Cancelled():
            return End.CANCELLED
        case Taken():
            return End.TAKEN
        case Rejected() | NotThere():
            return End.REFUSED
        case Unknown():
            return End.UNKNOWN


async def calls(emrs: Sequence[Emr], callers: Sequence[Caller]) -> list[Told]:
    """All callers at once, spread over ``emrs``; whoever ends in an exception is BROKEN."""
    lines = [Line(emrs[n % len(emrs)], each) for n, each in enumerate(callers)]
    ends = await asyncio.gather(*(each.run() for each in lines), return_exceptions=True)
    told = told_by(callers, ends)
    return [
        each if each.end is End.BROKEN else await line.settled(each)
        for line, each in zip(lines, told, strict=True)
    ]


def told_by(callers: Sequence[Caller], ends: Sequence[Told | BaseException]) -> list[Told]:
    return [
        end if isinstance(end, Told) else Told(caller, End.BROKEN, why=repr(end))
        for caller, end in zip(callers, ends, strict=True)
    ]


async def desk(records: SqlEmr, slots: Sequence[SlotId], seed_number: int) -> set[SlotId]:
    """The desk takes slots past the port while callers talk; which ones it got."""
    rng = Random(seed_number + 1)
    got = set()
    for wanted in rng.sample(list(slots), DESK_BOOKINGS):
        await asyncio.sleep(rng.random() * HESITATION)
        if await records.desk_book(wanted):
            got.add(wanted)
    return got


async def all_slots(records: SqlEmr) -> list[Slot]:
    async with reading(records.engine) as connection:
        query = select(tables.slots).order_by(tables.slots.c.start, tables.slots.c.id)
        return [slot(row) for row in (await connection.execute(query)).all()]


async def all_appointments(records: SqlEmr) -> list[Appointment]:
    async with reading(records.engine) as connection:
        query = select(tables.appointments).order_by(tables.appointments.c.id)
        return [appointment(row) for row in (await connection.execute(query)).all()]
