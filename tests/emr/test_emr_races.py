"""Many at once: one slot, one patient; one key, one booking (B4, N2)."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import Counter
from random import Random
from typing import Any

import pytest
from emr_parts import KIM, NOW, free_slots, intent, plan
from sqlalchemy import select
from stores import StoreAt

from wonmu.clock import FixedClock
from wonmu.emr.port import Booked, BookResult, Slot, Taken
from wonmu.emr.seed import seed
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.emr.tables import appointments
from wonmu.ids import PatientId
from wonmu.storage import reading

pytestmark = pytest.mark.service


async def _fresh(path: str, engines: int) -> list[SqlEmr]:
    systems = [await open_embedded(path, FixedClock(NOW)) for _ in range(engines)]
    await seed(systems[0], plan(), NOW, Random(7))
    return systems


async def _booked_by_calls(emr: SqlEmr) -> list[Any]:
    booked = select(appointments).where(
        appointments.c.status == "booked", appointments.c.key.is_not(None)
    )
    async with reading(emr.engine) as connection:
        return list((await connection.execute(booked)).all())


def _patient(number: int) -> PatientId:
    return PatientId(f"p-{number % 40 + 1:04d}")


def test_forty_callers_and_five_slots(store_at: StoreAt) -> None:
    async def main() -> None:
        systems = await _fresh(store_at("emr"), 4)
        free = await free_slots(systems[0], 5)

        async def call(number: int) -> BookResult:
            wish = intent(free[number % 5], f"k{number}", _patient(number))
            return await systems[number % 4].book(wish)

        results = await asyncio.gather(*(call(number) for number in range(40)))
        assert sum(isinstance(result, Booked) for result in results) == 5
        assert sum(isinstance(result, Taken) for result in results) == 35
        rows = await _booked_by_calls(systems[0])
        assert Counter(row.slot_id for row in rows) == {slot.id: 1 for slot in free}
        for system in systems:
            await system.close()

    asyncio.run(main())


def test_one_key_sent_many_times_at_once(store_at: StoreAt) -> None:
    async def main() -> None:
        systems = await _fresh(store_at("emr"), 4)
        (slot,) = await free_slots(systems[0])
        wishes = (systems[number % 4].book(intent(slot)) for number in range(20))
        results = await asyncio.gather(*wishes)
        made = [result for result in results if isinstance(result, Booked)]
        assert len(made) == 20
        assert [result.replayed for result in made].count(False) == 1
        assert len({result.appointment.id for result in made}) == 1
        for system in systems:
            await system.close()

    asyncio.run(main())


def test_one_patient_wanted_at_one_time_by_two_calls(store_at: StoreAt) -> None:
    async def main() -> None:
        systems = await _fresh(store_at("emr"), 2)
        free = await free_slots(systems[0], 2)
        moves = [await systems[0].book(intent(free[0], "k0"))]
        assert isinstance(moves[0], Booked)
        old = moves[0].appointment
        results = await asyncio.gather(
            systems[0].reschedule(old.id, intent(free[1], "k1")),
            systems[1].reschedule(old.id, intent(free[1], "k2")),
        )
        assert sum(isinstance(result, Booked) for result in results) == 1
        rows = [row for row in await _booked_by_calls(systems[0]) if row.patient_id == KIM]
        assert [row.slot_id for row in rows] == [free[1].id]
        for system in systems:
            await system.close()

    asyncio.run(main())


def _race(path: str, slot: Slot, number: int, answers: Any, gate: Any) -> None:
    async def main() -> None:
        emr = await open_embedded(path, FixedClock(NOW))
        gate.wait()
        result = await emr.book(intent(slot, f"k{number}", _patient(number)))
        answers.put(type(result).__name__)
        await emr.close()

    asyncio.run(main())


def test_two_processes_race_for_one_slot(store_at: StoreAt) -> None:
    path = store_at("emr")

    async def prepare() -> Slot:
        (emr,) = await _fresh(path, 1)
        (slot,) = await free_slots(emr)
        await emr.close()
        return slot

    slot = asyncio.run(prepare())
    context = multiprocessing.get_context("spawn")
    answers, gate = context.Queue(), context.Barrier(2)
    children = [
        context.Process(target=_race, args=(path, slot, number, answers, gate)) for number in (1, 2)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(20)
        assert child.exitcode == 0
    assert sorted(answers.get() for _ in children) == ["Booked", "Taken"]
