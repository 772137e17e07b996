"""What may be spoken, by table: claims need receipts, the rest is free (T12, N6, R01-R06)."""

from __future__ import annotations

from datetime import datetime

import pytest

from wonmu.clock import SEOUL
from wonmu.policy.claims import (
    Act,
    Blocked,
    ClaimKind,
    Receipts,
    Spoken,
    check_sentence,
    looks_like_tool_call,
)

pytestmark = pytest.mark.unit

TEN = datetime(2026, 12, 8, 10, 0, tzinfo=SEOUL)
HALF_PAST_TWO = datetime(2026, 12, 9, 14, 30, tzinfo=SEOUL)

CLAIMS: tuple[tuple[str, Act], ...] = (
    ("예약이 접수되었습니다.", Act.BOOK),
    ("예약이 완료되었습니다.", Act.BOOK),
    ("예약 완료됐습니다.", Act.BOOK),
    ("예약 완료입니다.", Act.BOOK),
    ("예약이 완료됐고요, 더 도와드릴까요?", Act.BOOK),
    ("예약해 드렸습니다.", Act.BOOK),
    ("말씀하신 대로 예약해 드렸어요.", Act.BOOK),
    ("예약 잡아 드렸습니다.", Act.BOOK),
    ("잡아 드렸어요.", Act.BOOK),
    ("예약이 잘 됐습니다.", Act.BOOK),
    ("예약했습니다.", Act.BOOK),
    ("접수했어요.", Act.BOOK),
    ("접수됐습니다.", Act.BOOK),
    ("네, 접수되었어요.", Act.BOOK),
    ("예약을 12월 8일 오전 10시로 잡아 드렸습니다.", Act.BOOK),
    ("12월 8일 오전 10시로 예약되었습니다.", Act.BOOK),
    ("예약이 등록됐습니다.", Act.BOOK),
    ("예약 처리되었습니다.", Act.BOOK),
    ("예약 요청을 담당자에게 전달했습니다.", Act.BOOK),
    ("예약이 끝났어요.", Act.BOOK),
    ("예약이 됐습니다?", Act.BOOK),
    ("예약이 완료됐다고 나오네요.", Act.BOOK),
    ("예약을 진행하고 있고 접수는 완료된 상태입니다.", Act.BOOK),
    ("예약 도와드렸습니다.", Act.BOOK),
    ("예약을 받았습니다.", Act.BOOK),
    ("예약은 무사히 마무리되었습니다.", Act.BOOK),
    ("예약 변경되었습니다.", Act.CHANGE),
    ("예약을 변경해 드렸습니다.", Act.CHANGE),
    ("예약 변경 요청이 접수되었습니다.", Act.CHANGE),
    ("시간을 오후 3시로 바꿔 드렸습니다.", Act.CHANGE),
    ("예약을 다음 주로 옮겼습니다.", Act.CHANGE),
    ("예약 날짜가 바뀌었습니다.", Act.CHANGE),
    ("예약이 취소되었습니다.", Act.CANCEL),
    ("취소해 드렸어요.", Act.CANCEL),
    ("취소 완료됐어요.", Act.CANCEL),
    ("내일 예약은 취소 처리했습니다.", Act.CANCEL),
    ("취소 접수가 완료되었습니다.", Act.CANCEL),
    ("취소 처리 중입니다.", Act.CANCEL),
    ("상담원에게 연결되었습니다.", Act.CONNECT),
    ("상담원을 연결해 드렸습니다.", Act.CONNECT),
    ("지금 연결하고 있습니다.", Act.CONNECT),
    ("상담원에게 연결 중입니다.", Act.CONNECT),
    ("직원을 바꿔 드렸습니다.", Act.CONNECT),
    ("메모를 남겼습니다.", Act.MEMO),
    ("메모 남겨 드렸어요.", Act.MEMO),
    ("메모가 접수되었습니다.", Act.MEMO),
    ("담당자에게 전달했습니다.", Act.MEMO),
    ("말씀을 전달해 드렸습니다.", Act.MEMO),
    ("담당자에게 메모를 전달했습니다.", Act.MEMO),
    ("콜백 신청이 완료되었습니다.", Act.CALLBACK),
    ("회신 요청이 등록되었습니다.", Act.CALLBACK),
    ("문자 보내 드렸습니다.", Act.MESSAGE),
    ("문자를 발송했습니다.", Act.MESSAGE),
    ("예약 내용을 문자로 보냈습니다.", Act.MESSAGE),
    ("안내 문자가 전송되었습니다.", Act.MESSAGE),
    ("문자로 안내드렸습니다.", Act.MESSAGE),
    ("원무과에 말씀드렸습니다.", Act.MEMO),
)
BARE = (
    "다 됐습니다.",
    "처리되었습니다.",
    "네, 완료되었습니다.",
    "정상적으로 처리해 드렸습니다.",
    "네 됐어요.",
)

FREE: tuple[str, ...] = (
    "예약해 드릴까요?",
    "예약을 취소해 드릴까요?",
    "상담원을 연결해 드릴까요?",
    "예약되면 문자가 갑니다.",
    "예약이 완료되면 안내 문자를 보내 드립니다.",
    "예약이 완료되었으면 문자를 받으셨을 거예요.",
    "취소하시면 다시 예약하셔야 합니다.",
    "취소됐다고 들으셨군요.",
    "예약이 됐다고 하셨는데 확인해 볼게요.",
    "접수해 드리겠습니다.",
    "예약을 도와드리겠습니다.",
    "예약을 도와드리고 있습니다.",
    "상담원을 연결해 드리겠습니다.",
    "취소해 드리려면 먼저 본인 확인이 필요합니다.",
    "예약이 취소되지 않았습니다.",
    "예약이 아직 완료되지 않았습니다.",
    "아직 접수가 안 됐습니다.",
    "취소하지 못했습니다.",
    "연결이 안 됐습니다.",
    "문자를 보내지 못했습니다.",
    "예약하셨나요?",
    "예약이 되셨나요?",
    "예약은 됐어요?",
    "취소됐는지 확인해 볼게요.",
    "취소됐을 수 있으니 확인해 보겠습니다.",
    "예약 방법을 안내해 드렸습니다.",
    "예약 가능한 시간을 확인하고 있습니다.",
    "본인 확인이 완료되었습니다.",
    "예약을 위한 본인 확인이 완료되었습니다.",
    "예약이 모두 마감되었습니다.",
    "오늘 접수는 마감되었습니다.",
    "접수는 오전 8시 30분부터입니다.",
    "접수 시간은 오전 9시부터 오후 5시까지입니다.",
    "토요일 진료는 오후 1시까지입니다.",
    "점심시간은 12시 30분부터 1시 30분까지예요.",
    "평일 오전 9시에 접수 가능합니다.",
    "진료는 오전 9시에 시작합니다.",
    "진료 시간이 변경되었습니다.",
    "예약은 전화로 하실 수 있습니다.",
    "예약은 전화로 접수됩니다.",
    "저희는 예약제로 운영하고 있습니다.",
    "취소 규정이 있습니다.",
    "예약 가능한 시간이 있습니다.",
    "예약 변경은 하루 전까지 가능합니다.",
    "주차는 두 시간 무료입니다.",
    "진료비는 진료 후에 안내됩니다.",
    "어느 과로 예약하시겠어요?",
    "언제가 편하세요?",
    "12월 8일 오전 10시로 찾아볼까요?",
    "12월 8일 오전 10시 말씀이신가요?",
    "담당 선생님께 여쭤보겠습니다.",
    "정형외과 선생님은 두 분입니다.",
    "잠시만 기다려 주세요.",
    "네, 알겠습니다.",
    "",
)


@pytest.mark.parametrize(("sentence", "act"), CLAIMS)
def test_a_claim_without_its_receipt_is_blocked(sentence: str, act: Act) -> None:
    others = Receipts(acts=frozenset(set(Act) - {act}), times=frozenset({TEN}))
    assert check_sentence(sentence, Receipts()) == Blocked(ClaimKind.ACT, act)
    assert check_sentence(sentence, others) == Blocked(ClaimKind.ACT, act)


@pytest.mark.parametrize(("sentence", "act"), CLAIMS)
def test_the_same_claim_with_its_receipt_is_spoken(sentence: str, act: Act) -> None:
    afternoon = datetime(2026, 12, 8, 15, 0, tzinfo=SEOUL)
    receipts = Receipts(frozenset({act}), frozenset({TEN, afternoon}))
    assert check_sentence(sentence, receipts) == Spoken()


CONFIRMED = (
    "예약이 확정되었습니다.",
    "예약 확정되셨습니다.",
    "예약 변경이 확정됐습니다.",
    "12월 8일 오전 10시로 확정되었습니다.",
    "예약 확정입니다.",
    "네, 확정해 드렸습니다.",
)
NOT_CONFIRMED = (
    "확정되면 연락드리겠습니다.",
    "예약 확정 여부를 확인하고 있습니다.",
    "예약이 확정됐나요?",
    "직원이 확인해야 확정됩니다.",
)


@pytest.mark.parametrize("sentence", CONFIRMED)
def test_taken_down_for_staff_is_not_confirmed(sentence: str) -> None:
    acts = frozenset({Act.BOOK, Act.CHANGE})
    taken = Receipts(acts, frozenset({TEN}))
    assert check_sentence(sentence, taken) == Blocked(ClaimKind.ACT, Act.CONFIRM)
    assert check_sentence(sentence, Receipts(acts | {Act.CONFIRM}, frozenset({TEN}))) == Spoken()


@pytest.mark.parametrize("sentence", NOT_CONFIRMED)
def test_what_is_not_called_confirmed_may_be_said(sentence: str) -> None:
    assert check_sentence(sentence, Receipts(frozenset({Act.BOOK}))) == Spoken()


@pytest.mark.parametrize("sentence", BARE)
def test_done_without_a_noun_needs_some_receipt(sentence: str) -> None:
    assert check_sentence(sentence, Receipts()) == Blocked(ClaimKind.ACT)
    assert check_sentence(sentence, Receipts(frozenset({Act.MEMO}))) == Spoken()


@pytest.mark.parametrize("sentence", FREE)
def test_no_claim_is_never_blocked(sentence: str) -> None:
    assert check_sentence(sentence, Receipts(doctors=frozenset())) == Spoken()


def test_the_tables_are_broad() -> None:
    assert len(CLAIMS) + len(BARE) + len(FREE) >= 100


BOOKED = (
    "예약은 12월 8일 오전 10시입니다.",
    "12월 8일 오전 10시로 예약됩니다.",
    "예약은 12월 8일 화요일 오전 열 시예요.",
    "고객님 예약 시간은 십이월 팔일 오전 열 시입니다.",
    "12월 8일 오전 10시에 예약되어 있습니다.",
    "예약이 12월 8일 오전 10시로 잡혀 있습니다.",
    "진료 일정은 12월 8일 오전 10시입니다.",
)


@pytest.mark.parametrize("sentence", BOOKED)
def test_a_booked_time_must_be_one_of_this_call(sentence: str) -> None:
    assert isinstance(check_sentence(sentence, Receipts()), Blocked)
    assert isinstance(check_sentence(sentence, Receipts(times=frozenset({HALF_PAST_TWO}))), Blocked)
    assert check_sentence(sentence, Receipts(times=frozenset({TEN}))) == Spoken()


@pytest.mark.parametrize(
    "sentence",
    [
        "예약이 12월 8일 오전 11시로 접수되었습니다.",
        "예약이 12월 9일 오전 10시로 접수되었습니다.",
        "예약이 12월 8일 오후 10시로 접수되었습니다.",
        "예약이 12월 8일 수요일 오전 10시로 접수되었습니다.",
        "예약이 12월 8일 오전 10시 30분으로 접수되었습니다.",
        "예약이 11월 8일 오전 10시로 접수되었습니다.",
        "예약이 22시로 접수되었습니다.",
    ],
)
def test_a_receipt_does_not_cover_another_time(sentence: str) -> None:
    receipts = Receipts(frozenset({Act.BOOK}), frozenset({TEN}))
    assert check_sentence(sentence, receipts) == Blocked(ClaimKind.BOOKED_TIME)


OFFERS = (
    "12월 9일 오후 2시 30분은 어떠세요?",
    "12월 9일 오후 두 시 반이 비어 있습니다.",
    "14:30에 가능합니다.",
    "12월 9일 오후 2시 30분에 예약해 드릴까요?",
    "12월 9일에 자리가 있습니다.",
    "오후 2시 30분 괜찮으세요?",
)


@pytest.mark.parametrize("sentence", OFFERS)
def test_an_offered_time_must_come_from_a_search(sentence: str) -> None:
    assert check_sentence(sentence, Receipts()) == Blocked(ClaimKind.OFFERED_TIME)
    found = Receipts(offered=frozenset({HALF_PAST_TWO}))
    assert check_sentence(sentence, found) == Spoken()


def test_each_offered_time_is_checked_but_not_the_one_called_full() -> None:
    found = Receipts(offered=frozenset({TEN}))
    assert check_sentence("오전 10시와 11시가 가능합니다.", found) != Spoken()
    assert check_sentence("오전 9시와 10시가 가능합니다.", found) != Spoken()
    assert check_sentence("오전 9시는 찼고 10시는 가능합니다.", found) == Spoken()


EMPTY = ("예약이 없습니다.", "예약하신 내역이 없으십니다.", "예약이 조회되지 않습니다.")
FULL = ("그날은 자리가 없습니다.", "가능한 시간이 없어요.", "오전은 시간이 모두 찼습니다.")


def test_none_is_said_only_after_an_answer_that_was_empty() -> None:
    for sentence in EMPTY:
        assert check_sentence(sentence, Receipts()) == Blocked(ClaimKind.NO_BOOKING)
        assert check_sentence(sentence, Receipts(looked_up=True)) == Spoken()
    for sentence in FULL:
        assert check_sentence(sentence, Receipts()) == Blocked(ClaimKind.NO_TIMES)
        assert check_sentence(sentence, Receipts(searched=True)) == Spoken()
    assert check_sentence("예약이 없으신가요?", Receipts()) == Spoken()
    assert check_sentence("예약이 없어도 진료는 가능합니다.", Receipts()) == Spoken()


def test_a_request_recorded_is_covered_by_any_receipt() -> None:
    said = "요청하신 내용이 접수되었습니다."
    assert check_sentence(said, Receipts(frozenset({Act.CANCEL}))) == Spoken()
    assert check_sentence(said, Receipts()) == Blocked(ClaimKind.ACT)


def test_a_doctor_must_be_in_the_lists() -> None:
    lists = Receipts(doctors=frozenset({"김가온"}))
    assert check_sentence("김가온 선생님으로 예약할까요?", lists) == Spoken()
    assert check_sentence("박나루 선생님이 계십니다.", lists) == Blocked(ClaimKind.DOCTOR)
    assert check_sentence("박나루 원장님이 계십니다.", Receipts()) == Spoken()
    assert check_sentence("여자 선생님도 계십니다.", lists) == Spoken()


def test_one_false_sentence_blocks_a_text() -> None:
    text = "네, 확인했습니다. 예약이 완료되었습니다! 감사합니다."
    assert check_sentence(text, Receipts()) == Blocked(ClaimKind.ACT, Act.BOOK)


NAMES = ("booking_create", "end_call", "transfer")


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "booking_create"}\n```',
        '{"name": "booking_create", "arguments": {}}',
        "booking_create(words='예약이요')",
        "네, booking_create 를 호출합니다.",
        "<tool_call>booking_create</tool_call>",
        "<function=end_call>",
        "transfer()",
        "functions.transfer",
        "Action: transfer",
        "[TOOL_CALLS] transfer",
        "some_other_tool(1)",
        '{"tool": "x"}',
    ],
)
def test_a_tool_call_written_as_text_is_seen(text: str) -> None:
    assert looks_like_tool_call(text, NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "예약을 도와드릴까요?",
        "MRI 검사는 2층입니다.",
        "transfer 라는 말은 연결입니다.",
        "(잠시만요)",
        "",
    ],
)
def test_plain_speech_is_no_tool_call(text: str) -> None:
    assert not looks_like_tool_call(text, NAMES)
