""" "방금 그거 취소해 주세요" is not about a booking when something else was done last (T9)."""

from __future__ import annotations

import pytest

from wonmu.policy.undoing import takes_back_the_last

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "words",
    ["방금 그거 취소해줘요", "아까 그거 취소할게요", "그거 취소해 주세요", "환불 취소해 주세요"],
)
def test_that_is_taken_back(words: str) -> None:
    assert takes_back_the_last(words)


@pytest.mark.parametrize(
    "words",
    ["예약 취소해 주세요", "그 예약 취소할게요", "진료 취소요", "취소해 주세요", "그거 뭐예요"],
)
def test_a_booking_that_is_named_is_a_booking(words: str) -> None:
    assert not takes_back_the_last(words)
