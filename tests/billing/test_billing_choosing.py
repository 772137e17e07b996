"""Which of several bills is meant (T9)."""

from __future__ import annotations

from datetime import date

import pytest

from wonmu.desk.billing.choosing import All, Choice, chosen, named, options
from wonmu.ids import Won
from wonmu.lines import Lines

pytestmark = pytest.mark.unit

FIRST = Choice(2, date(2026, 11, 23), "건강검진센터", Won(100_000), Won(120_000))
SECOND = Choice(5, date(2026, 11, 12), "내과", Won(12_000), Won(30_000))
BOTH = (FIRST, SECOND)


@pytest.mark.parametrize(
    ("words", "which"),
    [
        ("첫 번째요", FIRST),
        ("두 번째 거요", SECOND),
        ("십만 원짜리요", FIRST),
        ("12,000원이요", SECOND),
        ("11월 12일 거요", SECOND),
        ("23일이요", FIRST),
        ("내과 거요", SECOND),
        ("둘 다요", All()),
        ("첫 번째 두 번째 전부 다 해줘요", All()),
        ("세 번째요", None),
        ("음", None),
    ],
)
def test_the_answer_names_one_all_or_none(words: str, which: Choice | All | None) -> None:
    assert chosen(BOTH, words) == which


def test_what_was_said_before_the_question_may_name_it() -> None:
    assert named(BOTH, "11월 23일 검진비 환불해 주세요") == FIRST
    assert named(BOTH, "환불해 주세요") is None
    assert named(BOTH, "11월 23일 거 전부 다 환불해 주세요") is None


def test_a_choice_is_the_same_after_a_checkpoint() -> None:
    assert [Choice.from_json(each.to_json()) for each in BOTH] == list(BOTH)


def test_a_refund_is_told_by_what_comes_back_and_a_receipt_by_the_bill() -> None:
    lines = Lines.load()
    assert "만 이천 원" in options(lines, [SECOND], refunds=True)
    assert "삼만 원" in options(lines, [SECOND], refunds=False)
