"""Asking for a person, played whole: every outcome from every place, once a request (P1–P3, N4,
N5; R110–R119)."""

from __future__ import annotations

from datetime import date

import pytest
from transfer_parts import (
    BEFORE,
    PERSON,
    ended,
    line_of,
    lines_said,
    notes,
    of_kind,
    outcomes,
    played,
    said,
)

from wonmu.evals.playing import Played, hospital_named
from wonmu.hospital.config import ActionMode, Hospital
from wonmu.timeline.events import Kind
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Attempt, Noted

pytestmark = pytest.mark.scenario

NOT_REACHED = (
    Outcome.NO_ANSWER,
    Outcome.BUSY,
    Outcome.DECLINED,
    Outcome.VOICEMAIL,
    Outcome.FAILED,
)
CALL_ME = ("네", "진료비 문의요", "김철수요", "아무 때나요", "네")
"""Answers to the offer, what for, who, when, and the number."""


def seconds_between(call: Played, first: Kind, last: Kind) -> float:
    return of_kind(call, last)[0].mono - of_kind(call, first)[0].mono


# Connected ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", list(BEFORE))
def test_from_every_place_a_person_is_reached_without_a_further_question(place: str) -> None:
    line = line_of(Outcome.CONNECTED)
    call = played([*BEFORE[place], PERSON, "여보세요?"], line)
    assert outcomes(call) == ["connected"]
    assert ended(call) == "transferred"
    assert line.noted(Noted.JOINED) == 1
    assert notes(call) == []
    asked = next(e for e in call.events if e.data.get("text") == PERSON)
    first = next(e for e in of_kind(call, Kind.AGENT_SAID) if e.seq > asked.seq)
    assert first.data["line"] == "transfer.connecting"
    # R118: the way to a person begins well within 20 s of the first request.
    assert of_kind(call, Kind.TRANSFER_STARTED)[0].mono - asked.mono < 4


@pytest.mark.parametrize("ring", [0.0, 0.5, 4.0, 20.0])
def test_the_announcement_is_over_before_the_join_and_no_gap_follows(ring: float) -> None:
    line = line_of(Attempt(Outcome.CONNECTED, ring_seconds=ring, consult_seconds=0))
    call = played([PERSON], line)
    last = of_kind(call, Kind.AGENT_SAID)[-1]
    settled = of_kind(call, Kind.TRANSFER_SETTLED)[0]
    assert last.data["full"] is True
    assert last.seq < settled.seq
    if ring < 1:
        assert settled.mono - last.mono <= 1


def test_after_the_join_nothing_is_said_and_nothing_runs() -> None:
    line = line_of(Attempt(Outcome.CONNECTED, ring_seconds=1, consult_seconds=0))
    call = played([PERSON, "!예약 취소해 주세요", "!내과 예약하고 싶어요"], line)
    settled = of_kind(call, Kind.TRANSFER_SETTLED)[0]
    later = [event for event in call.events if event.seq > settled.seq]
    assert {event.kind for event in later} <= {
        Kind.TERMINAL_LATCHED,
        Kind.TASK_LEFT,
        Kind.TOOL_ENDED,
        Kind.CALLER_HEARD,
        Kind.CALL_ENDED,
    }


def test_staff_is_told_who_only_when_it_is_known_who() -> None:
    unknown = line_of(Outcome.CONNECTED)
    played([PERSON], unknown)
    known = line_of(Outcome.CONNECTED)
    played([*BEFORE["readback"], PERSON], known)
    (before,), (after,) = (
        [note.briefing for note in line.record if note.briefing] for line in (unknown, known)
    )
    assert before.patient is None
    assert before.caller_phone == "01000001234"
    assert after.patient is not None
    assert (after.patient.name, after.patient.birth_date) == ("김민수", date(1985, 3, 12))
    assert after.done == ("본인 확인됨", "예약 진행 중")


def test_the_briefing_in_the_timeline_holds_no_birth_date() -> None:
    call = played([*BEFORE["readback"], PERSON], line_of(Outcome.CONNECTED))
    told = of_kind(call, Kind.TRANSFER_BRIEFED)[0].data
    assert set(told) == {"purpose", "patient", "caller", "done"}
    assert "1985" not in str(told)


# Not connected --------------------------------------------------------------------------------


@pytest.mark.parametrize("place", list(BEFORE))
@pytest.mark.parametrize("outcome", NOT_REACHED)
def test_the_truth_is_told_and_a_call_back_is_kept(outcome: Outcome, place: str) -> None:
    answers = [a for a in CALL_ME if not (place == "readback" and a == "김철수요")]
    call = played([*BEFORE[place], PERSON, *answers], line_of(outcome))
    assert outcomes(call) == [outcome.value]
    spoken = lines_said(call)
    told = "unanswered" if outcome is Outcome.NO_ANSWER else outcome.value
    assert f"transfer.{told}" in spoken
    assert spoken[-1] == "callback.stored"
    assert notes(call) == ["callback"]
    row = call.inbox[0]
    assert row["contact"] == "01000001234"
    assert "진료비 문의요" in row["note"]
    assert row["patient"]["name"] == ("김민수" if place == "readback" else "김철수")


def test_each_outcome_has_words_of_its_own() -> None:
    told = {said(played([PERSON], line_of(outcome))).splitlines()[-2] for outcome in NOT_REACHED}
    assert len(told) == len(NOT_REACHED)


@pytest.mark.parametrize(
    ("outcome", "most"), [(Outcome.NO_ANSWER, 30), (Outcome.BUSY, 3), (Outcome.FAILED, 3)]
)
def test_the_caller_is_back_within_the_limit(outcome: Outcome, most: float) -> None:
    call = played([PERSON], line_of(outcome))
    assert seconds_between(call, Kind.TRANSFER_STARTED, Kind.TRANSFER_SETTLED) <= most


def test_somebody_who_never_accepts_does_not_hold_the_caller() -> None:
    call = played([PERSON], line_of(Attempt(Outcome.CONNECTED, consult_seconds=500)))
    assert outcomes(call) == ["no_answer"]
    assert of_kind(call, Kind.TRANSFER_SETTLED)[0].mono < 90


def test_a_long_wait_is_explained() -> None:
    call = played([PERSON], line_of(Outcome.NO_ANSWER))
    assert "transfer.still" in lines_said(call)
    assert len(of_kind(call, Kind.TRANSFER_HOLD)) >= 5


def test_a_mailbox_is_told_nothing() -> None:
    line = line_of(Outcome.VOICEMAIL)
    call = played([PERSON], line)
    assert line.noted(Noted.BRIEFED) == 0
    assert of_kind(call, Kind.TRANSFER_BRIEFED) == []


@pytest.mark.parametrize(
    ("now", "line"),
    [
        ("2026-12-01T20:00+09:00", "transfer.outside_hours_until"),
        ("2026-12-06T10:00+09:00", "transfer.outside_hours_until"),
        ("2026-12-01T13:30+09:00", "transfer.outside_hours_until"),
    ],
)
def test_outside_the_hours_nobody_is_dialled(now: str, line: str) -> None:
    staff = line_of(Outcome.CONNECTED)
    call = played([PERSON, *CALL_ME], staff, now=now)
    assert outcomes(call) == ["outside_hours"]
    assert staff.record == []
    assert of_kind(call, Kind.TRANSFER_STARTED) == []
    assert line in lines_said(call)
    assert notes(call) == ["callback"]


def test_the_next_hours_are_named() -> None:
    call = played([PERSON], line_of(Outcome.CONNECTED), now="2026-12-05T14:00+09:00")
    assert "12월 7일 월요일 오전 아홉 시" in said(call)


def test_without_a_line_the_caller_is_told_so() -> None:
    call = played([PERSON])
    assert outcomes(call) == ["failed"]
    assert "바로 연결해 드릴 수 없습니다" in said(call)
    # The caller just hung up: the request is in the inbox all the same.
    assert notes(call) == ["callback"]


def test_a_hospital_without_a_desk_keeps_the_request() -> None:
    at = hospital_named("hanbit").model_copy(update={"desk": None})
    call = played([PERSON], line_of(Outcome.CONNECTED), at=at)
    assert outcomes(call) == ["failed"]
    assert notes(call) == ["callback"]


# Offered, asked twice, called off -------------------------------------------------------------


def test_an_offered_person_is_dialled_after_the_yes() -> None:
    line = line_of(Outcome.CONNECTED)
    call = played(["강아지 데려가도 되나요?", "네"], line)
    assert outcomes(call) == ["connected"]
    briefing = next(note.briefing for note in line.record if note.briefing)
    assert briefing.purpose == "강아지 데려가도 되나요?"


@pytest.mark.parametrize("answer", ["아니요", "음", "감사합니다", "네?", "병원 주소가 어디예요?"])
def test_an_offer_without_a_yes_dials_nobody(answer: str) -> None:
    line = line_of(Outcome.CONNECTED)
    call = played(["강아지 데려가도 되나요?", answer], line)
    assert outcomes(call) == []
    assert line.record == []


@pytest.mark.parametrize("again", [f"!{PERSON}", "!상담원이요 상담원", "!네 연결해 주세요"])
def test_asking_again_meanwhile_dials_once(again: str) -> None:
    line = line_of(Outcome.CONNECTED)
    call = played([PERSON, again], line)
    assert line.noted(Noted.RUNG) == 1
    assert outcomes(call) == ["connected"]


def test_asking_again_right_after_dials_once() -> None:
    line = line_of(Outcome.BUSY)
    call = played([PERSON, "상담원 바꿔 달라니까요", *CALL_ME], line)
    assert line.noted(Noted.RUNG) == 1
    assert "callback.offer" in lines_said(call)
    assert lines_said(call).count("callback.offer_again") == 1
    assert notes(call) == ["callback"]


def test_a_new_request_later_is_a_new_transfer() -> None:
    line = line_of(Outcome.BUSY, Outcome.CONNECTED)
    call = played([PERSON, "아니요", "주차 되나요?", "상담원 연결해 주세요"], line)
    assert outcomes(call) == ["busy", "connected"]
    assert ended(call) == "transferred"


@pytest.mark.parametrize(
    ("words", "wait"),
    [
        ("!됐어요, 그만할게요", ()),
        ("!취소요", ("/wait 1",)),
        ("!연결 안 해도 돼요", ("/wait 6",)),
        ("!됐어요", ("/wait 9",)),
    ],
)
def test_the_caller_can_call_it_off(words: str, wait: tuple[str, ...]) -> None:
    line = line_of(Attempt(Outcome.CONNECTED, ring_seconds=10, consult_seconds=5))
    call = played([PERSON, *wait, words, "주차 되나요?"], line)
    settled = of_kind(call, Kind.TRANSFER_SETTLED)
    assert [dict(event.data) for event in settled] == [
        {"outcome": "failed", "reason": "cancelled_by_caller"}
    ]
    assert line.noted(Noted.JOINED) == 0
    assert line.noted(Noted.STOPPED_RINGING) + line.noted(Noted.RELEASED) == 1
    assert "transfer.called_off" in lines_said(call)
    assert notes(call) == []


@pytest.mark.parametrize(
    "words",
    ["!예약 취소하려고요", "!네 연결해 주세요", "!주차 되나요?", "!여보세요", "!내과 예약이요"],
)
def test_nothing_else_said_on_hold_does_anything(words: str) -> None:
    line = line_of(Outcome.CONNECTED)
    call = played([PERSON, "/wait 1", words], line)
    assert outcomes(call) == ["connected"]
    tools = [event.data["name"] for event in of_kind(call, Kind.TOOL_STARTED)]
    assert tools == ["connect_person"]


def test_hanging_up_in_words_keeps_the_request() -> None:
    call = played([PERSON, "/wait 1", "!끊을게요"], line_of(Outcome.NO_ANSWER))
    assert of_kind(call, Kind.TRANSFER_SETTLED)[0].data["reason"] == "end_call"
    assert notes(call) == ["callback"]
    assert ended(call) == "end_call"


def test_an_emergency_on_hold_is_answered_and_the_hold_goes_on() -> None:
    line = line_of(Outcome.CONNECTED)
    call = played([PERSON, "/wait 1", "!숨을 못 쉬겠어요"], line)
    assert of_kind(call, Kind.EMERGENCY_SPOKEN)
    assert outcomes(call) == ["connected"]


def test_keys_on_hold_do_nothing() -> None:
    call = played([PERSON, "/wait 1", "#123"], line_of(Outcome.CONNECTED))
    assert outcomes(call) == ["connected"]


# Modes ----------------------------------------------------------------------------------------


def with_mode(mode: ActionMode) -> Hospital:
    hospital = hospital_named("hanbit")
    actions = hospital.actions.model_copy(
        update=dict.fromkeys(("create", "inquire", "change", "cancel"), mode)
    )
    return hospital.model_copy(update={"actions": actions})


WISHES = {
    "create": "내과 예약하고 싶어요",
    "inquire": "제 예약 확인해 주세요",
    "change": "예약 변경하고 싶어요",
    "cancel": "예약 취소하고 싶어요",
}


@pytest.mark.parametrize(
    ("wish", "outcome"),
    [*((wish, Outcome.CONNECTED) for wish in WISHES), ("create", Outcome.NO_ANSWER)],
)
def test_in_transfer_mode_a_person_does_it(wish: str, outcome: Outcome) -> None:
    line = line_of(outcome)
    call = played([WISHES[wish]], line, at=with_mode(ActionMode.TRANSFER))
    assert outcomes(call) == [outcome.value]
    assert "transfer.connecting_by_mode" in lines_said(call)
    assert notes(call) == ([] if outcome is Outcome.CONNECTED else ["callback"])
    assert of_kind(call, Kind.LOOKUP_SETTLED, Kind.BOOKING_SEARCHED, Kind.IDENTITY_SETTLED) == []


@pytest.mark.parametrize("wish", list(WISHES))
def test_in_memo_mode_a_memo_is_taken(wish: str) -> None:
    line = line_of(Outcome.CONNECTED)
    lines = [WISHES[wish], "다음 주에 김서연 원장님이요", "김철수요", "네"]
    call = played(lines, line, at=with_mode(ActionMode.LEAVE_MEMO))
    assert line.record == []
    assert notes(call) == ["memo"]
    row = call.inbox[0]
    assert WISHES[wish] in row["note"]
    assert "김서연 원장님" in row["note"]
    assert row["patient"]["name"] == "김철수"
    assert lines_said(call)[-1] == "memo.stored"
    assert of_kind(call, Kind.LOOKUP_SETTLED, Kind.BOOKING_SEARCHED, Kind.IDENTITY_SETTLED) == []


def test_in_transfer_mode_outside_the_hours_nobody_is_dialled() -> None:
    staff = line_of(Outcome.CONNECTED)
    at = with_mode(ActionMode.TRANSFER)
    call = played([WISHES["create"]], staff, at=at, now="2026-12-01T20:00+09:00")
    assert outcomes(call) == ["outside_hours"]
    assert staff.record == []
    assert notes(call) == ["callback"]
