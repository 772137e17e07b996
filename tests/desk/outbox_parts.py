"""A desk that writes to a small embedded record system, and ways to make both fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from wonmu.clock import SEOUL, Clock
from wonmu.desk.inbox import Inbox, open_inbox
from wonmu.desk.outbox.direct import DirectDesk, OnStep
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.reconcile import Reconciler
from wonmu.desk.outbox.rules import ReconcileRules
from wonmu.desk.outbox.store import OutboxStore, outbox_of
from wonmu.desk.records import BookingRequest, CancelRequest, InboxRow, RequestPatient
from wonmu.emr.fault_plan import FaultPlan, FaultRule
from wonmu.emr.faults import FaultyEmr
from wonmu.emr.guard import GuardedEmr
from wonmu.emr.port import (
    Appointment,
    AppointmentStatus,
    Booked,
    BookingIntent,
    BookResult,
    Department,
    Doctor,
    Emr,
    Slot,
    SlotStatus,
)
from wonmu.emr.rows import appointment, slot
from wonmu.emr.seed import SeedPlan, seed, slots_from_rota
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.emr.tables import appointments, slots
from wonmu.errors import StoreFailure
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    CallId,
    DepartmentId,
    DoctorId,
    HospitalId,
    PatientId,
)
from wonmu.lines import Lines
from wonmu.loop import LoopClock
from wonmu.loop import run as run_loop
from wonmu.storage import reading

T = TypeVar("T")

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)
HOSPITAL = HospitalId("demo")
NOTES = StaffNotes(Lines.load())
ORTHO = DepartmentId("ortho")
DOCTOR = DoctorId("d1")
LEE = RequestPatient("이서연", date(1983, 7, 1), "01000002345", PatientId("p-0002"))
CHOI = RequestPatient("최하윤", date(2019, 2, 2), "01000003456", PatientId("p-0005"))
"""Neither has an appointment from the seed."""


def run(main: Callable[[], Coroutine[object, object, T]]) -> T:
    """On virtual time: limits and waits cost nothing, and databases are waited for."""
    return run_loop(main)


async def open_records(folder: Path, clock: Clock) -> SqlEmr:
    """Two doctors with one morning of slots each, four days ahead; most of them are free."""
    records = await open_embedded(str(folder / "emr.sqlite"), clock)
    day = NOW.date() + timedelta(days=4)
    doctors = (Doctor(DOCTOR, "박서준", ORTHO), Doctor(DoctorId("d2"), "한지민", ORTHO))
    rota = slots_from_rota(doctors, lambda _id, _day: ((time(9), time(12)),), 30, day, day)
    await seed(
        records, SeedPlan((Department(ORTHO, "정형외과"),), doctors, tuple(rota)), NOW, Random(7)
    )
    return records


@dataclass(slots=True)
class World:
    """One process: its clock, its record system, its stores."""

    clock: Clock
    records: SqlEmr
    emr: Emr
    """What the desk asks: guarded, and faulty where a test wants it."""
    inbox: Inbox
    store: OutboxStore

    def desk(self, emr: Emr | None = None, on_step: OnStep | None = None) -> DirectDesk:
        return DirectDesk(emr or self.emr, self.store, self.clock, asyncio.sleep, NOTES, on_step)

    def reconciler(self, emr: Emr | None = None, rules: ReconcileRules | None = None) -> Reconciler:
        return Reconciler(
            emr or GuardedEmr(self.records), self.store, self.clock, NOTES, HOSPITAL, rules
        )

    def faulty(self, *rules: FaultRule) -> Emr:
        return GuardedEmr(FaultyEmr(self.records, FaultPlan(rules), self.records))

    async def free(self, count: int = 1) -> tuple[Slot, ...]:
        """Free slots at different times, earliest first."""
        by_start: dict[datetime, Slot] = {}
        for each in await all_slots(self.records):
            if each.status is SlotStatus.FREE:
                by_start.setdefault(each.start, each)
        return tuple(by_start.values())[:count]

    async def row(self, key: str = "k1") -> InboxRow:
        found = await self.inbox.get(BookingKey(key))
        assert found is not None
        return found

    async def step(self, key: str = "k1") -> str:
        found = await self.store.find(BookingKey(key))
        assert found is not None
        assert (found.due_at is None) == found.step.final
        return found.step.value

    async def booked(self, patient: RequestPatient = LEE) -> list[Appointment]:
        return [
            each
            for each in await all_appointments(self.records)
            if each.patient_id == patient.id and each.status is AppointmentStatus.BOOKED
        ]


@asynccontextmanager
async def world(folder: Path, *rules: FaultRule) -> AsyncIterator[World]:
    """``rules``: how the record system fails for the desk; the reconciler's is sound."""
    async with AsyncExitStack() as stack:
        clock = LoopClock(NOW)
        records = await open_records(folder, clock)
        stack.push_async_callback(records.close)
        inbox = await open_inbox(str(folder / "desk.sqlite"))
        stack.push_async_callback(inbox.close)
        made = World(clock, records, GuardedEmr(records), inbox, outbox_of(inbox))
        made.emr = made.faulty(*rules) if rules else made.emr
        yield made


def request(slot: Slot, key: str = "k1", **other: object) -> BookingRequest:
    whole = BookingRequest(
        key=BookingKey(key),
        hospital_id=HOSPITAL,
        call_id=CallId("call-1"),
        created_at=NOW,
        patient=LEE,
        contact="01000002345",
        department_id=slot.department_id,
        department="정형외과",
        doctor_id=slot.doctor_id,
        doctor="박서준",
        slot_id=slot.id,
        start=slot.start,
    )
    return replace(whole, **other)  # type: ignore[arg-type]


def cancel_request(of: Appointment, key: str = "c1", **other: object) -> CancelRequest:
    whole = CancelRequest(
        key=BookingKey(key),
        hospital_id=HOSPITAL,
        call_id=CallId("call-1"),
        created_at=NOW,
        patient=LEE,
        contact="01000002345",
        appointment_id=of.id,
        department="정형외과",
        doctor="박서준",
        start=of.start,
    )
    return replace(whole, **other)  # type: ignore[arg-type]


async def book_at(
    records: SqlEmr, slot: Slot, key: str = "old", patient: RequestPatient = LEE
) -> Appointment:
    """An appointment that is there already."""
    assert patient.id is not None
    result = await records.book(BookingIntent(BookingKey(key), patient.id, slot.id, slot.version))
    assert isinstance(result, Booked)
    return result.appointment


async def all_slots(records: SqlEmr) -> list[Slot]:
    async with reading(records.engine) as connection:
        query = select(slots).order_by(slots.c.start, slots.c.id)
        return [slot(row) for row in (await connection.execute(query)).all()]


async def all_appointments(records: SqlEmr) -> list[Appointment]:
    async with reading(records.engine) as connection:
        query = select(appointments).order_by(appointments.c.id)
        return [appointment(row) for row in (await connection.execute(query)).all()]


class EmrAround:
    """The port, passed through; a test overrides the requests it wants to see or to spoil."""

    def __init__(self, inner: Emr) -> None:
        self.inner = inner
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> object:
        method = getattr(self.inner, name)

        async def passed(*args: object, **others: object) -> object:
            self.asked.append(name)
            return await self.around(name, lambda: method(*args, **others))

        return passed

    async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
        return await ask()


class TwoSteps(EmrAround):
    """A record system that moves an appointment in two steps, the second being ours."""

    async def reschedule(self, appointment_id: AppointmentId, intent: BookingIntent) -> BookResult:
        self.asked.append("reschedule")
        return await self.inner.book(intent)


class Broken(OutboxStore):
    """A store whose transactions fail by number (1 is the first), each before it begins."""

    def __init__(self, store: OutboxStore, *failing: int) -> None:
        super().__init__(store._engine)
        self._failing = failing
        self._count = 0

    def _writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        self._count += 1
        if self._count in self._failing:
            raise StoreFailure("the disk is full")
        return super()._writing()


def as_port(emr: EmrAround) -> Emr:
    """The type checker cannot see through ``__getattr__``."""
    return emr  # type: ignore[return-value]
