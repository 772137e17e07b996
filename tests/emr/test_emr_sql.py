"""The embedded record system keeps the port's promises (B2, B3, B4, T11, N2)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import pytest
from emr_parts import KIM, LEE, NOW, ORTHO, free_slots, intent, query, small_emr
from sqlalchemy import event, text, update
from sqlalchemy.exc import IntegrityError
from stores import StoreAt

from wonmu.clock import FixedClock
from wonmu.emr.port import (
    AppointmentStatus,
    Booked,
    Cancelled,
    Held,
    NotThere,
    PatientQuery,
    Rejected,
    SlotStatus,
    Taken,
    Window,
)
from wonmu.emr.sql import slot_search
from wonmu.emr.tables import slots
from wonmu.errors import EmrFailure
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId, Version
from wonmu.storage import writing

pytestmark = pytest.mark.service
WEEK = Window(NOW, NOW + timedelta(days=30))


def after(version: Version) -> Version:
    return Version(str(int(version) + 1))


def test_patients_match_every_field_in_any_phone_spelling(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            for spelling in ("010-0000-2345", "01000002345", "+82 10-0000-2345"):
                family = await emr.find_patients(PatientQuery(phone=spelling))
                assert [each.name for each in family] == ["이서연", "박지호", "박지우"]
            twins = PatientQuery(phone="01000003456", birth_date=date(2019, 2, 2))
            assert len(await emr.find_patients(twins)) == 2
            one = await emr.find_patients(replace(twins, name=" 최 하준"))
            assert [each.name for each in one] == ["최하준"]
            assert one[0].phones == ("01000003456",)
            assert await emr.find_patients(replace(twins, name="최하운")) == ()
            assert await emr.find_patients(PatientQuery(phone="없음")) == ()

    asyncio.run(main())


def test_at_most_five_patients(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            async with writing(emr.engine) as connection:
                await connection.execute(text("UPDATE patients SET name = '모두'"))
            assert len(await emr.find_patients(PatientQuery(name="모두"))) == 5

    asyncio.run(main())


def test_free_slots_come_in_order_inside_the_window(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            page = await emr.find_slots(query(limit=500))
            starts = [slot.start for slot in page.slots]
            assert starts == sorted(starts)
            assert page.as_of == NOW
            assert all(slot.department_id == ORTHO for slot in page.slots)
            assert all(slot.status is SlotStatus.FREE for slot in page.slots)
            assert starts[0].utcoffset() == timedelta(hours=9)
            edge = replace(query(), start=starts[3], end=starts[8])
            inside = [s.start for s in (await emr.find_slots(edge)).slots]
            assert inside == [start for start in starts if starts[3] <= start < starts[8]]
            assert len((await emr.find_slots(query(limit=4))).slots) == 4
            own = await emr.find_slots(query(doctor="d2", limit=500))
            assert {slot.doctor_id for slot in own.slots} == {"d2"}
            wrong = replace(query(doctor="d3"), department_id=ORTHO)
            assert (await emr.find_slots(wrong)).slots == ()

    asyncio.run(main())


def test_a_booking_takes_the_slot_and_can_be_found(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            (slot,) = await free_slots(emr)
            result = await emr.book(intent(slot))
            assert isinstance(result, Booked)
            assert not result.replayed
            assert result.appointment.start == slot.start
            now_busy = await emr.read_slot(slot.id)
            assert now_busy is not None
            assert (now_busy.status, now_busy.version) == (SlotStatus.BUSY, after(slot.version))
            assert result.appointment in await emr.appointments(KIM, WEEK)
            assert await emr.lookup_key(BookingKey("k1")) == result.appointment
            assert slot not in (await emr.find_slots(query(limit=500))).slots

    asyncio.run(main())


def test_the_same_key_is_the_same_booking(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            slot, other = await free_slots(emr, 2)
            first = await emr.book(intent(slot))
            assert isinstance(first, Booked)
            assert await emr.book(intent(slot)) == replace(first, replayed=True)
            assert await emr.book(intent(other)) == Rejected("key_reused")
            assert await emr.book(intent(slot, patient=LEE)) == Rejected("key_reused")
            await emr.cancel(first.appointment.id, BookingKey("c1"))
            assert await emr.book(intent(slot)) == Rejected("key_cancelled")

    asyncio.run(main())


def test_refusals_write_nothing(store_at: StoreAt) -> None:
    clock = FixedClock(NOW)

    async def main() -> None:
        async with small_emr(store_at("emr"), clock) as emr:
            slot, other = await free_slots(emr, 2)
            stale = replace(intent(slot), slot_version=after(slot.version))
            assert await emr.book(stale) == Rejected("stale_version")
            nobody = intent(slot, patient=PatientId("p-none"))
            assert await emr.book(nobody) == Rejected("unknown_patient")
            nowhere = replace(intent(slot), slot_id=SlotId("none"))
            assert await emr.book(nowhere) == Rejected("unknown_slot")
            clock.advance((slot.start - NOW).total_seconds())
            assert await emr.book(intent(slot)) == Rejected("past")
            again = await emr.read_slot(slot.id)
            assert again == slot
            assert isinstance(await emr.book(intent(other)), Booked)

    asyncio.run(main())


def test_one_patient_cannot_be_in_two_places(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            page = (await emr.find_slots(query(limit=500))).slots
            one, two = next((a, b) for a, b in pairwise(page) if a.start == b.start)
            assert isinstance(await emr.book(intent(one)), Booked)
            assert await emr.book(intent(two, "k2")) == Rejected("patient_busy")
            assert isinstance(await emr.book(intent(two, "k3", LEE)), Booked)

    asyncio.run(main())


def test_the_second_taker_is_told_taken(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            slot, other = await free_slots(emr, 2)
            await emr.book(intent(slot))
            assert await emr.book(intent(slot, "k2", LEE)) == Taken(slot.id)
            assert await emr.desk_book(other.id)
            assert not await emr.desk_book(other.id)
            assert await emr.book(intent(other, "k3", LEE)) == Taken(other.id)

    asyncio.run(main())


def test_a_hold_keeps_others_out_until_it_runs_out(store_at: StoreAt) -> None:
    clock = FixedClock(NOW)
    minute, mine, theirs = timedelta(seconds=60), BookingKey("mine"), BookingKey("theirs")

    async def main() -> None:
        async with small_emr(store_at("emr"), clock) as emr:
            (slot,) = await free_slots(emr)
            held = await emr.hold(slot, mine, minute)
            assert isinstance(held, Held)
            assert held.until == NOW + minute
            assert slot.id not in [s.id for s in (await emr.find_slots(query())).slots]
            assert await emr.hold(slot, theirs, minute) == Taken(slot.id)
            assert await emr.book(intent(slot, "theirs", LEE)) == Taken(slot.id)
            assert not await emr.release(slot.id, theirs)
            clock.advance(60)
            found = (await emr.find_slots(query())).slots
            assert [s.status for s in found if s.id == slot.id] == [SlotStatus.FREE]
            assert [s.start for s in found] == sorted(s.start for s in found)
            assert not await emr.release(slot.id, mine)
            result = await emr.book(intent(held.slot, "theirs", LEE))
            assert isinstance(result, Booked)

    asyncio.run(main())


def test_a_hold_becomes_a_booking_or_is_given_back(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            slot, other = await free_slots(emr, 2)
            await emr.hold(slot, BookingKey("k1"), timedelta(days=1))
            assert isinstance(await emr.book(intent(slot)), Booked)
            held = await emr.hold(other, BookingKey("k2"), timedelta(days=1))
            assert isinstance(held, Held)
            assert held.until == NOW + timedelta(seconds=120)
            assert await emr.release(other.id, BookingKey("k2"))
            free = await emr.read_slot(other.id)
            assert free is not None
            assert free.status is SlotStatus.FREE

    asyncio.run(main())


def test_moving_a_booking_never_leaves_neither(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            old, new, gone = await free_slots(emr, 3)
            first = await emr.book(intent(old))
            assert isinstance(first, Booked)
            before = first.appointment
            await emr.desk_book(gone.id)
            assert await emr.reschedule(before.id, intent(gone, "k2")) == Taken(gone.id)
            assert before in await emr.appointments(KIM, WEEK)
            assert await emr.reschedule(before.id, intent(new, "k3", LEE)) == Rejected(
                "not_this_patient"
            )
            assert await emr.reschedule(before.id, intent(old, "k3")) == Rejected("same_slot")
            moved = await emr.reschedule(before.id, intent(new, "k4"))
            assert isinstance(moved, Booked)
            own = await emr.appointments(KIM, WEEK)
            assert moved.appointment in own
            assert before.id not in [each.id for each in own]
            again = await emr.reschedule(before.id, intent(new, "k4"))
            assert again == replace(moved, replayed=True)
            freed = await emr.read_slot(old.id)
            assert freed is not None
            assert freed.status is SlotStatus.FREE
            assert await emr.reschedule(before.id, intent(freed, "k5")) == Rejected(
                "no_appointment"
            )

    asyncio.run(main())


def test_moving_to_another_doctor_at_the_same_time(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            page = (await emr.find_slots(query(limit=500))).slots
            one, two = next((a, b) for a, b in pairwise(page) if a.start == b.start)
            first = await emr.book(intent(one))
            assert isinstance(first, Booked)
            moved = await emr.reschedule(first.appointment.id, intent(two, "k2"))
            assert isinstance(moved, Booked)
            assert moved.appointment.doctor_id == two.doctor_id

    asyncio.run(main())


def test_cancelling_frees_the_slot_once(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            (slot,) = await free_slots(emr)
            booked = await emr.book(intent(slot))
            assert isinstance(booked, Booked)
            name = booked.appointment.id
            first = await emr.cancel(name, BookingKey("c1"))
            assert isinstance(first, Cancelled)
            assert first.appointment.status is AppointmentStatus.CANCELLED
            assert await emr.cancel(name, BookingKey("c1")) == replace(first, already=True)
            assert await emr.lookup_key(BookingKey("c1")) == first.appointment
            free = await emr.read_slot(slot.id)
            assert free is not None
            assert free.status is SlotStatus.FREE
            assert isinstance(await emr.book(intent(free, "k2", LEE)), Booked)
            assert await emr.cancel(AppointmentId("none"), BookingKey("c2")) == NotThere()

    asyncio.run(main())


def test_a_past_visit_cannot_be_cancelled(store_at: StoreAt) -> None:
    clock = FixedClock(NOW)

    async def main() -> None:
        async with small_emr(store_at("emr"), clock) as emr:
            (slot,) = await free_slots(emr)
            booked = await emr.book(intent(slot))
            assert isinstance(booked, Booked)
            clock.advance((slot.start - NOW).total_seconds())
            result = await emr.cancel(booked.appointment.id, BookingKey("c1"))
            assert result == Rejected("past")

    asyncio.run(main())


def test_lists_of_departments_and_doctors(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            assert [each.name for each in await emr.departments()] == ["정형외과", "피부과"]
            assert [each.id for each in await emr.doctors(ORTHO)] == ["d1", "d2"]
            assert await emr.doctors(DepartmentId("none")) == ()
            assert await emr.read_slot(SlotId("none")) is None
            assert (await emr.capabilities()).can_hold

    asyncio.run(main())


def test_a_broken_database_is_a_failure_not_an_empty_answer(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            async with writing(emr.engine) as connection:
                await connection.execute(text("ALTER TABLE slots RENAME TO gone"))
            with pytest.raises(EmrFailure) as caught:
                await emr.find_slots(query())
            assert caught.value.outcome_known

    asyncio.run(main())


def test_the_database_itself_refuses_two_for_one_slot(store_at: StoreAt) -> None:
    """The index decides even if the code above it forgot to; without the index nothing would."""

    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            (slot,) = await free_slots(emr)
            await emr.book(intent(slot))
            forced = update(slots).where(slots.c.id == slot.id).values(status="free", version=1)
            async with writing(emr.engine) as connection:
                await connection.execute(forced)
            with pytest.raises(IntegrityError):
                await emr.book(intent(slot, "k2", LEE))
            async with writing(emr.engine) as connection:
                await connection.execute(text("DROP INDEX appointments_one_per_slot"))
            assert isinstance(await emr.book(intent(slot, "k2", LEE)), Booked)

    asyncio.run(main())


def test_an_insert_that_collides_is_looked_at_again(store_at: StoreAt) -> None:
    """On PostgreSQL another writer's row can appear between our look and our insert."""

    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            (slot,) = await free_slots(emr)
            failures = [IntegrityError("", {}, Exception("unique"))]

            def collide(_c: object, _cur: object, statement: str, *_rest: object) -> None:
                if statement.startswith("INSERT INTO appointments") and failures:
                    raise failures.pop()

            event.listen(emr.engine.sync_engine, "before_cursor_execute", collide)
            assert isinstance(await emr.book(intent(slot)), Booked)
            assert failures == []
            busy = await emr.read_slot(slot.id)
            assert busy is not None
            assert busy.version == after(slot.version), "the first try was rolled back"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("doctor", "index"), [(None, "slots_by_department"), ("d1", "slots_by_doctor")]
)
def test_a_search_reads_its_index_in_order(
    store_at: StoreAt, backend: str, doctor: str | None, index: str
) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            statement = slot_search(query(doctor=doctor)).compile(
                emr.engine.sync_engine, compile_kwargs={"literal_binds": True}
            )
            explain = "EXPLAIN QUERY PLAN" if backend == "sqlite" else "EXPLAIN"
            async with emr.engine.connect() as connection:
                if backend == "postgresql":
                    # A few hundred rows are read faster without an index; millions are not.
                    for way in ("enable_seqscan", "enable_bitmapscan"):
                        await connection.execute(text(f"SET LOCAL {way} = off"))
                plan = (await connection.execute(text(f"{explain} {statement}"))).all()
            steps = [str(row[-1]) for row in plan]
            assert not any("Sort" in step or "TEMP B-TREE" in step for step in steps)
            readers = [step for step in steps if "scan" in step.lower() or "SEARCH" in step]
            assert len(readers) == 1, "a scan beside the index"
            # On a few hundred rows PostgreSQL's planner may find another index just as good.
            assert index in readers[0] if backend == "sqlite" else "Index Scan" in readers[0]

    asyncio.run(main())
