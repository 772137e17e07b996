"""How long a slot search takes on a big calendar. A measurement, never a decision."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from itertools import islice
from random import Random
from statistics import quantiles

from wonmu.clock import SEOUL, FixedClock
from wonmu.emr.port import Department, Doctor, SlotQuery
from wonmu.emr.seed import SeedPlan, seed, slots_from_rota
from wonmu.emr.sql import open_embedded
from wonmu.ids import DepartmentId, DoctorId

_DAY = date(2026, 12, 1)
_NOW = datetime.combine(_DAY, clock_time(8), SEOUL)
_OPEN = ((clock_time(9), clock_time(12, 30)), (clock_time(13, 30), clock_time(18)))


@dataclass(frozen=True, slots=True)
class SearchBench:
    """Milliseconds per search over ``slots`` slots."""

    slots: int
    searches: int
    p50: float
    p95: float


def bench_plan(count: int, doctors: int = 40, per_department: int = 5) -> SeedPlan:
    """A calendar of ``count`` slots of 15 minutes over as many days as it takes."""
    departments = tuple(
        Department(DepartmentId(f"dep-{n}"), f"진료과{n}") for n in range(doctors // per_department)
    )
    people = tuple(
        Doctor(DoctorId(f"doc-{n}"), f"의사{n}", departments[n // per_department].id)
        for n in range(doctors)
    )
    days = count // (doctors * 32) + 2
    rota = slots_from_rota(people, lambda _id, _day: _OPEN, 15, _DAY, _DAY + timedelta(days=days))
    return SeedPlan(departments, people, islice(rota, count))


async def bench_slot_search(
    path: str,
    count: int = 100_000,
    searches: int = 200,
    timer: Callable[[], float] = time.perf_counter,
) -> SearchBench:
    """Fill a new file at ``path`` and search it, half by department and half by doctor."""
    emr = await open_embedded(path, FixedClock(_NOW))
    rng = Random(1)
    plan = bench_plan(count)
    try:
        added = await seed(emr, plan, _NOW, rng)
        taken = []
        for number in range(searches):
            query = _query(plan, rng, by_doctor=number % 2 == 1)
            began = timer()
            await emr.find_slots(query)
            taken.append((timer() - began) * 1000)
    finally:
        await emr.close()
    cuts = quantiles(taken, n=20)
    return SearchBench(added, searches, p50=cuts[9], p95=cuts[18])


def _query(plan: SeedPlan, rng: Random, *, by_doctor: bool) -> SlotQuery:
    doctor = rng.choice(plan.doctors)
    start = _NOW + timedelta(days=rng.randrange(60))
    return SlotQuery(
        department_id=doctor.department_id,
        start=start,
        end=start + timedelta(days=rng.choice((1, 7, 60))),
        doctor_id=doctor.id if by_doctor else None,
    )
