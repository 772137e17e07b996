"""What dialogues found in the built-in model: each line was taken for something else once."""

from __future__ import annotations

import pytest

from wonmu.korean.questions import is_question
from wonmu.model.offline.heard import asks_hours
from wonmu.model.offline.intent import Wish, read_wish
from wonmu.policy.stopping import wants_to_stop

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("예약을 12월 8일 오전 아홉 시로 바꿔 주세요", Wish.CHANGE),
        ("예약한 12월 4일 금요일 오전 열 시 거 취소해 주세요", Wish.CANCEL),
    ],
)
def test_a_long_time_between_the_booking_and_what_is_to_be_done(words: str, wish: Wish) -> None:
    assert read_wish(words) is wish


@pytest.mark.parametrize(
    "words", ["로봇 수술도 하나요", "독감 접종도 해요?", "내시경 검사도 하나요"]
)
def test_a_thing_that_is_done_is_no_question_of_hours(words: str) -> None:
    assert not asks_hours(words)


@pytest.mark.parametrize(
    "words", ["토요일도 하나요", "추석에도 하나요", "내일도 해요", "점심때도 하나요"]
)
def test_a_day_that_is_open_is_one(words: str) -> None:
    assert asks_hours(words)


@pytest.mark.parametrize("words", ["아무 때나요", "언제나요", "아무나요."])
def test_any_time_is_no_question(words: str) -> None:
    assert not is_question(words)


@pytest.mark.parametrize("words", ["그냥 안 바꿀래요", "안 옮길게요", "그대로 둘게요"])
def test_not_changing_after_all_is_a_stop(words: str) -> None:
    assert wants_to_stop(words)


@pytest.mark.parametrize("words", ["바꿀게요", "그대로 해 주세요", "안 바꾸면 어떻게 되나요?"])
def test_what_only_sounds_like_it_is_none(words: str) -> None:
    assert not wants_to_stop(words)
