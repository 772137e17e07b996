"""Call backs and memos, played whole (P2, S6, T8, N6; R119)."""

from __future__ import annotations

import pytest
from transfer_parts import BEFORE, CALLER, PERSON, line_of, lines_said, notes, of_kind, played, said

from wonmu.evals.playing import hospital_named
from wonmu.timeline.events import Kind
from wonmu.transfer.port import Outcome

pytestmark = pytest.mark.scenario

UP_TO_PHONE = ("네", "진료비 문의요", "김철수요", "아무 때나요")


def test_the_number_is_read_back_digit_by_digit() -> None:
    call = played([PERSON, *UP_TO_PHONE, "네"], line_of(Outcome.BUSY))
    # In the timeline the number is masked; what was heard was it.
    assert "연락 받으실 번호는 [전화번호], 맞으신가요?" in said(call)


def test_another_number_is_taken_and_read_back() -> None:
    lines = [*UP_TO_PHONE, "아니요", "공일공 공공공공 구구구구요", "네 맞아요"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    assert call.inbox[0]["contact"] == "01000009999"
    assert lines_said(call).count("callback.phone_right") == 2
    assert "9999" not in said(call)


def test_another_number_at_once() -> None:
    lines = [*UP_TO_PHONE, "아니요 공일공 공공공공 구구구구로 해 주세요", "네"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    assert call.inbox[0]["contact"] == "01000009999"


def test_a_yes_to_no_number_is_no_agreement() -> None:
    call = played([PERSON, *UP_TO_PHONE, "아니요", "네"], line_of(Outcome.BUSY))
    assert "callback.stored" not in lines_said(call)


def test_a_window_is_kept_and_told() -> None:
    lines = ["네", "검사 결과 문의요", "김철수요", "금요일 오전이요", "네"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    window = call.inbox[0]["window"]
    assert window == {
        "words": "금요일 오전이요",
        "start": "2026-12-04T09:00:00+09:00",
        "end": "2026-12-04T12:00:00+09:00",
    }
    assert "12월 4일 금요일 오전 아홉 시부터 낮 열두 시 사이" in said(call)


def test_a_window_outside_the_hours_is_refused_with_the_hours() -> None:
    lines = ["네", "검사 결과 문의요", "김철수요", "일요일이요", "월요일 오전이요", "네"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    assert "callback.closed_then" in lines_said(call)
    assert call.inbox[0]["window"]["start"] == "2026-12-07T09:00:00+09:00"


@pytest.mark.parametrize("words", ["음", "몰라요 그냥"])
def test_what_is_not_given_is_left_out(words: str) -> None:
    lines = ["네", "진료비 문의요", "싫어요", "싫어요", words, words, "네"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    assert notes(call) == ["callback"]
    assert call.inbox[0]["window"] is None


def test_a_verified_patient_is_not_asked_for_a_name() -> None:
    lines = [*BEFORE["readback"], PERSON, "네", "예약 때문에요", "아무 때나요", "네"]
    call = played(lines, line_of(Outcome.BUSY))
    assert "memo.name" not in lines_said(call)
    assert call.inbox[0]["patient"]["name"] == "김민수"
    assert call.inbox[0]["patient"]["birth_date"] == "1985-03-12"


def test_a_memo_instead_of_a_call_back() -> None:
    lines = ["메모만 남길게요", "진료비가 두 번 나갔다고 전해 주세요", "김철수요", "네"]
    call = played([PERSON, *lines], line_of(Outcome.NO_ANSWER))
    assert notes(call) == ["memo"]
    assert "진료비가 두 번 나갔다고 전해 주세요" in call.inbox[0]["note"]
    assert lines_said(call)[-1] == "memo.stored"


def test_private_numbers_in_the_words_are_masked() -> None:
    lines = ["네", "제 주민번호 850312-1234567로 조회해 달라고요", "김철수요", "아무 때나요", "네"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    assert "850312" not in call.inbox[0]["note"]


def test_long_words_are_cut() -> None:
    lines = [
        "네",
        "아 그게요 " + "진료비가 너무 많이 나와서요 " * 30,
        "김철수요",
        "아무 때나요",
        "네",
    ]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    assert len(call.inbox[0]["note"]) <= 200


@pytest.mark.parametrize(
    "refusal", ["아니요", "아니요 괜찮아요", "됐어요", "나중에 다시 전화할게요"]
)
def test_what_is_declined_is_not_kept(refusal: str) -> None:
    call = played([PERSON, refusal], line_of(Outcome.BUSY))
    assert notes(call) == []
    assert lines_said(call)[-1] == "callback.declined"


@pytest.mark.parametrize("answers", [1, 2, 3, 4])
def test_it_can_be_stopped_at_every_question(answers: int) -> None:
    call = played([PERSON, *UP_TO_PHONE[:answers], "됐어요, 그만할게요"], line_of(Outcome.BUSY))
    assert notes(call) == []
    assert lines_said(call)[-1] == "callback.declined"


def test_ending_the_call_in_the_middle_keeps_the_request() -> None:
    call = played([PERSON, "네", "진료비 문의요", "끊을게요"], line_of(Outcome.BUSY))
    assert notes(call) == ["callback"]
    assert lines_said(call)[-2:] == ["callback.kept", "call.goodbye"]


def test_another_wish_in_the_middle_is_followed_and_the_request_kept() -> None:
    lines = ["네", "진료비 문의요", "김철수요", "아니 내과 예약하고 싶어요"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY))
    assert notes(call) == ["callback"]
    assert lines_said(call)[-2:] == ["callback.kept", "identity.birth"]


def test_a_side_question_is_answered_and_the_question_put_again() -> None:
    call = played(
        [PERSON, "네", "진료비 문의요", "주차 되나요?", "김철수요"], line_of(Outcome.BUSY)
    )
    assert "주차" in said(call)
    assert lines_said(call)[-1] == "callback.when"


def test_a_second_call_back_is_not_written_again() -> None:
    lines = [PERSON, *UP_TO_PHONE, "네", "상담원 연결해 주세요"]
    call = played(lines, line_of(Outcome.BUSY))
    assert notes(call) == ["callback"]
    assert lines_said(call)[-1] == "callback.already"


def test_a_withheld_number_is_asked_for() -> None:
    lines = [*UP_TO_PHONE, "공일공 공공공공 구구구구요", "네"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY), caller=None)
    assert call.inbox[0]["contact"] == "01000009999"


def test_no_number_at_all_is_told() -> None:
    lines = [*UP_TO_PHONE, "싫어요", "싫어요", "싫어요"]
    call = played([PERSON, *lines], line_of(Outcome.BUSY), caller=None)
    assert notes(call) == []
    assert lines_said(call)[-1] == "person.phone_missing"


def test_nothing_is_said_to_be_kept_before_it_is() -> None:
    call = played([PERSON, *UP_TO_PHONE, "네"], line_of(Outcome.BUSY))
    stored = of_kind(call, Kind.MEMO_STORED)[0]
    told = next(e for e in call.events if e.data.get("line") == "callback.stored")
    assert stored.seq < told.seq
    assert stored.data["note_kind"] == "callback"


def test_the_other_hospital_does_it_too() -> None:
    at = hospital_named("saebom")
    call = played([PERSON, *UP_TO_PHONE, "네"], line_of(Outcome.DECLINED), at=at)
    assert notes(call) == ["callback"]
    assert call.inbox[0]["contact"] == CALLER
