"""Writing straight to the record system: every outcome is true, nothing is lost (B2, B3, B4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from outbox_parts import (
    CHOI,
    LEE,
    NOW,
    Broken,
    EmrAround,
    TwoSteps,
    World,
    all_slots,
    as_port,
    book_at,
    cancel_request,
    request,
    run,
    world,
)

from wonmu.desk.inbox import open_inbox
from wonmu.desk.outbox.direct import DirectDesk, can_write
from wonmu.desk.outbox.entry import Doing
from wonmu.desk.outbox.outcome import (
    Confirmed,
    NotKept,
    NotWritten,
    Pending,
    RefusedByRule,
    Repeated,
    SlotGone,
)
from wonmu.desk.outbox.store import outbox_of
from wonmu.desk.records import RequestState, Written, request_json
from wonmu.emr.fault_plan import FaultKind, FaultRule
from wonmu.emr.port import Appointment, AppointmentStatus, Emr, SlotStatus
from wonmu.errors import EmrFailure, EmrFault, ProgrammingError
from wonmu.ids import BookingKey

pytestmark = pytest.mark.service

KEY = BookingKey("k1")


def test_a_booking_is_written_read_back_and_done(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            seen: list[Doing] = []
            desk = w.desk(on_step=lambda key, act, doing: seen.append(doing))
            outcome = await desk.book(request(slot), slot)
            assert isinstance(outcome, Confirmed)
            assert (outcome.appointment.key, outcome.appointment.slot_id) == (KEY, slot.id)
            assert not outcome.replayed
            assert not outcome.old_stands
            row = await w.row()
            assert (row.state, row.written, row.remark) == (
                RequestState.DONE,
                Written.CONFIRMED,
                "",
            )
            assert request_json(row)["written"] == "confirmed"
            assert await w.step() == "verified"
            assert seen == [Doing.RECORD, Doing.SEND, Doing.READ_BACK]
            assert await w.reconciler().run_once() == ()

    run(main)


def test_a_change_leaves_the_new_one_only(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            first, second = await w.free(2)
            old = await book_at(w.records, first)
            before = {each.id for each in await w.booked()}
            outcome = await w.desk().change(request(second, replaces=old.id), second)
            assert isinstance(outcome, Confirmed)
            assert not outcome.old_stands
            after = {each.id for each in await w.booked()}
            assert after == before - {old.id} | {outcome.appointment.id}
            assert (await w.row()).state is RequestState.DONE

    run(main)


def test_where_a_change_takes_two_steps_the_second_is_ours(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            first, second = await w.free(2)
            old = await book_at(w.records, first)
            emr = TwoSteps(w.records)
            outcome = await w.desk(as_port(emr)).change(request(second, replaces=old.id), second)
            assert isinstance(outcome, Confirmed)
            assert not outcome.old_stands
            gone = await w.records.read_appointment(old.id)
            assert gone is not None
            assert gone.status is AppointmentStatus.CANCELLED
            assert emr.asked[-3:] == ["read_appointment", "cancel", "read_appointment"]

    run(main)


def test_an_old_appointment_that_stands_is_said_and_stays_with_staff(tmp_path: Path) -> None:
    async def main() -> None:
        fault = FaultRule("cancel", FaultKind.ERROR, times=1)
        async with world(tmp_path) as w:
            first, second = await w.free(2)
            old = await book_at(w.records, first)
            emr = as_port(TwoSteps(w.faulty(fault)))
            outcome = await w.desk(emr).change(request(second, replaces=old.id), second)
            assert isinstance(outcome, Confirmed)
            assert outcome.old_stands
            row = await w.row()
            assert (row.state, row.written) == (RequestState.OPEN, Written.OLD_STANDS)
            assert "이전 예약이 아직 취소되지 않음" in row.remark
            again = await w.desk(emr).change(request(second, replaces=old.id), second)
            assert isinstance(again, Confirmed)
            assert again.old_stands
            assert again.replayed
            await asyncio.sleep(60)
            [done] = await w.reconciler().run_once()
            assert done.did == "finished"
            assert (await w.row()).state is RequestState.DONE
            gone = await w.records.read_appointment(old.id)
            assert gone is not None
            assert gone.status is AppointmentStatus.CANCELLED

    run(main)


def test_an_old_appointment_that_a_rule_keeps_is_left_to_staff(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            first, second = await w.free(2)
            old = await book_at(w.records, first)
            emr = TwoSteps(w.records)
            # Its key was used for something else: the record system refuses the cancellation.
            await book_at(w.records, (await w.free(3))[2], "k1-old", CHOI)
            outcome = await w.desk(as_port(emr)).change(request(second, replaces=old.id), second)
            assert isinstance(outcome, Confirmed)
            assert outcome.old_stands
            assert await w.step() == "old_left"
            row = await w.row()
            assert row.state is RequestState.OPEN
            assert "직접 취소 필요" in row.remark

    run(main)


def test_a_cancellation_is_written_and_read_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            old = await book_at(w.records, (await w.free())[0])
            outcome = await w.desk().cancel(cancel_request(old))
            assert isinstance(outcome, Confirmed)
            assert outcome.appointment.status is AppointmentStatus.CANCELLED
            assert old.id not in {each.id for each in await w.booked()}
            assert (await w.row("c1")).state is RequestState.DONE
            second = await w.desk().cancel(cancel_request(old, "c2"))
            assert isinstance(second, Confirmed)
            assert second.replayed

    run(main)


def test_a_slot_that_somebody_took_drops_the_request(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path, FaultRule("book", FaultKind.TAKEN_SLOT)) as w:
            [slot] = await w.free()
            assert await w.desk().book(request(slot), slot) == SlotGone(slot.id)
            assert (await w.row()).state is RequestState.DROPPED
            assert await w.step() == "gone"
            assert not [each for each in await w.booked() if each.slot_id == slot.id]
            assert await w.desk().book(request(slot), slot) == SlotGone(slot.id)

    run(main)


def test_a_version_that_alone_has_changed_is_tried_once_more(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            other = BookingKey("somebody")
            await w.records.hold(slot, other, timedelta(seconds=60))
            await w.records.release(slot.id, other)
            seen: list[Doing] = []
            desk = w.desk(on_step=lambda key, act, doing: seen.append(doing))
            assert isinstance(await desk.book(request(slot), slot), Confirmed)
            assert Doing.REREAD_SLOT in seen
            assert seen.count(Doing.SEND) == 2

    run(main)


def test_a_version_that_keeps_changing_is_given_to_staff(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()

            class Restless(EmrAround):
                async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
                    if name == "book":
                        now = await w.records.read_slot(slot.id)
                        assert now is not None
                        await w.records.hold(now, BookingKey("x"), timedelta(seconds=60))
                        await w.records.release(slot.id, BookingKey("x"))
                    return await ask()

            emr = Restless(w.records)
            outcome = await w.desk(as_port(emr)).book(request(slot), slot)
            assert outcome == RefusedByRule(KEY, "stale_version")
            assert emr.asked.count("book") == 2
            assert (await w.row()).state is RequestState.OPEN

    run(main)


def test_a_rule_of_the_record_system_leaves_it_to_staff(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            free = [each for each in await all_slots(w.records) if each.status is SlotStatus.FREE]
            slot, beside = next(
                (one, other)
                for one in free
                for other in free
                if one.start == other.start and one.id != other.id
            )
            await book_at(w.records, beside)
            outcome = await w.desk().book(request(slot), slot)
            assert outcome == RefusedByRule(KEY, "patient_busy")
            row = await w.row()
            assert row.state is RequestState.OPEN
            assert row.written is Written.NOT_CONFIRMED
            assert "같은 시간 다른 예약" in row.remark
            [told] = await w.reconciler().run_once()
            assert (told.did, told.step) == ("closed", "staff")
            assert (await w.row()).written is Written.NOT_WRITTEN
            assert await w.desk().book(request(slot), slot) == outcome

    run(main)


class Failing(EmrAround):
    """Fails every write, before it is passed on or after."""

    def __init__(self, inner: Emr, fault: EmrFault, *, known: bool) -> None:
        super().__init__(inner)
        self._fault, self._known = fault, known

    async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
        if name != "book":
            return await ask()
        if not self._known:
            await ask()
        raise EmrFailure(self._fault, name, outcome_known=self._known)


@pytest.mark.parametrize("fault", list(EmrFault))
def test_a_failure_that_certainly_wrote_nothing_is_told_as_such(
    tmp_path: Path, fault: EmrFault
) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            desk = w.desk(as_port(Failing(w.records, fault, known=True)))
            outcome = await desk.book(request(slot), slot)
            assert outcome == NotWritten(KEY, fault)
            row = await w.row()
            assert row.state is RequestState.OPEN
            assert fault.value in row.remark
            await w.reconciler().run_once()
            assert await w.step() == "staff"
            assert not await _booked_at(w, slot.id)
            assert await w.desk().book(request(slot), slot) == outcome

    run(main)


@pytest.mark.parametrize("fault", [EmrFault.TIMEOUT, EmrFault.BROKEN, EmrFault.INVALID])
def test_a_failure_that_may_have_written_is_looked_up(tmp_path: Path, fault: EmrFault) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            desk = w.desk(as_port(Failing(w.records, fault, known=False)))
            assert isinstance(await desk.book(request(slot), slot), Confirmed)

    run(main)


@pytest.mark.parametrize("seconds", [None, 0.1])
def test_a_lost_reply_is_looked_up(tmp_path: Path, seconds: float | None) -> None:
    async def main() -> None:
        async with world(tmp_path, FaultRule("book", FaultKind.LOST_REPLY, seconds, times=1)) as w:
            [slot] = await w.free()
            outcome = await w.desk().book(request(slot), slot)
            assert isinstance(outcome, Confirmed)
            assert (await w.row()).state is RequestState.DONE

    run(main)


@pytest.mark.parametrize("kind", [FaultKind.HANG, FaultKind.INVALID])
def test_what_nobody_knows_is_pending_and_stays(tmp_path: Path, kind: FaultKind) -> None:
    async def main() -> None:
        async with world(tmp_path, FaultRule("book", kind, times=1)) as w:
            [slot] = await w.free()
            began = w.clock.mono()
            assert await w.desk().book(request(slot), slot) == Pending(KEY)
            assert w.clock.mono() - began < 8.0
            row = await w.row()
            assert (row.state, row.written) == (RequestState.OPEN, Written.PENDING)
            assert "알 수 없음" in row.remark
            assert await w.desk().book(request(slot), slot) == Pending(KEY)
            await asyncio.sleep(60)
            [told] = await w.reconciler().run_once()
            assert told.did == "finished"
            assert len(await _booked_at(w, slot.id)) == 1
            assert (await w.row()).state is RequestState.DONE
            assert await w.reconciler().run_once() == ()

    run(main)


def test_a_lost_reply_while_nothing_can_be_looked_up_is_pending(tmp_path: Path) -> None:
    async def main() -> None:
        rules = (
            FaultRule("book", FaultKind.LOST_REPLY, 0.1, times=1),
            FaultRule("lookup_key", FaultKind.ERROR),
        )
        async with world(tmp_path, *rules) as w:
            [slot] = await w.free()
            assert await w.desk().book(request(slot), slot) == Pending(KEY)
            await asyncio.sleep(60)
            [told] = await w.reconciler().run_once()
            assert told.did == "finished"
            assert len(await _booked_at(w, slot.id)) == 1

    run(main)


def test_what_cannot_be_read_back_is_not_confirmed(tmp_path: Path) -> None:
    async def main() -> None:
        for number, kind in enumerate((FaultKind.ERROR, FaultKind.EMPTY, FaultKind.HANG)):
            folder = tmp_path / str(number)
            async with world(folder, FaultRule("read_appointment", kind)) as w:
                [slot] = await w.free()
                assert await w.desk().book(request(slot), slot) == Pending(KEY)
                assert (await w.row()).state is RequestState.OPEN
                await asyncio.sleep(60)
                [told] = await w.reconciler().run_once()
                assert told.did == "finished"

    run(main)


def test_what_is_read_back_otherwise_is_never_confirmed(tmp_path: Path) -> None:
    async def main() -> None:
        changes: tuple[dict[str, Any], ...] = (
            {"start": NOW + timedelta(days=30)},
            {"patient_id": CHOI.id},
            {"doctor_id": "d9"},
            {"slot_id": "s9"},
            {"status": AppointmentStatus.CANCELLED},
        )
        for number, wrong in enumerate(changes):
            async with world(tmp_path / str(number)) as w:

                class Lying(EmrAround):
                    async def around(
                        self, name: str, ask: Callable[[], Awaitable[object]]
                    ) -> object:
                        answer = await ask()
                        if isinstance(answer, Appointment) and name == "read_appointment":
                            return replace(answer, **wrong)  # noqa: B023
                        return answer

                [slot] = await w.free()
                desk = w.desk(as_port(Lying(w.records)))
                assert await desk.book(request(slot), slot) == Pending(KEY)
                row = await w.row()
                assert (row.state, row.written) == (RequestState.OPEN, Written.MISMATCH)
                assert "다름" in row.remark
                await asyncio.sleep(60)
                assert await w.reconciler().run_once() == ()

    run(main)


def test_without_a_store_nothing_is_sent_and_nothing_promised(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            emr = EmrAround(w.records)
            w.store = Broken(w.store, 1)
            assert await w.desk(as_port(emr)).book(request(slot), slot) == NotKept()
            assert emr.asked == []
            assert await w.inbox.rows() == ()

    run(main)


@pytest.mark.parametrize("failing", [(2,), (3,), (2, 3)])
def test_what_stands_in_the_record_system_counts_when_the_store_fails(
    tmp_path: Path, failing: tuple[int, ...]
) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            sound, w.store = w.store, Broken(w.store, *failing)
            assert isinstance(await w.desk().book(request(slot), slot), Confirmed)
            w.store = sound
            await asyncio.sleep(60)
            await w.reconciler().run_once()
            assert (await w.row()).state is RequestState.DONE
            assert len(await _booked_at(w, slot.id)) == 1

    run(main)


def test_a_request_that_could_not_be_dropped_is_not_told_as_gone(tmp_path: Path) -> None:
    """It would be sent again later, and the caller would have two times."""

    async def main() -> None:
        async with world(tmp_path, FaultRule("book", FaultKind.TAKEN_SLOT)) as w:
            [slot] = await w.free()
            w.store = Broken(w.store, 2)
            assert await w.desk().book(request(slot), slot) == Pending(KEY)
            assert (await w.row()).state is RequestState.OPEN

    run(main)


def test_the_same_key_twice_at_once_is_one_write(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            emr = EmrAround(w.records)
            desk = w.desk(as_port(emr))
            both = await asyncio.gather(
                desk.book(request(slot), slot),
                desk.for_call(as_port(emr)).book(request(slot), slot),
            )
            assert both[0] == both[1]
            assert isinstance(both[0], Confirmed)
            assert emr.asked.count("book") == 1
            later = await desk.book(request(slot), slot)
            assert isinstance(later, Confirmed)
            assert later.replayed
            assert len(await _booked_at(w, slot.id)) == 1

    run(main)


def test_the_same_key_in_two_processes_is_one_booking(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            other = await open_inbox(str(tmp_path / "desk.sqlite"))
            second = DirectDesk(w.emr, outbox_of(other), w.clock, asyncio.sleep, w.desk()._notes)
            both = await asyncio.gather(
                w.desk().book(request(slot), slot), second.book(request(slot), slot)
            )
            await other.close()
            assert any(isinstance(each, Confirmed) for each in both)
            assert all(isinstance(each, Confirmed | Pending) for each in both)
            assert len(await _booked_at(w, slot.id)) == 1

    run(main)


def test_two_desks_race_for_one_slot(tmp_path: Path) -> None:
    """Each with an inbox of its own, so that the record system alone decides."""

    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            other = await open_inbox(str(tmp_path / "other.sqlite"))
            second = DirectDesk(w.emr, outbox_of(other), w.clock, asyncio.sleep, w.desk()._notes)
            both = await asyncio.gather(
                w.desk().book(request(slot), slot),
                second.book(request(slot, "k2", patient=CHOI), slot),
            )
            await other.close()
            assert sorted(type(each).__name__ for each in both) == ["Confirmed", "SlotGone"]

    run(main)


def test_what_the_inbox_refuses_is_not_sent(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            [slot] = await w.free()
            await w.inbox.record_request(request(slot, "earlier"))
            emr = EmrAround(w.records)
            desk = w.desk(as_port(emr))
            assert await desk.book(request(slot), slot) == Repeated(BookingKey("earlier"))
            gone = await desk.book(request(slot, "k2", patient=CHOI), slot)
            assert gone == SlotGone(slot.id)
            assert emr.asked == []
            assert await w.store.entries() == ()

    run(main)


def test_what_does_not_fit_is_a_mistake_of_ours(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as w:
            first, second = await w.free(2)
            desk = w.desk()
            stranger = request(first, patient=replace(LEE, id=None))
            assert not can_write(stranger)
            assert can_write(request(first))
            old = await book_at(w.records, first)
            for wrong in (
                desk.book(stranger, first),
                desk.book(request(first), second),
                desk.book(request(second, replaces=old.id), second),
                desk.change(request(second), second),
                desk.cancel(cancel_request(old, patient=replace(LEE, id=None))),
            ):
                with pytest.raises(ProgrammingError):
                    await wrong
            assert await w.inbox.rows() == ()

    run(main)


def test_a_hang_up_does_not_stop_a_write(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path, FaultRule("book", FaultKind.LATENCY, 2.0)) as w:
            [slot] = await w.free()
            desk = w.desk()
            caller = asyncio.ensure_future(desk.book(request(slot), slot))
            await asyncio.sleep(1.0)
            caller.cancel()
            with pytest.raises(asyncio.CancelledError):
                await caller
            await desk.close()
            assert (await w.row()).state is RequestState.DONE
            assert len(await _booked_at(w, slot.id)) == 1

    run(main)


async def _booked_at(w: World, slot_id: str) -> list[object]:
    return [each for each in await w.booked() if each.slot_id == slot_id]
