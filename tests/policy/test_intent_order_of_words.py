"""Wishes that are said first, with the conditions behind them, and bookings taken up again."""

from __future__ import annotations

import pytest

from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.stopping import says_goodbye, wants_to_stop

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "words",
    [
        "우리 아들 예약이요 소아과요",
        "예약이요 내일 두 시",
        "예약이요, 내과로요",
        "아까 하던 예약 계속할게요",
        "예약 이어서 해 주세요",
        "예약 마저 할게요",
        "예약 계속 진행해 주세요",
        "하던 예약 이어서 할래요",
    ],
)
def test_a_wish_said_first_is_a_wish(words: str) -> None:
    assert read_intent(words) is Intent.CREATE


@pytest.mark.parametrize(
    "words",
    [
        "예약이요 꼭 해야 되나요",
        "예약 계속 못 하고 있었어요",
        "예약 진행 상황이 어떻게 되나요",
        "예약 이어서 하지 마세요",
    ],
)
def test_a_question_or_a_refusal_is_none(words: str) -> None:
    assert read_intent(words) is not Intent.CREATE


@pytest.mark.parametrize(
    "words",
    [
        "예약 그만할래요",
        "됐어요",
        "아니 됐어요",
        "그냥 됐어요.",
        "안 할래요",
        "예약 안 할게요",
        "그만할게요",
        "다음에 다시 전화할게요",
        "나중에 할게요",
        "취소할게요",
        "그냥 취소해 주세요",
        "없던 일로 해 주세요",
        "예약은 관둘게요",
        "생각 좀 더 해 보고 다시 전화드릴게요",
    ],
)
def test_stopping_in_plain_words(words: str) -> None:
    assert wants_to_stop(words)


@pytest.mark.parametrize(
    "words",
    [
        "네",
        "아니요",
        "됐고요 세 시로 해 주세요",
        "취소하면 어떻게 되나요?",
        "취소 수수료 있나요",
        "나중에 가도 되나요",
        "다음에 가능한 시간이 언제예요",
        "김 선생님 말고 박 선생님이요",
        "그만두지 말고 계속해 주세요",
        "예약 안 하고 가도 되나요",
        "안 할 수도 있나요?",
        "네 그렇게 해 주세요",
        "나중에 오면 안 되나요",
        "오전은 안 돼요",
        "필요 없는 서류가 있나요",
    ],
)
def test_a_question_or_a_change_stops_nothing(words: str) -> None:
    assert not wants_to_stop(words)


@pytest.mark.parametrize(
    "words", ["안녕히 계세요", "네 들어가세요", "네, 수고하세요.", "감사합니다 안녕히 계세요~"]
)
def test_a_goodbye(words: str) -> None:
    assert says_goodbye(words)


@pytest.mark.parametrize(
    "words", ["안녕하세요", "수고 많으십니다 예약하려고요", "네 들어가도 되나요", "언제 들어가요"]
)
def test_no_goodbye(words: str) -> None:
    assert not says_goodbye(words)
