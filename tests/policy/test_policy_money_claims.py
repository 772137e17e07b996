"""What may be said of refunds, receipts and payments, by what was really read (T11, T12)."""

from __future__ import annotations

import pytest

from wonmu.desk.billing.port import RefundState
from wonmu.policy.billing_claims import Known, unproven
from wonmu.policy.claims import Act, Blocked, ClaimKind, Receipts, Spoken, check_sentence
from wonmu.policy.money_claims import APPROVED, PAID_OUT, REQUESTED

pytestmark = pytest.mark.unit

NOTHING = Receipts()
REFUND_TAKEN = Receipts(acts=frozenset({Act.REFUND}))
RECEIPT_TAKEN = Receipts(acts=frozenset({Act.RECEIPT}))


def read(*names: str) -> Receipts:
    return Receipts(billing_read=frozenset(names))


def refunds(*states: str) -> Receipts:
    return read("refunds", *states)


BLOCKED: tuple[tuple[str, Receipts, ClaimKind, Act | None], ...] = (
    *(
        (sentence, NOTHING, ClaimKind.ACT, Act.REFUND)
        for sentence in (
            "환불 신청되었습니다.",
            "환불 신청이 접수되었습니다.",
            "환불을 접수했습니다.",
            "환불 신청해 드렸어요.",
            "환급 신청이 완료됐습니다.",
            "환불 처리되었습니다.",
            "환불 처리 중입니다.",
            "네, 환불해 드렸습니다.",
            "환불은 이미 신청되어 있습니다.",
        )
    ),
    *(
        (sentence, REFUND_TAKEN, ClaimKind.ACT, Act.REFUND)
        for sentence in (
            "환불 처리했습니다.",
            "환불되었습니다.",
            "환불이 완료되었습니다.",
            "환불이 정상적으로 완료됐습니다.",
            "환불해 드렸습니다.",
            "환불금이 입금되었습니다.",
            "35,000원 환불이 승인되었습니다.",
            "환불을 받으셨습니다.",
        )
    ),
    ("환불 신청이 접수되었습니다.", refunds(PAID_OUT), ClaimKind.ACT, Act.REFUND),
    ("환불은 11월 3일에 지급되었습니다.", refunds(REQUESTED), ClaimKind.ACT, Act.REFUND),
    ("환불을 받으셨습니다.", refunds(APPROVED), ClaimKind.ACT, Act.REFUND),
    ("환불이 승인되었습니다.", refunds(REQUESTED), ClaimKind.ACT, Act.REFUND),
    ("환불은 이미 신청되어 있습니다.", refunds(), ClaimKind.ACT, Act.REFUND),
    ("영수증 신청이 접수되었습니다.", NOTHING, ClaimKind.ACT, Act.RECEIPT),
    ("세부내역서를 신청해 드렸습니다.", NOTHING, ClaimKind.ACT, Act.RECEIPT),
    ("영수증이 발급되었습니다.", RECEIPT_TAKEN, ClaimKind.ACT, Act.RECEIPT),
    ("진단서를 보내 드렸습니다.", RECEIPT_TAKEN, ClaimKind.ACT, Act.RECEIPT),
    ("확인서 발급 완료되었습니다.", RECEIPT_TAKEN, ClaimKind.ACT, Act.RECEIPT),
    ("수납이 완료되었습니다.", NOTHING, ClaimKind.PAID, None),
    ("결제가 완료됐습니다.", refunds(), ClaimKind.PAID, None),
    ("모두 내셨습니다.", NOTHING, ClaimKind.PAID, None),
    ("35,000원을 내셨습니다.", NOTHING, ClaimKind.PAID, None),
    *(
        (sentence, refunds(), ClaimKind.NO_INVOICES, None)
        for sentence in (
            "미납금이 없습니다.",
            "네, 미수금은 하나도 없으십니다.",
            "미납금은 0원입니다.",
            "내실 금액이 없습니다.",
            "밀린 진료비는 없으세요.",
            "진료비 내역이 조회되지 않습니다.",
            "수납하실 건이 없는 것으로 나옵니다.",
        )
    ),
    *(
        (sentence, read("invoices"), ClaimKind.NO_REFUNDS, None)
        for sentence in (
            "환불 내역이 없습니다.",
            "접수된 환불이 없네요.",
            "환불 신청하신 게 없네요.",
            "환불받으실 금액이 없습니다.",
            "돌려받으실 금액은 없습니다.",
        )
    ),
)

FREE: tuple[tuple[str, Receipts], ...] = (
    ("환불 신청이 접수되었습니다.", REFUND_TAKEN),
    ("환불 신청해 드렸습니다.", REFUND_TAKEN),
    ("환불을 접수했습니다.", REFUND_TAKEN),
    ("영수증 신청이 접수되었습니다.", RECEIPT_TAKEN),
    ("세부내역서를 신청해 드렸습니다.", RECEIPT_TAKEN),
    ("환불은 이미 신청되어 있습니다.", refunds(REQUESTED)),
    ("15,000원 환불은 11월 3일에 신청되어 병원에서 확인하고 있습니다.", refunds(REQUESTED)),
    ("환불은 승인되었고, 지급을 기다리고 있습니다.", refunds(APPROVED)),
    ("70,000원 환불은 10월 23일 금요일에 지급되었습니다.", refunds(PAID_OUT)),
    ("환불을 받으셨습니다.", refunds(PAID_OUT)),
    ("미납금이 없습니다.", read("invoices")),
    ("수납이 완료되었습니다.", read("invoices")),
    ("모두 내셨습니다.", read("payments")),
    ("환불 내역이 없습니다.", refunds()),
    ("11월 20일 진료비는 35,000원이고 아직 내실 금액이 있습니다.", read("invoices")),
    *(
        (sentence, NOTHING)
        for sentence in (
            "환불해 드릴까요?",
            "환불을 신청해 드리겠습니다.",
            "환불 신청하셨나요?",
            "환불됐나요?",
            "결제하셨나요?",
            "미납금이 없으신가요?",
            "환불이 완료되면 문자를 보내 드립니다.",
            "미납금이 없으시면 바로 발급됩니다.",
            "환불은 영업일 기준 3일 안에 처리됩니다.",
            "환불 규정이 있습니다.",
            "환불 수수료는 없습니다.",
            "추가 비용은 없습니다.",
            "환불을 원하시는군요.",
            "환불 문의를 확인하고 있습니다.",
            "환불 신청됐는지 확인해 보겠습니다.",
            "환불 신청은 받아들여지지 않았습니다.",
            "아직 환불되지 않았습니다.",
            "환불 신청을 기록하지 못했습니다.",
            "환불 내역을 확인하지 못했습니다.",
            "수납 내역을 확인하지 못했습니다.",
            "미납금이 있습니다.",
            "진단서는 의사에게 요청하시면 됩니다.",
            "영수증은 1층 원무과에서 발급해 드립니다.",
            "진단서 발급 비용은 20,000원입니다.",
            "서류를 준비하셨나요?",
            "수납은 1층에서 하시면 됩니다.",
            "결제는 카드와 현금 모두 됩니다.",
            "진료비는 진료 후에 안내됩니다.",
            "카드로 결제하신 진료비입니다.",
        )
    ),
)


@pytest.mark.parametrize(("sentence", "receipts", "kind", "act"), BLOCKED)
def test_it_needs_what_the_ledger_told(
    sentence: str, receipts: Receipts, kind: ClaimKind, act: Act | None
) -> None:
    assert check_sentence(sentence, receipts) == Blocked(kind, act)


@pytest.mark.parametrize(("sentence", "receipts"), FREE)
def test_it_may_be_said(sentence: str, receipts: Receipts) -> None:
    assert check_sentence(sentence, receipts) == Spoken()


def test_a_time_of_day_is_an_offer_though_money_is_spoken_of() -> None:
    sentence = "진료비는 삼만 원이고, 12월 9일 오전 열 시 진료가 가능합니다."
    assert check_sentence(sentence, NOTHING) == Blocked(ClaimKind.OFFERED_TIME)


def test_names_of_states_are_those_that_the_tools_tell() -> None:
    told = {f"refund_{state.value}" for state in RefundState}
    assert {REQUESTED, APPROVED, PAID_OUT} < told


def test_the_billing_desk_has_booked_nothing() -> None:
    for booked in ("12월 8일에 예약되어 있습니다.", "12월 8일에 예약이 있으십니다."):
        assert unproven(booked, frozenset({Known.INVOICES_READ})) == booked
