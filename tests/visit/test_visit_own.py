"""A visitor's own bookings one turn at a time, on both demo hospitals (B3, N1, N3, T11)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from visit_parts import Desk, Owner, desk_at

from wonmu.booking.commit import Written
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.desk.records import RequestKind
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.identity.facts import Level
from wonmu.loop import run
from wonmu.timeline.events import Kind
from wonmu.visit.own_engine import CancelDone, Listed, OwnEngine, OwnState, Stage
from wonmu.visit.people import KnownWho
from wonmu.visit.turned import Agreed
from wonmu.visit.wishes import FirstWish

pytestmark = pytest.mark.unit

JIHO = ("150505", "박지호", "01000002345")
BOTH = pytest.mark.parametrize("name", ["hanbit", "onnuri"])


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


async def jiho(owner: Owner) -> KnownWho:
    """A child with two coming bookings."""
    who = await owner.identify(*JIHO[:2], level=Level.READ, caller_phone=JIHO[2])
    assert isinstance(who, KnownWho)
    return who


async def cancelling(owner: Owner) -> None:
    """Up to the read-back of a cancellation."""
    who = await owner.minsu(Level.READ)
    owner.heard("예약 취소해 주세요")
    await owner.take(await OwnEngine(owner.visit).cancel(who, "예약 취소해 주세요"))
    assert owner.lines == ["own.readback_cancel"]


@BOTH
def test_the_list_is_told(tmp_path: Path, name: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await jiho(owner)
        await owner.take(await OwnEngine(owner.visit).inquire(who))
        assert owner.outcome == Listed(2)
        assert "두 건" in owner.said[0]
        assert owner.visit.state.receipts.looked_up

    at(name, tmp_path, main)


def test_none_is_a_fact_and_a_failure_is_not(tmp_path: Path) -> None:
    plan = FaultPlan((FaultRule("appointments", FaultKind.ERROR, after=1),))

    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await owner.identify("830701", "이서연", level=Level.READ, caller_phone="01000002345")
        assert isinstance(who, KnownWho)
        await owner.take(await OwnEngine(owner.visit).inquire(who))
        assert (owner.lines, owner.outcome) == (["own.none"], Listed(0))
        await owner.take(await OwnEngine(owner.visit).inquire(who))
        assert owner.said == []
        assert isinstance(owner.outcome, Exited)
        assert owner.outcome.code is ExitCode.SYSTEM_ERROR

    at("hanbit", tmp_path, main, plan)


@BOTH
def test_a_cancellation_from_the_wish_to_the_row(tmp_path: Path, name: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await cancelling(owner)
        assert "김민수 님" in owner.said[0]
        await owner.say("네")
        written = Written.REQUESTED if name == "hanbit" else Written.CONFIRMED
        assert owner.outcome == CancelDone(written)
        (row,) = await desk.rows()
        assert row.kind is RequestKind.CANCEL

    at(name, tmp_path, main)


@pytest.mark.parametrize("words", ["네?", "잠깐만요", "주차되나요?", "네 근데 다른 날로요"])
def test_only_a_plain_yes_cancels(tmp_path: Path, words: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await cancelling(owner)
        await owner.say(words)
        assert owner.lines == ["own.readback_cancel"]
        assert await desk.rows() == ()
        await owner.say("네")
        assert len(await desk.rows()) == 1

    at("hanbit", tmp_path, main)


@pytest.mark.parametrize("words", ["아니요", "그만할게요"])
def test_a_no_keeps_the_booking(tmp_path: Path, words: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await cancelling(owner)
        await owner.say(words)
        assert owner.lines == ["own.kept"]
        assert owner.outcome == Exited(ExitCode.CANCELLED_BY_CALLER)
        assert await desk.rows() == ()

    at("hanbit", tmp_path, main)


@BOTH
def test_a_restart_at_the_read_back_needs_a_new_yes(tmp_path: Path, name: str) -> None:
    async def main(desk: Desk) -> None:
        first = desk.visit()
        await cancelling(first)
        assert "김민수" not in first.saved.replace("김민수원장", "")
        second = desk.visit()
        second.saved = first.saved  # nobody told the engine of the restart
        await second.say("네")
        assert second.lines == ["own.readback_cancel"]
        assert await desk.rows() == ()
        third = desk.visit()
        await third.resume(first.saved)
        assert third.lines == ["own.readback_cancel"]
        await third.say("네")
        assert len(await desk.rows()) == 1

    at(name, tmp_path, main)


@BOTH
@pytest.mark.parametrize("written", [True, False])
def test_a_crash_around_the_cancellation(tmp_path: Path, name: str, written: bool) -> None:
    async def main() -> None:
        async with desk_at(name, tmp_path) as desk:
            first = desk.visit()
            await cancelling(first)
            first.heard("네")
            engine = OwnEngine(first.visit)
            turned = await engine.answer(first.state(), "네", first.turn)
            assert turned is not None
            assert isinstance(turned.outcome, Agreed)
            saved = json.dumps(turned.state.to_json())
            if written:
                await engine.commit(turned.state)
                again = await engine.commit(OwnState.from_json(json.loads(saved)))
                assert isinstance(again.outcome, CancelDone)
            second = desk.visit()
            await second.resume(saved)
            if not written:
                assert second.lines == ["own.readback_cancel"]
                assert await desk.rows() == ()
                await second.say("네")
            assert isinstance(second.outcome, CancelDone)
            assert await second.violations() == []
            assert len(await desk.rows()) == 1

    run(main)


def test_one_of_several_is_chosen_first(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await jiho(owner)
        await owner.take(await OwnEngine(owner.visit).cancel(who, "예약 취소할게요"))
        assert owner.lines == ["own.which_cancel"]
        await owner.say("음 뭐더라")
        assert owner.lines == ["own.which_cancel_retry"]
        await owner.say("2")
        assert owner.lines == ["own.readback_cancel"]
        assert owner.state().chosen == owner.state().bookings[1]
        second = desk.visit()
        await second.resume(owner.saved)
        assert second.state().chosen == owner.state().chosen
        await second.say("네")
        assert isinstance(second.outcome, CancelDone)

    at("hanbit", tmp_path, main)


def test_what_is_cancelled_already_is_told(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        await cancelling(owner)
        await owner.say("네")
        who = await owner.minsu(Level.READ)
        await owner.take(await OwnEngine(owner.visit).cancel(who, "예약 취소해 주세요"))
        assert owner.lines == ["own.cancel_known"]
        assert owner.outcome == CancelDone(Written.REQUESTED, known=True)
        assert len(await desk.rows()) == 1

    at("hanbit", tmp_path, main)


@BOTH
def test_a_change_keeps_the_old_one_until_the_new_is_safe(tmp_path: Path, name: str) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await owner.minsu(Level.READ)
        owner.heard("예약 시간을 바꾸고 싶어요")
        await owner.take(await OwnEngine(owner.visit).change(who, "예약 시간을 바꾸고 싶어요"))
        assert owner.lines == ["own.confirm_change"]
        await owner.say("네")
        assert owner.state().stage is Stage.BOOKING
        assert owner.lines == ["booking.ask_when"]
        await owner.say("일주일 뒤에요", FirstWish(when="다음 주 목요일 오후"))
        while owner.lines[-1] != "booking.readback":
            assert owner.lines[-1].startswith(("booking.offer", "booking.nearest"))
            await owner.say("1번")
        assert "변경하는 것으로" in owner.said[-1]
        await owner.say("네")
        assert isinstance(owner.outcome, Completed)
        (row,) = await desk.rows()
        assert row.kind is RequestKind.CHANGE
        assert owner.lines == [f"own.change_{'recorded' if name == 'hanbit' else 'confirmed'}"]
        (committed,) = owner.of(Kind.BOOKING_COMMITTED)
        assert committed.data["replaces"]

    at(name, tmp_path, main)


def test_where_to_said_with_the_wish_and_a_restart(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        first = desk.visit()
        who = await first.minsu(Level.READ)
        words = "예약을 다음 주 목요일 오후로 변경해 주세요"
        await first.take(await OwnEngine(first.visit).change(who, words))
        second = desk.visit()
        await second.resume(first.saved)
        assert second.lines == ["own.confirm_change"]
        await second.say("네")
        assert second.lines[-1].startswith(("booking.offer", "booking.nearest"))
        third = desk.visit()
        await third.resume(second.saved)
        assert third.said == second.said[-1:]
        await third.say("1번")
        assert third.lines == ["booking.readback"]
        await third.say("네")
        assert isinstance(third.outcome, Completed)

    at("hanbit", tmp_path, main)


def test_cancelling_instead_is_another_wish(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = await owner.minsu(Level.READ)
        await owner.take(await OwnEngine(owner.visit).change(who, "예약을 바꾸고 싶어요"))
        await owner.say("네")
        await owner.say("아니 그냥 예약 취소해 주세요")
        assert owner.outcome == Exited(ExitCode.OTHER_REQUEST, "cancel")
        assert owner.said == []

    at("hanbit", tmp_path, main)


def test_somebody_gone_from_the_file_is_identified_anew(tmp_path: Path) -> None:
    async def main(desk: Desk) -> None:
        owner = desk.visit()
        who = KnownWho((await owner.minsu(Level.READ)).patient_id, "01000009999")
        second = desk.visit()
        await second.take(await OwnEngine(second.visit).inquire(who))
        assert second.outcome == Exited(ExitCode.IDENTITY_INCOMPLETE, "patient")
        assert second.said == []

    at("hanbit", tmp_path, main)
