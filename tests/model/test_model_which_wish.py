"""The question which of the four is wanted is narrowed, never asked for ever (T3, R78)."""

from __future__ import annotations

import pytest
from model_talk import ask, desk_request

from wonmu.model.offline.intent import Wish, answers_which, read_wish
from wonmu.model.offline.phrases import phrase

pytestmark = pytest.mark.unit

WHICH = phrase("which_booking")


def test_a_bare_yes_to_which_of_the_four_is_narrowed_to_a_new_booking() -> None:
    got = ask(desk_request("예약 관련해서요", WHICH, "네"))
    assert got.text == phrase("propose_new")


def test_vague_answers_are_narrowed_and_at_last_a_person_is_offered() -> None:
    more = phrase("propose_new")
    third = ask(desk_request("예약 문의요", WHICH, "네", more, "예약 건이라니까요"))
    assert third.text == phrase("unclear_3")
    day_again = ask(desk_request("저기요", WHICH, "내일", more, "내일"))
    assert day_again.text == phrase("unclear_3")


@pytest.mark.parametrize("asked", ["which_booking", "symptom", "propose_new"])
def test_a_department_named_in_answer_to_an_offer_goes_to_the_gate(asked: str) -> None:
    got = ask(desk_request("저기요", phrase(asked), "정형외과요"))
    assert got.tool == "create_booking"
    assert got.arguments["department"] == "정형외과"


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("이번 주 금요일이요", Wish.NONE),
        ("우리 손자가 이번에 대학 갔어요", Wish.NONE),
        ("이 번이요", Wish.INQUIRE),
        ("삼번으로요", Wish.CHANGE),
    ],
)
def test_this_week_is_not_the_second_choice(words: str, wish: Wish) -> None:
    assert answers_which(words) is wish


@pytest.mark.parametrize("words", ["내과 예약 쪼매 하입시더", "정형외과 예약 좀 할라카는데"])
def test_dialect_wishes_to_book(words: str) -> None:
    assert read_wish(words) is Wish.CREATE
