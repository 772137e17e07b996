"""A booking one turn at a time, on both demo hospitals (B1–B4, T8, T9, T11, N1, N2)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from visit_parts import Desk, Owner, desk_at

from wonmu.booking.commit import Written
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.desk.records import BookingRequest, RequestPatient
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.ids import BookingKey, PatientId
from wonmu.loop import run
from wonmu.timeline.events import Kind
from wonmu.visit.booking_engine import BookingEngine, BookingState, Open
from wonmu.visit.people import NewWho
from wonmu.visit.turned import Agreed
from wonmu.visit.wishes import FirstWish

pytestmark = pytest.mark.unit

TUESDAY = FirstWish("내과", None, "다음 주 화요일 오전 열 시")
KIM = FirstWish("내과", "김서연", "다음 주 화요일 오전 열 시")


def at(
    name: str,
    data: Path,
    main: Callable[[Desk], Awaitable[None]],
    faults: FaultPlan | None = None,
) -> None:
    """Run ``main`` at the desk; every visit must be clean at the end."""

    async def all_of_it() -> None:
        async with desk_at(name, data, faults) as desk:
            await main(desk)
            for owner in desk.owners:
                assert await owner.violations() == []

    run(all_of_it)


async def at_readback(owner: Owner) -> None:
    """Up to the read-back of one exact time."""
    who = await owner.minsu()
    if owner.desk.front.hospital.id == "hanbit":
        await owner.book(who, KIM)
        assert owner.lines == ["insurance.ask"]
        await owner.say("건강보험이요")
    else:
        await owner.book(who, TUESDAY)
    assert owner.lines[-1] == "booking.readback"


def test_a_request_from_the_wish_to_the_row(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        assert "김민수 님" in owner.said[-1]
        assert "김서연" in owner.said[-1]
        assert await desk.rows() == ()
        await owner.say("네")
        assert owner.lines == ["booking.recorded"]
        assert isinstance(owner.outcome, Completed)
        (row,) = await desk.rows()
        assert (row.insurance, row.patient and row.patient.id) == (
            "건강보험",
            owner.outcome.booking.patient.id,
        )

    at("hanbit", tmp_path, main)


def test_a_direct_commit_is_confirmed(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        await owner.say("네")
        assert owner.lines == ["booking.confirmed"]
        assert isinstance(owner.outcome, Completed)
        assert owner.outcome.written is Written.CONFIRMED
        assert owner.of(Kind.COMMIT_SETTLED)

    at("onnuri", tmp_path, main)


def test_asks_for_what_is_missing_in_order(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await owner.book(await owner.minsu())
        await owner.say("몰라요")
        assert owner.lines == ["booking.ask_department"]
        await owner.say("내과요", FirstWish("내과요"))
        assert owner.lines == ["booking.ask_doctor"]
        await owner.say("아무나 괜찮아요", FirstWish(doctor="아무나 괜찮아요"))
        assert owner.lines == ["booking.ask_when"]
        await owner.say("내일 오후요", FirstWish(when="내일 오후요"))
        assert owner.lines == ["booking.offer"]
        await owner.say("네")
        assert owner.lines == ["booking.which_offer"]
        await owner.say("2")
        assert owner.lines == ["booking.readback"]
        await owner.say("다른 선생님으로 해 주세요")
        assert owner.lines[-1] != "booking.readback"

    at("hanbit", tmp_path, main)


def test_the_visit_instead_of_the_insurance_is_taken_up(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await owner.book(await owner.minsu(), FirstWish("내과", "김서연"))
        await owner.say("다음 주 화요일 오전 열 시요")
        assert owner.lines == ["booking.readback"]

    at("hanbit", tmp_path, main)


def test_what_was_said_during_identity_is_not_asked_again(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await owner.minsu()
        asides = ("내과 김서연 원장님이요", "다음 주 화요일 오전 열 시요")
        await owner.book(who, asides=asides, insurance="건강보험")
        assert owner.lines == ["booking.readback"]

    at("hanbit", tmp_path, main)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("네?", "booking.readback"),
        ("잠깐만요", "booking.readback"),
        ("아니요", "booking.what_else"),
        ("네 근데 주차되나요?", "booking.readback"),
    ],
)
def test_only_a_plain_yes_is_a_consent(tmp_path: Path, words: str, line: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        await owner.say(words)
        assert owner.lines == [line]
        assert await desk.rows() == ()
        assert not owner.of(Kind.BOOKING_CONSENT)
        await owner.say("네")
        assert len(await desk.rows()) == (1 if line == "booking.readback" else 0)

    at("onnuri", tmp_path, main)


def test_a_yes_two_turns_later_is_no_consent(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        owner.heard("주차되나요?")  # answered by a model, and nobody put the question again
        await owner.say("네")
        assert owner.lines == ["booking.readback"]
        assert await desk.rows() == ()

    at("onnuri", tmp_path, main)


def test_a_read_back_that_was_not_delivered_is_not_agreed_to(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        owner.visit.memory.readbacks.clear()
        await owner.say("네")
        assert owner.lines == ["booking.readback"]
        assert await desk.rows() == ()

    at("onnuri", tmp_path, main)


@pytest.mark.parametrize("name", ["hanbit", "onnuri"])
def test_a_restart_at_the_read_back_needs_a_new_yes(tmp_path: Path, name: str) -> None:
    async def main(desk: Desk) -> None:
        first = desk.visit()
        await at_readback(first)
        second = desk.visit()
        await second.resume(first.saved)
        assert second.lines == ["booking.readback"]
        assert second.of(Kind.BOOKING_STAGED)
        await second.say("네")
        assert len(await desk.rows()) == 1

    at(name, tmp_path, main)


def test_a_yes_to_the_read_back_of_an_earlier_process_is_none(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        first = desk.visit()
        await at_readback(first)
        second = desk.visit()
        second.saved = first.saved  # nobody told the engine of the restart
        await second.say("네")
        assert second.lines == ["booking.readback"]
        assert await desk.rows() == ()
        await second.say("네")
        assert len(await desk.rows()) == 1

    at("onnuri", tmp_path, main)


@pytest.mark.parametrize("name", ["hanbit", "onnuri"])
def test_the_same_commit_twice_is_one_row(tmp_path: Path, name: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        await owner.say("네")
        state = BookingState.from_json(json.loads(owner.agreed[0]))
        again = await BookingEngine(owner.visit).commit(state)
        assert isinstance(again.outcome, Completed)
        assert isinstance(owner.outcome, Completed)
        assert again.outcome.booking.key == owner.outcome.booking.key
        assert [each.line for each in again.say] == owner.lines
        assert len(await desk.rows()) == 1
        committed = owner.of(Kind.BOOKING_COMMITTED)
        assert [event.data["replayed"] for event in committed] == [False, True]

    at(name, tmp_path, main)


@pytest.mark.parametrize("name", ["hanbit", "onnuri"])
def test_two_commits_at_once_are_one_row(tmp_path: Path, name: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        owner.heard("네")
        engine = BookingEngine(owner.visit)
        turned = await engine.answer(owner.state(), "네", owner.turn)
        assert turned is not None
        assert isinstance(turned.outcome, Agreed)
        both = await asyncio.gather(engine.commit(turned.state), engine.commit(turned.state))
        assert all(isinstance(each.outcome, Completed) for each in both)
        assert len(await desk.rows()) == 1

    at(name, tmp_path, main)


@pytest.mark.parametrize("name", ["hanbit", "onnuri"])
@pytest.mark.parametrize("written", [True, False])
def test_a_crash_around_the_commit(tmp_path: Path, name: str, written: bool) -> None:
    """Written before the crash: told, once. Not written: the yes is void and asked for anew."""

    async def main() -> None:
        async with desk_at(name, tmp_path) as desk:
            first = desk.visit()
            await at_readback(first)
            first.heard("네")
            turned = await BookingEngine(first.visit).answer(first.state(), "네", first.turn)
            assert turned is not None
            saved = json.dumps(turned.state.to_json())
            if written:
                await BookingEngine(first.visit).commit(turned.state)
            second = desk.visit()
            await second.resume(saved)
            if written:
                told = "booking.recorded" if name == "hanbit" else "booking.confirmed"
                assert second.lines == [told]
            else:
                assert second.lines == ["booking.readback"]
                assert await desk.rows() == ()
                await second.say("네")
            assert await second.violations() == []
            assert isinstance(second.outcome, Completed)
            assert len(await desk.rows()) == 1

    run(main)


def test_a_cancelled_wait_does_not_stop_the_write(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        owner.heard("네")
        engine = BookingEngine(owner.visit)
        turned = await engine.answer(owner.state(), "네", owner.turn)
        assert turned is not None
        waiting = asyncio.ensure_future(engine.commit(turned.state))
        while not owner.visit.memory.writes:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await owner.visit.writes.finished(10.0)
        again = await engine.commit(turned.state)
        assert isinstance(again.outcome, Completed)
        assert len(await desk.rows()) == 1

    at("onnuri", tmp_path, main)


async def taken_by_somebody(owner: Owner) -> None:
    """Another patient asks for the staged slot."""
    front, slot = owner.desk.front, owner.state().draft.staged.slot
    request = BookingRequest(
        BookingKey("other-1"),
        front.hospital.id,
        owner.visit.recorder.call_id,
        front.clock.now(),
        RequestPatient("이서연", date(1983, 7, 1), "01000002345", PatientId("other")),
        "01000002345",
        slot.department_id,
        "내과",
        slot.doctor_id,
        "의사",
        slot.id,
        slot.start,
    )
    await front.inbox.record_request(request)


def test_a_slot_taken_between_yes_and_record(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            await at_readback(owner)
            await taken_by_somebody(owner)
            await owner.say("네")
            assert owner.lines[0] == "booking.taken"
            assert owner.lines[1].startswith("booking.nearest")
            assert owner.outcome is None
            assert len(await desk.rows()) == 1
            await owner.say("1번")
            assert owner.lines == ["booking.readback"]
            await owner.say("네")
            assert owner.lines == ["booking.recorded"]

    run(main)


def test_a_slot_taken_in_the_record_system(tmp_path: Path) -> None:
    plan = FaultPlan((FaultRule("book", FaultKind.TAKEN_SLOT, times=1),))

    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        await owner.say("네")
        assert owner.lines[0] == "booking.taken"
        assert owner.outcome is None

    at("onnuri", tmp_path, main, plan)


def test_a_search_that_fails_is_told_and_tried_once_more(tmp_path: Path) -> None:
    plan = FaultPlan((FaultRule("find_slots", FaultKind.ERROR),))

    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await owner.book(await owner.minsu(), TUESDAY)
        assert owner.lines == ["booking.search_failed"]
        await owner.say("네")
        assert isinstance(owner.outcome, Exited)
        assert owner.outcome.code is ExitCode.SYSTEM_ERROR
        assert owner.said == []

    at("onnuri", tmp_path, main, plan)


def test_a_hang_ends_within_the_step_and_a_lost_reply_is_pending_or_told(tmp_path: Path) -> None:
    plan = FaultPlan((FaultRule("book", FaultKind.LOST_REPLY, times=1, seconds=1.0),))

    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        await owner.say("네")
        assert owner.lines == ["booking.confirmed"]
        assert len(await desk.rows()) == 1

    at("onnuri", tmp_path, main, plan)


def test_the_same_time_again_is_no_second_booking(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        await owner.say("네")
        who = await owner.minsu()
        await owner.book(who, KIM, insurance="건강보험")
        assert owner.lines == ["booking.already"]
        assert owner.outcome == Exited(ExitCode.NO_CANDIDATE, "duplicate")
        assert len(await desk.rows()) == 1

    at("hanbit", tmp_path, main)


def test_a_new_patient_is_booked_with_what_was_said(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await owner.identify("990101", "01000009999", "네 처음이에요", "홍길순", "네")
        assert isinstance(who, NewWho)
        await owner.book(who, KIM, insurance="건강보험")
        second = desk.visit()
        await second.resume(owner.saved)
        await second.say("네")
        (row,) = await desk.rows()
        assert row.patient is not None
        assert (row.patient.name, row.patient.id) == ("홍길순", None)
        assert row.patient.birth_date == date(1999, 1, 1)

    at("hanbit", tmp_path, main)


@pytest.mark.parametrize(
    ("words", "code", "lines"),
    [
        ("그만할게요", ExitCode.CANCELLED_BY_CALLER, ["booking.stopped"]),
        ("상담원 바꿔 주세요", ExitCode.STAFF_CONNECTION, []),
    ],
)
def test_leaving_at_the_read_back(
    tmp_path: Path, words: str, code: ExitCode, lines: list[str]
) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        await owner.say(words)
        assert owner.outcome == Exited(code)
        assert owner.lines == lines
        assert await desk.rows() == ()

    at("onnuri", tmp_path, main)


def test_no_snapshot_of_somebody_on_file_holds_name_or_birth(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await at_readback(owner)
        assert "김민수" not in owner.saved
        assert "1985" not in owner.saved
        await owner.say("네")
        assert "김민수" not in owner.saved

    at("hanbit", tmp_path, main)


def test_a_read_under_way_can_be_stopped(tmp_path: Path) -> None:
    plan = FaultPlan((FaultRule("find_slots", FaultKind.LATENCY, seconds=2.0),))

    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await owner.minsu()
        work = asyncio.ensure_future(owner.book(who, TUESDAY))
        await asyncio.sleep(1.0)
        assert owner.visit.lookups.running()
        assert owner.visit.lookups.stop(ExitCode.OTHER_REQUEST)
        await work
        assert owner.outcome == Exited(ExitCode.OTHER_REQUEST, "while_reading")
        assert owner.said == []

    at("onnuri", tmp_path, main, plan)


def test_an_open_question_survives_a_restart(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        first = desk.visit()
        await first.book(await first.minsu(), FirstWish("내과", None, "내일 오후"))
        assert first.lines == ["booking.offer"]
        second = desk.visit()
        await second.resume(first.saved)
        assert second.said == first.said
        await second.say("1번")
        assert second.lines == ["booking.readback"]

    at("onnuri", tmp_path, main)


def test_the_situation_names_the_question(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await owner.book(await owner.minsu(), FirstWish("내과"))
        state: Any = owner.state()
        assert state.open is Open.WHEN
        assert "when" in BookingEngine(owner.visit).situation(state)

    at("onnuri", tmp_path, main)
