"""Bookings written straight to the record system, as callers hear it (B2, B3, T12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from scenario_parts import checked, dialogue_of, of_kind

from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.errors import EmrFault
from wonmu.evals.playing import Played, play_dialogue
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

BOOK = (
    "내과 예약하고 싶어요",
    "#850312",
    "오세진 원장님이요",
    "다음 주 화요일 오전 열 시요",
    "네",
)
INQUIRE = ("제 예약 확인해 주세요", "김민수요")
CHANGE = (
    "예약 변경하고 싶어요",
    "#850312",
    "김민수요",
    "네",
    "다음 주 수요일 오전 아홉 시 반으로요",
    "네",
)
CANCEL = ("예약 취소해 주세요", "#850312", "김민수요", "네")


def call_of(lines: Sequence[str], *rules: FaultRule, caller: str = "01000001234") -> Played:
    dialogue = dialogue_of("onnuri", (*lines, "/hangup"), caller)
    return checked(play_dialogue(replace(dialogue, faults=FaultPlan(rules)))[-1])


def said(call: Played) -> list[str]:
    return [str(event.data["line"]) for event in of_kind(call, Kind.AGENT_SAID)]


def words(call: Played) -> str:
    return " ".join(str(event.data["heard"]) for event in of_kind(call, Kind.AGENT_SAID))


def ours(call: Played) -> list[str]:
    """Starts of the booked appointments that this call made."""
    return sorted(
        str(row["start"])
        for row in call.records
        if row["kind"] == "appointment" and row["status"] == "booked" and row["key"]
    )


def states(call: Played) -> list[tuple[str, str, str | None]]:
    return [(row["kind"], row["state"], row.get("written")) for row in call.inbox]


def test_confirmed_is_said_of_what_the_record_system_has() -> None:
    call = call_of(BOOK)
    assert said(call)[-1] == "booking.confirmed"
    assert ours(call) == ["2026-12-08T10:00:00+09:00"]
    assert states(call) == [("booking_request", "done", "confirmed")]


@pytest.mark.parametrize("times", [1, None])
def test_a_lost_reply_is_looked_up_and_never_booked_twice(times: int | None) -> None:
    call = call_of(BOOK, FaultRule("book", FaultKind.LOST_REPLY, times=times))
    assert said(call)[-1] == "booking.confirmed"
    assert len(ours(call)) == 1


def test_what_nobody_knows_is_taken_down_and_not_confirmed() -> None:
    unknown = (
        FaultRule("book", FaultKind.LOST_REPLY),
        FaultRule("lookup_key", FaultKind.EMPTY),
    )
    call = call_of((*BOOK, *INQUIRE), *unknown)
    assert "booking.pending" in said(call)
    assert "확정되었" not in words(call)
    assert states(call)[0][:2] == ("booking_request", "open")
    # It stands in the record system and in the inbox, and is one visit all the same.
    (settled,) = of_kind(call, Kind.LOOKUP_SETTLED)
    told = next(e for e in of_kind(call, Kind.AGENT_SAID) if e.data["line"] == "own.told")
    assert str(told.data["heard"]).count("12월 8일") == 1
    assert settled.data["outcome"] == "completed"


def test_a_record_system_that_refuses_leaves_the_request_to_staff() -> None:
    call = call_of(BOOK, FaultRule("book", FaultKind.ERROR, error=EmrFault.FORBIDDEN))
    assert said(call)[-1] == "booking.not_written"
    assert "권한" in words(call)
    assert ours(call) == []
    assert states(call)[0][:2] == ("booking_request", "open")


def test_a_slot_taken_at_the_last_moment_is_told_and_another_offered() -> None:
    call = call_of(BOOK, FaultRule("book", FaultKind.TAKEN_SLOT, times=1))
    assert "booking.taken" in said(call)
    assert ours(call) == []
    assert states(call) == [("booking_request", "dropped", "not_written")]


def test_a_patient_staff_must_register_gets_a_request() -> None:
    new = (
        "내과 예약하고 싶어요",
        "#900101",
        "네 처음이에요",
        "한겨울이요",
        "네",
        "아무나요",
        "다음 주 화요일 오전 열 시요",
        "네",
    )
    call = call_of(new, caller="01000007777")
    assert said(call)[-1] == "booking.recorded"
    assert ours(call) == []
    assert states(call)[-1] == ("booking_request", "open", None)


def test_a_change_is_confirmed_with_the_old_one_gone() -> None:
    call = call_of(CHANGE)
    assert said(call)[-1] == "own.change_confirmed"
    assert ours(call) == ["2026-12-09T09:30:00+09:00"]
    (change,) = of_kind(call, Kind.BOOKING_COMMITTED)
    old = next(row for row in call.records if row.get("id") == change.data["replaces"])
    assert old["status"] == "cancelled"


def test_a_change_that_fails_keeps_the_old_one() -> None:
    call = call_of(CHANGE, FaultRule("reschedule", FaultKind.ERROR, error=EmrFault.UNAUTHORIZED))
    assert said(call)[-1] == "own.change_not_written"
    (change,) = of_kind(call, Kind.BOOKING_COMMITTED)
    old = next(row for row in call.records if row.get("id") == change.data["replaces"])
    assert old["status"] == "booked"
    assert ours(call) == []


def test_a_cancellation_is_confirmed_by_the_record_system() -> None:
    call = call_of(CANCEL)
    assert said(call)[-1] == "own.cancel_confirmed"
    (gone,) = of_kind(call, Kind.BOOKING_COMMITTED)
    row = next(row for row in call.records if row.get("id") == gone.data["cancels"])
    assert row["status"] == "cancelled"
    assert states(call) == [("cancel_request", "done", "confirmed")]


def test_a_person_asked_for_during_the_write_comes_after_its_result() -> None:
    lines = (*BOOK, "!상담원 바꿔 주세요")
    call = call_of(lines, FaultRule("book", FaultKind.LATENCY, seconds=2.5))
    heard = said(call)
    assert heard.index("lookup.person_after") < heard.index("booking.confirmed")
    assert any(line.startswith("transfer.") for line in heard[heard.index("booking.confirmed") :])
