"""What may be said of bills, refunds and receipts, and with which proof (T11, T12)."""

from __future__ import annotations

import pytest

from wonmu.policy.billing_claims import Known, unproven

pytestmark = pytest.mark.unit

NOTHING: set[Known] = set()
READ = {Known.INVOICES_READ, Known.SOMETHING_PAID}
ALL = set(Known)

BAD = [
    ("환불 처리되었습니다.", READ),
    ("환불이 처리되었습니다.", {Known.INVOICES_READ, Known.REFUND_REQUESTED}),
    ("환불 신청이 접수되었습니다.", READ),
    ("환불을 접수했습니다.", READ),
    ("3만 5천 원은 환불이 완료되었습니다.", {Known.REFUND_REQUESTED}),
    ("환불해 드렸습니다.", READ),
    ("영수증을 발급해 드렸습니다.", ALL),
    ("영수증 발급이 접수되었습니다.", ALL),
    ("예약되어 있습니다.", READ),
    ("담당자에게 전달했습니다.", READ),
    ("환불 내역이 없습니다.", READ),
    ("미수납 금액이 없습니다.", NOTHING),
    ("미수납 금액은 없습니다.", READ),
    ("진료비 내역이 없습니다.", NOTHING),
    ("11월 20일 진료비는 모두 결제되었습니다.", NOTHING),
    ("환불 완료.", READ),
    ("35,000원을 환불 처리하였습니다.", READ),
    ("고객님 계좌로 입금해 드렸습니다.", READ),
    ("환불 신청 완료했습니다.", READ),
    ("처리되었습니다.", READ),
    ("접수되었습니다.", READ),
    ("환불 35000원이 오늘 입금되었습니다.", {Known.REFUND_REQUESTED}),
    ("네, 환불 접수 도와드렸습니다.", READ),
    ("환불이 승인되었습니다.", {Known.REFUND_REQUESTED}),
    ("환불 신청은 반려되었습니다.", {Known.REFUND_REQUESTED}),
    ("환불은 처리 중입니다.", READ),
    ("예약을 취소해 드렸습니다.", READ),
    ("문자로 보내 드렸습니다.", READ),
    ("수납 처리해 드렸습니다.", ALL),
    ("세부내역서를 신청해 두었습니다.", ALL),
    ("환불 신청을 넣어 드렸습니다.", ALL),
    ("환불받으실 금액이 없습니다.", NOTHING),
]

GOOD = [
    ("환불은 12월 1일에 신청되어 처리 중입니다.", {Known.REFUND_REQUESTED}),
    ("환불 신청이 접수되어 병원에서 확인하고 있습니다.", {Known.REFUND_REQUESTED}),
    ("11월 20일 내과 진료비 35,000원이 수납 완료되었습니다.", READ),
    ("11월 20일 진료비는 모두 결제되었습니다.", READ),
    ("환불을 신청해 드릴까요?", READ),
    ("환불 내역이 없습니다.", {Known.REFUNDS_READ, Known.NO_REFUND}),
    ("미수납 금액이 없습니다.", {Known.INVOICES_READ, Known.NOTHING_DUE}),
    ("10월 진료비는 내실 금액이 없습니다.", READ),
    ("11월 20일 내과 외래 진료비는 35,000원이고 수납이 끝났습니다.", READ),
    ("진단서는 2만 원입니다.", NOTHING),
    ("환불 신청이 반려되었습니다.", {Known.REFUND_REJECTED}),
    ("취소된 진료의 진료비 2만 원을 돌려받으실 수 있습니다.", READ | {Known.VISIT_CANCELLED}),
    ("11월 20일 진료는 취소되었습니다.", READ | {Known.VISIT_CANCELLED}),
    ("환불은 승인되었고, 지급을 기다리고 있습니다.", {Known.REFUND_APPROVED}),
    ("11월 20일 검사료 20,000원 환불은 12월 3일 목요일에 지급되었습니다.", {Known.REFUND_PAID_OUT}),
    ("환불 신청은 받아들여지지 않았습니다.", {Known.REFUND_REJECTED}),
    ("환불 가능한 금액은 20,000원입니다.", READ),
    ("영수증은 수납이 완료된 진료비에 대해 신청하실 수 있습니다.", READ),
    ("수납이 완료되어 영수증을 신청하실 수 있습니다.", READ),
    ("진료비 세부내역서를 신청하실 수 있습니다.", READ),
    ("환불을 신청하시려면 동의가 필요합니다.", READ),
    ("환불은 아직 신청되지 않았습니다.", {Known.REFUNDS_READ, Known.NO_REFUND}),
    ("요청하신 환불 내역을 확인했습니다.", {Known.REFUNDS_READ, Known.REFUND_REQUESTED}),
    ("11월 20일 내과 외래 진료비는 50,000원이고, 아직 30,000원을 내셔야 합니다.", READ),
    ("이미 환불이 신청되어 있습니다.", {Known.REFUND_REQUESTED}),
    ("돌려받으실 금액이 확인되지 않습니다.", READ),
    ("수납이 끝난 진료비가 확인되지 않아 그 서류는 신청하실 수 없습니다.", READ),
    ("진료기록 사본은 한 장에 1,000원이고 발급에는 신분증이 필요합니다.", NOTHING),
    ("말씀하신 서류의 수수료는 확인되지 않습니다.", NOTHING),
    ("12월 1일에 접수되었습니다.", {Known.REFUND_REQUESTED}),
    ("환불 신청이 가능합니다. 동의하시면 신청이 접수됩니다.", READ),
    ("진단서 발급 수수료는 20,000원입니다.", NOTHING),
    ("확인한 결과 환불이 진행되면 계좌로 입금됩니다.", READ),
    ("등록된 진료비 내역이 없습니다.", {Known.INVOICES_READ}),
    ("35,000원을 카드로 결제하셨습니다.", READ),
]


@pytest.mark.parametrize(("words", "known"), BAD)
def test_without_its_proof_it_is_not_said(words: str, known: set[Known]) -> None:
    assert unproven(words, frozenset(known)) is not None


@pytest.mark.parametrize(("words", "known"), GOOD)
def test_with_its_proof_or_without_a_claim_it_is_said(words: str, known: set[Known]) -> None:
    assert unproven(words, frozenset(known)) is None


def test_the_first_sentence_without_proof_is_named() -> None:
    text = "진료비는 35,000원입니다. 환불 처리되었습니다. 감사합니다."
    assert unproven(text, frozenset(READ)) == " 환불 처리되었습니다."


@pytest.mark.parametrize("words", ["환불 처리되었습니다?", "환불이 접수되었습니다?"])
def test_a_question_mark_makes_no_question_of_a_statement(words: str) -> None:
    assert unproven(words, frozenset(READ)) is not None


def test_questions_are_asked_freely() -> None:
    for words in (
        "환불을 신청할까요?",
        "영수증이 발급되었나요?",
        "환불이 접수되었는지 확인할까요?",
    ):
        assert unproven(words, frozenset()) is None
