"""A model that owns a talk says nothing of money on its way (T12, N6)."""

from __future__ import annotations

import pytest

from wonmu.korean.folding import fold
from wonmu.policy.money_promises import speaks_of_money_moved

pytestmark = pytest.mark.unit

PUBLISHED = fold("카드로 결제하신 금액의 환불금은 사흘 안에 지급됩니다.")


@pytest.mark.parametrize(
    "sentence",
    [
        "고객님 계좌로 송금했습니다.",
        "오늘 안에 계좌로 들어갑니다.",
        "환불금은 내일 지급 예정입니다.",
        "돈은 벌써 나갔어요.",
        "카드값에서 빠집니다 내일이면요.",
        "원무과에 얘기해서 승인받았어요.",
        "환불해 드릴게요. 처리 중이에요",
        "내일 입금됩니다.",
        "I have refunded your money.",
        '{"refund": "ok"}',
    ],
)
def test_what_no_model_may_say(sentence: str) -> None:
    assert speaks_of_money_moved(sentence, PUBLISHED)


@pytest.mark.parametrize(
    "sentence",
    [
        "카드로 결제하신 금액의 환불금은 사흘 안에 지급됩니다.",
        "환불을 원하시나요?",
        "환불해 드릴까요?",
        "수납 창구는 1층 원무과에 있습니다.",
        "카드와 현금 모두 받습니다.",
        "진단서는 진료하신 의사가 발급합니다.",
        "무엇을 도와드릴까요?",
        "네, 말씀해 주세요.",
        "계좌 번호는 여쭙지 않습니다.",
        "예약을 원하시면 말씀해 주세요.",
        "계좌 이체도 됩니다.",
        "카드나 계좌 이체로 결제하실 수 있습니다.",
        "환불은 원무과에서 도와드립니다.",
        "진료비는 1층에서 내시면 됩니다.",
        "...",
    ],
)
def test_what_stays_allowed(sentence: str) -> None:
    assert not speaks_of_money_moved(sentence, PUBLISHED)
