"""The adapter against the reference server, in one process: every way of writing (B2, A8)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from emr_parts import KIM, LEE, NOW, ORTHO, query, small_emr

from wonmu.clock import FixedClock
from wonmu.emr.fhir import FhirEmr, open_fhir
from wonmu.emr.port import (
    AppointmentStatus,
    Booked,
    BookingIntent,
    Cancelled,
    Held,
    PatientQuery,
    Rejected,
    Slot,
    SlotStatus,
    Taken,
    Window,
    WriteMode,
)
from wonmu.emr.server.app import create_app
from wonmu.emr.server.rules import ServerRules, SlotOwner
from wonmu.emr.sql import SqlEmr
from wonmu.hospital.config import FhirSettings, WriteRule
from wonmu.ids import BookingKey, CountingIds, PatientId

pytestmark = pytest.mark.service

CLIENT, SERVER = SlotOwner.CLIENT, SlotOwner.SERVER
WAYS = {
    "slot_claim": ServerRules(slot_owner=CLIENT, transactions=False),
    "transaction": ServerRules(slot_owner=CLIENT),
    "hold_and_book": ServerRules(slot_owner=SERVER),
    "server_decides": ServerRules(slot_owner=SERVER, operations=False),
}
ways = pytest.mark.parametrize("way", WAYS)


@dataclass
class World:
    emr: FhirEmr
    records: SqlEmr
    clock: FixedClock
    app: httpx.ASGITransport

    def another(self) -> FhirEmr:
        """The same server from another process."""
        return _open(self.app, self.clock)

    async def slots(self, count: int) -> tuple[Slot, ...]:
        """Free ones at different times."""
        page = await self.emr.find_slots(query(limit=60))
        return tuple({one.start: one for one in page.slots}.values())[:count]


def _open(app: httpx.ASGITransport, clock: FixedClock) -> FhirEmr:
    async def wait(seconds: float) -> None:
        clock.advance(seconds)

    settings = FhirSettings(url="http://emr.test/fhir", write=WriteRule.AUTO)
    return open_fhir(settings, clock, env={}, transport=app, wait=wait)


@asynccontextmanager
async def world(folder: Path, way: str) -> AsyncIterator[World]:
    clock = FixedClock(NOW)
    async with small_emr(folder, clock) as records:
        server = create_app(records, clock, WAYS[way], ids=CountingIds())
        app = httpx.ASGITransport(server, client=("127.0.0.1", 1))
        emr = _open(app, clock)
        yield World(emr, records, clock, app)
        await emr.close()


def wish(slot: Slot, key: str, patient: PatientId = KIM) -> BookingIntent:
    return BookingIntent(BookingKey(key), patient, slot.id, slot.version)


@ways
def test_the_mode_is_what_the_server_says(tmp_path: Path, way: str) -> None:
    async def main() -> None:
        async with world(tmp_path, way) as w:
            found = await w.emr.capabilities()
            assert found.mode is WriteMode(way)
            assert found.can_hold is (way != "server_decides")

    asyncio.run(main())


@ways
def test_lists_are_those_of_the_embedded_one(tmp_path: Path, way: str) -> None:
    async def main() -> None:
        async with world(tmp_path, way) as w:
            assert await w.emr.departments() == await w.records.departments()
            assert await w.emr.doctors(ORTHO) == await w.records.doctors(ORTHO)
            ours, theirs = await w.emr.find_slots(query()), await w.records.find_slots(query())
            assert ours.slots == theirs.slots
            slot = ours.slots[0]
            assert await w.emr.read_slot(slot.id) == slot
            everybody = await w.records.find_patients(PatientQuery(birth_date=None, name="김민수"))
            for one in everybody:
                for phone in one.phones:
                    asked = PatientQuery(phone=phone, birth_date=one.birth_date, name=one.name)
                    assert one in await w.emr.find_patients(asked)

    asyncio.run(main())


@ways
def test_a_booking_a_move_and_a_cancellation(tmp_path: Path, way: str) -> None:
    async def main() -> None:
        async with world(tmp_path, way) as w:
            first, second = await w.slots(2)
            made = await w.emr.book(wish(first, "k1"))
            assert isinstance(made, Booked), made
            assert await w.emr.book(wish(first, "k1")) == Booked(made.appointment, replayed=True)
            assert await w.emr.book(wish(first, "k2", LEE)) == Taken(first.id)
            window = Window(NOW, NOW + timedelta(days=30))
            listed = {one.id for one in await w.emr.appointments(KIM, window)}
            assert made.appointment.id in listed
            inside = await w.records.read_appointment(made.appointment.id)
            assert inside is not None
            assert (inside.key, inside.slot_id) == ("k1", first.id)

            moved = await w.emr.reschedule(made.appointment.id, wish(second, "k3"))
            assert isinstance(moved, Booked), moved
            old = await w.emr.read_appointment(made.appointment.id)
            assert old is not None
            assert old.status is AppointmentStatus.CANCELLED
            freed = await w.records.read_slot(first.id)
            assert freed is not None
            assert freed.status is SlotStatus.FREE

            gone = await w.emr.cancel(moved.appointment.id, BookingKey("c1"))
            assert isinstance(gone, Cancelled), gone
            assert await w.emr.lookup_key(BookingKey("c1")) == gone.appointment
            again = await w.emr.cancel(moved.appointment.id, BookingKey("c1"))
            assert again == Cancelled(gone.appointment, already=True)
            for slot in (first, second):
                now = await w.emr.read_slot(slot.id)
                assert now is not None
                assert now.status is SlotStatus.FREE
                assert isinstance(await w.emr.book(wish(now, f"n-{slot.id}", LEE)), Booked)

    asyncio.run(main())


@ways
def test_ten_callers_on_one_slot(tmp_path: Path, way: str) -> None:
    async def main() -> None:
        async with world(tmp_path, way) as w:
            (slot,) = await w.slots(1)
            people = [PatientId(f"p-{n:04d}") for n in range(1, 11)]
            desks = [w.another() for _ in people]
            wishes = [wish(slot, f"k{n}", one) for n, one in enumerate(people)]
            results = await asyncio.gather(
                *(emr.book(one) for emr, one in zip(desks, wishes, strict=True))
            )
            booked = [one for one in results if isinstance(one, Booked)]
            assert len(booked) == 1
            lost = (Taken(slot.id), Rejected("stale_version"), Rejected("patient_busy"))
            assert all(one in lost for one in results if one is not booked[0]), results
            now = await w.records.read_slot(slot.id)
            assert now is not None
            assert now.status is SlotStatus.BUSY

    asyncio.run(main())


@pytest.mark.parametrize("way", ["slot_claim", "transaction", "hold_and_book"])
def test_a_hold_keeps_others_out_and_becomes_a_booking(tmp_path: Path, way: str) -> None:
    async def main() -> None:
        async with world(tmp_path, way) as w:
            slot, other = await w.slots(2)
            key = BookingKey("k1")
            held = await w.emr.hold(slot, key, timedelta(seconds=60))
            assert isinstance(held, Held), held
            assert held.slot.status is SlotStatus.HELD
            hers = w.another()
            assert await hers.hold(slot, BookingKey("k2"), timedelta(seconds=60)) == Taken(slot.id)
            assert await hers.book(wish(slot, "k2", LEE)) == Taken(slot.id)
            assert slot.id not in {one.id for one in (await hers.find_slots(query())).slots}
            assert isinstance(await w.emr.book(wish(slot, "k1")), Booked)

            assert isinstance(await w.emr.hold(other, BookingKey("k3"), timedelta(60)), Held)
            w.clock.advance(121)
            again = await hers.read_slot(other.id)
            assert again is not None
            if again.status is SlotStatus.FREE:
                assert isinstance(await hers.book(wish(again, "k4", LEE)), Booked)
            late = await w.emr.book(wish(other, "k3"))
            assert isinstance(late, Taken | Rejected), late

    asyncio.run(main())


def test_a_hold_that_lapsed_on_a_slot_still_free_is_booked(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path, "hold_and_book") as w:
            (slot,) = await w.slots(1)
            assert isinstance(await w.emr.hold(slot, BookingKey("k1"), timedelta(seconds=60)), Held)
            w.clock.advance(300)
            assert isinstance(await w.emr.book(wish(slot, "k1")), Booked)

    asyncio.run(main())


@ways
def test_the_desk_is_faster(tmp_path: Path, way: str) -> None:
    async def main() -> None:
        async with world(tmp_path, way) as w:
            (slot,) = await w.slots(1)
            assert await w.records.desk_book(slot.id)
            assert await w.emr.book(wish(slot, "k1")) == Taken(slot.id)
            assert await w.emr.lookup_key(BookingKey("k1")) is None

    asyncio.run(main())


@ways
def test_rules_of_the_record_system(tmp_path: Path, way: str) -> None:
    async def main() -> None:
        async with world(tmp_path, way) as w:
            page = await w.emr.find_slots(query(limit=200))
            first = page.slots[0]
            twin = next(one for one in page.slots if one.start == first.start and one != first)
            assert isinstance(await w.emr.book(wish(first, "k1")), Booked)
            assert await w.emr.book(wish(twin, "k2")) == Rejected("patient_busy")
            assert await w.emr.book(wish(twin, "k3", PatientId("nobody"))) == (
                Rejected("unknown_patient")
            )
            now = await w.records.read_slot(twin.id)
            assert now is not None
            assert now.status is SlotStatus.FREE

    asyncio.run(main())
