"""The guard ends every request in time and never stops a write half way (A7, A8, T11, B4)."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from emr_parts import free_slots, intent, query, small_emr

from wonmu.emr.asking import NoWatcher
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.emr.faults import FaultyEmr
from wonmu.emr.guard import GuardedEmr, GuardRules
from wonmu.emr.port import Booked, Cancelled, PatientQuery, SlotPage, Unknown
from wonmu.emr.sql import SqlEmr
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import BookingKey

pytestmark = pytest.mark.service

LIMIT = 0.05
Reported = list[tuple[str, EmrFault]]


def guarded(emr: SqlEmr, *rules: FaultRule, limit: float = LIMIT) -> tuple[GuardedEmr, Reported]:
    reported: Reported = []
    faulty = FaultyEmr(emr, FaultPlan(rules), emr)

    class Watch(NoWatcher):
        def failed(self, op: str, fault: EmrFault) -> None:
            reported.append((op, fault))

    return GuardedEmr(faulty, GuardRules(limit), Watch()), reported


def test_a_read_that_hangs_is_a_time_out_never_an_empty_list(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            guard, reported = guarded(emr, FaultRule("any", FaultKind.HANG))
            for ask in (
                lambda: guard.find_slots(query()),
                lambda: guard.find_patients(PatientQuery(phone="01000001234")),
                guard.departments,
            ):
                with pytest.raises(EmrFailure) as caught:
                    await ask()
                assert caught.value.fault is EmrFault.TIMEOUT
            assert reported == [
                ("find_slots", EmrFault.TIMEOUT),
                ("find_patients", EmrFault.TIMEOUT),
                ("departments", EmrFault.TIMEOUT),
            ]

    asyncio.run(main())


def test_a_read_that_fails_once_is_asked_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            guard, reported = guarded(
                emr, FaultRule("find_slots", FaultKind.ERROR, times=1), limit=3
            )
            assert (await guard.find_slots(query())).slots
            assert reported == []
            guard, reported = guarded(
                emr, FaultRule("find_slots", FaultKind.ERROR, times=2), limit=3
            )
            with pytest.raises(EmrFailure):
                await guard.find_slots(query())
            assert reported == [("find_slots", EmrFault.UNREACHABLE)]

    asyncio.run(main())


def test_nonsense_is_not_asked_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            guard, _ = guarded(emr, FaultRule("find_slots", FaultKind.INVALID, times=1), limit=3)
            with pytest.raises(EmrFailure) as caught:
                await guard.find_slots(query())
            assert caught.value.fault is EmrFault.INVALID
            assert (await guard.find_slots(query())).slots

    asyncio.run(main())


def test_a_lost_reply_is_unknown_and_the_key_tells(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            guard, reported = guarded(
                emr, FaultRule("book", FaultKind.LOST_REPLY, times=1), limit=0.3
            )
            assert await guard.book(intent(slot)) == Unknown(BookingKey("k1"))
            assert reported == [("book", EmrFault.TIMEOUT)]
            found = await guard.lookup_key(BookingKey("k1"))
            assert found is not None
            again = await guard.book(intent(slot))
            assert again == Booked(found, replayed=True)

    asyncio.run(main())


def test_a_broken_connection_during_a_write_is_unknown_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            booked = await emr.book(intent(slot))
            assert isinstance(booked, Booked)
            guard, _ = guarded(emr, FaultRule("cancel", FaultKind.LOST_REPLY, seconds=0), limit=3)
            name, key = booked.appointment.id, BookingKey("c1")
            assert await guard.cancel(name, key) == Unknown(key)
            assert isinstance(await emr.cancel(name, key), Cancelled)
            assert await guard.lookup_key(key) is not None

    asyncio.run(main())


def test_a_write_that_was_surely_refused_is_a_failure(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            guard, _ = guarded(
                emr, FaultRule("book", FaultKind.ERROR, error=EmrFault.REFUSED), limit=3
            )
            with pytest.raises(EmrFailure) as caught:
                await guard.book(intent(slot))
            assert caught.value.outcome_known
            assert await emr.lookup_key(BookingKey("k1")) is None

    asyncio.run(main())


def test_a_hold_out_of_time_says_that_its_outcome_is_open(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            guard, _ = guarded(emr, FaultRule("hold", FaultKind.HANG))
            with pytest.raises(EmrFailure) as caught:
                await guard.hold(slot, BookingKey("k1"), timedelta(seconds=60))
            assert not caught.value.outcome_known

    asyncio.run(main())


def test_hanging_up_does_not_stop_a_write(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            guard, _ = guarded(emr, FaultRule("book", FaultKind.LATENCY, seconds=0.05), limit=3)
            call = asyncio.ensure_future(guard.book(intent(slot)))
            await _until(lambda: bool(guard._asking._writes))
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await emr.lookup_key(BookingKey("k1")) is None
            await asyncio.gather(*guard._asking._writes)
            assert await emr.lookup_key(BookingKey("k1")) is not None

    asyncio.run(main())


def test_closing_waits_for_writes_but_not_for_ever(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            slot, other = await free_slots(emr, 2)
            guard, _ = guarded(
                emr,
                FaultRule("book", FaultKind.LATENCY, seconds=0.1, times=1),
                FaultRule("book", FaultKind.HANG, after=1),
                limit=0.2,
            )
            calls = [
                asyncio.ensure_future(guard.book(wish))
                for wish in (intent(slot), intent(other, "k2"))
            ]
            await _until(lambda: len(guard._asking._writes) == 2)
            for call in calls:
                call.cancel()
            await guard.close()
            assert guard._asking._writes == set()
            assert await emr.lookup_key(BookingKey("k1")) is not None
            assert await emr.lookup_key(BookingKey("k2")) is None

    asyncio.run(main())


def test_a_locked_database_ends_in_time_and_works_afterwards(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            guard = GuardedEmr(emr, GuardRules(0.1))
            blocker = sqlite3.connect(tmp_path / "emr.sqlite", isolation_level=None)
            blocker.execute("BEGIN IMMEDIATE")
            assert await guard.book(intent(slot)) == Unknown(BookingKey("k1"))
            assert isinstance(await guard.find_slots(query()), SlotPage)
            blocker.execute("ROLLBACK")
            blocker.close()
            await asyncio.gather(*guard._asking._writes)
            found = await guard.lookup_key(BookingKey("k1"))
            assert found is not None, "the write went on after the limit"

    asyncio.run(main())


def test_many_reads_cut_off_leave_the_pool_usable(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            hurried = GuardedEmr(emr, GuardRules(0.0001))
            results = await asyncio.gather(
                *(hurried.find_slots(query()) for _ in range(30)), return_exceptions=True
            )
            assert all(isinstance(result, EmrFailure) for result in results)
            calm = GuardedEmr(emr)
            pages = await asyncio.gather(*(calm.find_slots(query()) for _ in range(30)))
            assert all(page.slots for page in pages)

    asyncio.run(main())


async def _until(true: Callable[[], bool]) -> None:
    """Let the loop run until it is so; no time passes."""
    while not true():  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0)
