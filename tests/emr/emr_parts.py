"""A small record system for the tests in this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random

from wonmu.clock import SEOUL, FixedClock
from wonmu.emr.port import BookingIntent, Department, Doctor, Slot, SlotQuery, SlotStatus
from wonmu.emr.seed import SeedPlan, seed, slots_from_rota
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.ids import BookingKey, DepartmentId, DoctorId, PatientId

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=SEOUL)
TODAY = NOW.date()
ORTHO = DepartmentId("ortho")
KIM = PatientId("p-0001")
LEE = PatientId("p-0002")
OPEN = ((time(9), time(12)), (time(13), time(17)))
DOCTORS = (
    Doctor(DoctorId("d1"), "박서준", ORTHO),
    Doctor(DoctorId("d2"), "한지민", ORTHO),
    Doctor(DoctorId("d3"), "오민석", DepartmentId("skin")),
)
DEPARTMENTS = (Department(ORTHO, "정형외과"), Department(DepartmentId("skin"), "피부과"))


def plan(days: int = 10, from_day: date = TODAY) -> SeedPlan:
    rota = slots_from_rota(
        DOCTORS, lambda _id, _day: OPEN, 30, from_day, from_day + timedelta(days=days)
    )
    return SeedPlan(DEPARTMENTS, DOCTORS, tuple(rota))


@asynccontextmanager
async def small_emr(where: Path | str, clock: FixedClock | None = None) -> AsyncIterator[SqlEmr]:
    """``where``: a folder for its file, or the path or URL of the store itself."""
    store = str(where / "emr.sqlite") if isinstance(where, Path) else where
    emr = await open_embedded(store, clock or FixedClock(NOW))
    await seed(emr, plan(), NOW, Random(7))
    try:
        yield emr
    finally:
        await emr.close()


def query(days: int = 9, doctor: str | None = None, limit: int = 50) -> SlotQuery:
    return SlotQuery(
        ORTHO, NOW, NOW + timedelta(days=days), None if doctor is None else DoctorId(doctor), limit
    )


async def free_slots(emr: SqlEmr, count: int = 1) -> tuple[Slot, ...]:
    """``count`` free slots with different starts."""
    page = await emr.find_slots(query(limit=500))
    by_start = {slot.start: slot for slot in page.slots if slot.status is SlotStatus.FREE}
    return tuple(by_start.values())[:count]


def intent(slot: Slot, key: str = "k1", patient: PatientId = KIM) -> BookingIntent:
    return BookingIntent(BookingKey(key), patient, slot.id, slot.version)
