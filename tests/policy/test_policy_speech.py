"""One judge of what a model answers, for phone and text (T12, N6)."""

from __future__ import annotations

import pytest

from wonmu.ids import Won
from wonmu.korean.folding import fold
from wonmu.policy.claims import Act, Receipts
from wonmu.policy.speech import Answer, Judged, Leaning, Sayable, Untrue

pytestmark = pytest.mark.unit

FACTS = fold("주차는 30분에 1,000원입니다. 환불금은 사흘 안에 지급됩니다.")


def judged(*sentences: str, receipts: Receipts | None = None) -> list[Judged]:
    answer = Answer(receipts or Receipts(), frozenset({Won(1000)}), FACTS)
    return [answer.judge(sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("예약되었습니다.", "act"),
        ("미납금은 52,000원입니다.", "amount"),
        ("내일 입금됩니다.", "money_moved"),
    ],
)
def test_each_objection_has_its_kind(sentence: str, kind: str) -> None:
    assert judged(sentence) == [Untrue(kind)]


def test_what_is_published_or_proven_is_said() -> None:
    said = ("주차는 30분에 1,000원입니다.", "환불금은 사흘 안에 지급됩니다.", "네, 말씀하세요.")
    assert judged(*said) == [Sayable()] * 3
    proven = Receipts(acts=frozenset({Act.BOOK}))
    assert judged("예약이 접수되었습니다.", receipts=proven) == [Sayable()]


def test_a_statement_behind_an_untrue_one_leans_on_it_and_a_question_does_not() -> None:
    said = ("환불이 승인되었습니다.", "내일 오세요.", "더 궁금하신 점이 있으신가요?", "감사합니다.")
    assert judged(*said) == [Untrue("act"), Leaning(), Sayable(), Leaning()]


def test_a_question_is_judged_all_the_same() -> None:
    assert judged("예약되었습니다.", "52,000원 환불받으셨죠?")[1] == Untrue("amount")
