"""Questions whether it is done, and what only sounds like them (T12)."""

from __future__ import annotations

import pytest

from wonmu.policy.asking_done import asks_if_done

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "words",
    [
        "예약된 거죠?",
        "예약된 거 맞아요?",
        "예약 된 건가요",
        "그럼 된 거예요?",
        "네 그럼 다 된 거죠?",
        "취소 됐나요?",
        "취소는 잘 된 거 맞죠",
        "변경이 제대로 된 건가요?",
        "접수됐습니까?",
        "확정된 거 맞나요?",
    ],
)
def test_asks_if_it_is_done(words: str) -> None:
    assert asks_if_done(words)


@pytest.mark.parametrize(
    "words",
    [
        "예약하고 싶어요",
        "예약됐는데 바꾸고 싶어요",
        "예약이 되나요?",
        "내일 예약되나요?",
        "주차 되나요?",
        "취소해 주세요",
        "된장찌개",
        "네, 됐어요",
        "예약이 잘못된 것 같아요",
        "카드도 되나요?",
    ],
)
def test_something_else(words: str) -> None:
    assert not asks_if_done(words)
