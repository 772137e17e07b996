"""The reconciler finishes what was left open, and tells staff what it cannot (B4)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from outbox_parts import (
    CHOI,
    HOSPITAL,
    LEE,
    NOTES,
    NOW,
    EmrAround,
    TwoSteps,
    World,
    as_port,
    book_at,
    cancel_request,
    request,
    run,
    world,
)
from sqlalchemy import text

from wonmu.desk.inbox import open_inbox
from wonmu.desk.outbox.entry import Step
from wonmu.desk.outbox.outcome import Pending
from wonmu.desk.outbox.reconcile import Reconciler
from wonmu.desk.outbox.rules import Reconciled, ReconcileRules
from wonmu.desk.outbox.store import Move, due_rows, outbox_of
from wonmu.desk.records import RequestState, Written
from wonmu.emr.fault_plan import FaultKind, FaultRule
from wonmu.emr.port import AppointmentStatus, Slot
from wonmu.errors import EmrFailure, EmrFault, StoreFailure
from wonmu.ids import BookingKey
from wonmu.storage import reading

pytestmark = pytest.mark.service

KEY = BookingKey("k1")
HANG = FaultRule("book", FaultKind.HANG)


async def left_open(w: World, slot: Slot, key: str = "k1", **other: object) -> None:
    """A booking whose request never reached the record system, and whose process is gone."""
    hanging = w.desk(w.faulty(HANG))
    outcome = await hanging.book(request(slot, key, **other), slot)
    assert outcome == Pending(BookingKey(key))


def test_a_row_that_is_worked_on_is_left_alone(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path, FaultRule("book", FaultKind.LATENCY, 2.5)) as w:
            [slot] = await w.free()
            live = asyncio.ensure_future(w.desk().book(request(slot), slot))
            await asyncio.sleep(1.0)
            assert await w.step() == "sending"
            assert await w.reconciler().run_once() == ()
            await live
            assert (await w.row()).state is RequestState.DONE

    run(main)


def test_what_never_arrived_is_sent_again_under_the_same_key(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            assert await w.reconciler().run_once() == ()  # still fresh
            await asyncio.sleep(60)
            [told] = await w.reconciler().run_once()
            assert (told.did, told.step, told.key) == ("finished", "verified", KEY)
            [made] = await w.booked()
            assert (made.key, made.id) == (KEY, told.appointment_id)

    run(main)


@pytest.mark.parametrize("wait", [timedelta(minutes=16), timedelta(days=5)])
def test_a_wish_that_is_too_old_or_past_goes_to_staff(tmp_path: Path, wait: timedelta) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await asyncio.sleep(wait.total_seconds())
            [told] = await w.reconciler().run_once()
            assert (told.did, told.step, told.reason) == ("handed_over", "staff", "too_late")
            row = await w.row()
            assert (row.state, row.written) == (RequestState.OPEN, Written.NOT_WRITTEN)
            assert "제때 입력하지 못함" in row.remark
            assert await w.booked() == []
            assert await w.reconciler().run_once() == ()

    run(main)


def test_a_past_time_is_not_sent_however_fresh_the_consent(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await asyncio.sleep((slot.start - NOW - timedelta(seconds=30)).total_seconds())
            await left_open(w, slot, created_at=w.clock.now())
            await asyncio.sleep(60)
            emr = EmrAround(w.records)
            [told] = await w.reconciler(as_port(emr)).run_once()
            assert (told.did, told.reason) == ("handed_over", "too_late")
            assert "book" not in emr.asked

    run(main)


def test_a_time_taken_meanwhile_stays_open_for_staff(tmp_path: Path) -> None:
    """The caller hung up believing in it: somebody must call."""

    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await book_at(w.records, slot, "other", CHOI)
            await asyncio.sleep(60)
            [told] = await w.reconciler().run_once()
            assert (told.did, told.reason) == ("handed_over", "taken")
            row = await w.row()
            assert row.state is RequestState.OPEN
            assert "전화" in row.remark
            assert await w.booked() == []

    run(main)


def test_what_a_late_write_makes_true_is_found_even_after_staff_has_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await book_at(w.records, slot, "other", CHOI)
            await asyncio.sleep(60)
            await w.reconciler().run_once()
            assert await w.step() == "given_up"  # its first request may still be under way
            other = await w.records.lookup_key(BookingKey("other"))
            assert other is not None
            await w.records.cancel(other.id, BookingKey("other-c"))
            now = await w.records.read_slot(slot.id)
            assert now is not None
            await book_at(w.records, now, "k1", LEE)  # the late write
            await asyncio.sleep(601)
            [told] = await w.reconciler().run_once()
            assert (told.did, told.step) == ("finished", "verified")
            assert (await w.row()).state is RequestState.DONE

    run(main)


def test_a_claim_is_given_back_only_when_no_request_can_be_under_way(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await book_at(w.records, slot, "other", CHOI)
            await asyncio.sleep(60)
            emr = EmrAround(w.records)
            reconciler = w.reconciler(as_port(emr))
            await reconciler.run_once()
            assert "release" not in emr.asked
            await asyncio.sleep(601)
            [told] = await reconciler.run_once()
            assert (told.did, told.step) == ("closed", "staff")
            assert emr.asked[-1] == "release"

    run(main)


def test_failures_wait_longer_each_time_and_then_staff_has_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            down = w.faulty(FaultRule("any", FaultKind.ERROR))
            rules = ReconcileRules(attempts=3, consent_lasts=timedelta(hours=9))
            told: list[Reconciled] = []
            waits: list[timedelta] = []
            for _ in range(4):
                await asyncio.sleep(60 if not waits else waits[-1].total_seconds())
                told += await w.reconciler(down, rules).run_once()
                entry = await w.store.find(KEY)
                assert entry is not None
                assert entry.due_at is not None
                waits.append(entry.due_at - entry.updated_at)
            assert [each.did for each in told] == ["waiting", "waiting", "handed_over", "waiting"]
            assert [wait.total_seconds() for wait in waits] == [10, 20, 40, 80]
            row = await w.row()
            assert (row.state, row.written) == (RequestState.OPEN, Written.NOT_CONFIRMED)
            assert "3번" in row.remark
            await book_at(w.records, slot, "k1")  # it was written after all
            await asyncio.sleep(90)
            [last] = await w.reconciler().run_once()
            assert last.did == "finished"
            assert (await w.row()).state is RequestState.DONE

    run(main)


def test_an_open_breaker_is_no_failure_of_the_row(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await asyncio.sleep(60)
            rule = FaultRule("any", FaultKind.ERROR, error=EmrFault.BREAKER_OPEN)
            [told] = await w.reconciler(w.faulty(rule)).run_once()
            assert (told.did, told.fault) == ("waiting", EmrFault.BREAKER_OPEN)
            entry = await w.store.find(KEY)
            assert entry is not None
            assert entry.attempts == 0

    run(main)


def test_a_record_system_that_never_answers_is_given_up_at_last(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            down = w.faulty(FaultRule("any", FaultKind.ERROR))
            await asyncio.sleep(6 * 86400)
            for _ in range(6):
                await w.reconciler(down).run_once()
                await asyncio.sleep(1000)
            assert await w.step() == "staff"
            assert (await w.row()).state is RequestState.OPEN

    run(main)


def test_what_staff_has_done_is_not_sent_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await w.inbox.set_state(KEY, RequestState.DONE)
            await asyncio.sleep(60)
            emr = EmrAround(w.records)
            [told] = await w.reconciler(as_port(emr)).run_once()
            assert (told.did, told.reason) == ("handed_over", "closed_by_staff")
            await asyncio.sleep(601)
            await w.reconciler(as_port(emr)).run_once()
            assert "book" not in emr.asked
            assert await w.step() == "staff"

    run(main)


def test_a_change_and_a_cancellation_are_finished_too(tmp_path: Path) -> None:
    async def main() -> None:
        rules = (FaultRule("reschedule", FaultKind.HANG), FaultRule("cancel", FaultKind.HANG))
        async with world(tmp_path, *rules) as w:
            first, second, third = await w.free(3)
            old, other = await book_at(w.records, first), await book_at(w.records, third, "b")
            desk = w.desk()
            assert await desk.change(request(second, replaces=old.id), second) == Pending(KEY)
            gone = cancel_request(other)
            assert await desk.cancel(gone) == Pending(gone.key)
            await asyncio.sleep(60)
            told = await w.reconciler().run_once()
            assert [each.did for each in told] == ["finished", "finished"]
            assert [each.slot_id for each in await w.booked()] == [second.id]

    run(main)


def test_a_change_is_finished_in_the_second_step_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            first, second = await w.free(2)
            old = await book_at(w.records, first)
            down = as_port(TwoSteps(w.faulty(FaultRule("cancel", FaultKind.ERROR))))
            await w.desk(down).change(request(second, replaces=old.id), second)
            await asyncio.sleep(60)
            [told] = await w.reconciler(down).run_once()
            assert (told.did, told.step) == ("old_stands", "old_stands")
            assert (await w.row()).state is RequestState.OPEN
            await asyncio.sleep(60)
            [told] = await w.reconciler().run_once()
            assert (told.did, told.step) == ("finished", "verified")
            assert [each.slot_id for each in await w.booked()] == [second.id]

    run(main)


def test_what_stands_otherwise_than_agreed_goes_to_staff(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            made = await book_at(w.records, slot, "k1")
            await w.records.cancel(made.id, BookingKey("desk"))  # at the desk, meanwhile
            await asyncio.sleep(60)
            [told] = await w.reconciler().run_once()
            assert (told.did, told.step) == ("handed_over", "mismatch")
            assert (await w.row()).state is RequestState.OPEN

    run(main)


def test_two_reconcilers_never_work_on_one_row_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            slots = await w.free(4)
            for number, slot in enumerate(slots):
                await left_open(w, slot, f"k{number}")
            await asyncio.sleep(60)
            sent: list[str] = []

            class Slow(EmrAround):
                async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
                    await asyncio.sleep(0.5)
                    if name == "book":
                        sent.append(name)
                    return await ask()

            boxes = [await open_inbox(str(tmp_path / "desk.sqlite")) for _ in range(2)]
            emr, rules = as_port(Slow(w.records)), ReconcileRules(page=2)
            two = [
                Reconciler(emr, outbox_of(box), w.clock, NOTES, HOSPITAL, rules) for box in boxes
            ]
            runs = await asyncio.gather(*(each.run_once() for each in two))
            told = [each for ran in runs for each in ran]
            assert Counter(each.key for each in told) == Counter(
                BookingKey(f"k{number}") for number in range(4)
            )
            assert len(sent) == 4
            assert {each.did for each in told} == {"finished"}
            for box in boxes:
                await box.close()

    run(main)


def test_a_row_that_somebody_else_changed_is_left_to_them(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await asyncio.sleep(60)

            class Meddling(EmrAround):
                async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
                    if name == "lookup_key":
                        entry = await w.store.find(KEY)
                        assert entry is not None
                        await w.store.move(Move(replace(entry, step=Step.UNKNOWN)))
                    return await ask()

            emr = Meddling(w.records)
            [told] = await w.reconciler(as_port(emr)).run_once()
            assert told.did == "left_to_others"
            assert "book" not in emr.asked

    run(main)


def test_a_reconciler_that_dies_leaves_its_rows_to_the_next(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            await asyncio.sleep(60)
            now = w.clock.now()
            taken = await w.store.take_due(HOSPITAL, now, now + timedelta(minutes=2), 10)
            assert [each.key for each in taken] == [KEY]
            assert await w.reconciler().run_once() == ()
            await asyncio.sleep(121)
            [told] = await w.reconciler().run_once()
            assert told.did == "finished"
            assert await w.store.move(Move(taken[0])) is None  # the dead one's turn is over

    run(main)


def test_a_record_system_that_is_down_ends_the_run_early(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            for number, slot in enumerate(await w.free(4)):
                await left_open(w, slot, f"k{number}")
            await asyncio.sleep(60)

            class Down(EmrAround):
                async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
                    raise EmrFailure(EmrFault.UNREACHABLE, name)

            emr = as_port(Down(w.records))
            rules = ReconcileRules(page=1)
            assert len(await w.reconciler(emr, rules).run_once()) == 1
            assert len(await w.reconciler(rules=rules).run_once()) == 3

    run(main)


def test_only_this_hospitals_rows_are_touched(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot, hospital_id="other")
            await asyncio.sleep(60)
            assert await w.reconciler().run_once() == ()

    run(main)


def test_due_rows_come_out_of_the_index(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            async with reading(w.inbox.engine) as connection:
                statement = due_rows(HOSPITAL, NOW, 10).compile(
                    connection.engine, compile_kwargs={"literal_binds": True}
                )
                plan = await connection.execute(text(f"EXPLAIN QUERY PLAN {statement}"))
                steps = [row.detail for row in plan.all()]
            assert len(steps) == 1
            assert "USING INDEX outbox_by_due" in steps[0]

    run(main)


def test_it_runs_until_it_is_stopped_and_outlives_a_broken_store(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await left_open(w, slot)
            stop = asyncio.Event()
            runs: list[tuple[Reconciled, ...] | StoreFailure] = []

            def on_run(ran: tuple[Reconciled, ...] | StoreFailure) -> None:
                runs.append(ran)
                if len(runs) == 3:
                    stop.set()

            reconciler = w.reconciler()
            original = w.store.take_due
            failures = [StoreFailure("gone")]

            async def failing(*args: object) -> object:
                if failures:
                    raise failures.pop()
                return await original(*args)  # type: ignore[arg-type]

            w.store.take_due = failing  # type: ignore[method-assign, assignment]
            began = w.clock.mono()
            await reconciler.run_every(15, stop, on_run=on_run)
            assert isinstance(runs[0], StoreFailure)
            done = [each for ran in runs[1:] if isinstance(ran, tuple) for each in ran]
            assert [each.did for each in done] == ["finished"]
            assert w.clock.mono() - began < 31

    run(main)


def test_an_appointment_of_a_row_left_to_staff_is_not_touched(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await w.inbox.record_request(request(slot))  # request mode: no outbox row
            await asyncio.sleep(3600)
            assert await w.reconciler().run_once() == ()
            assert (await w.row()).written is None
            assert await w.booked() == []
            slot_now = await w.records.read_slot(slot.id)
            assert slot_now == slot
            assert AppointmentStatus.BOOKED not in {each.status for each in await w.booked()}

    run(main)
