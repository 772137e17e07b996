"""Amounts that no tool returned are found, however they are written (T12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.ids import Won
from wonmu.korean.won import speak_won, won_text
from wonmu.policy.amounts import published_amounts, unproven_amounts

pytestmark = pytest.mark.unit

ALLOWED = frozenset({Won(35_000), Won(15_000)})


@pytest.mark.parametrize(
    ("sentence", "unproven"),
    [
        ("진료비는 35,000원이고 삼만 오천 원을 내셨습니다.", ()),
        ("내일 오전 열 시에 뵙겠습니다.", ()),
        ("35,100원이 남았습니다.", (35_100,)),
        ("3만5천원 중 이만 원을 환불해 드립니다.", (20_000,)),
        ("0원입니다.", (0,)),
        ("만 오천 원, 1만 원, 구천 원", (10_000, 9_000)),
        ("총 36,000입니다.", (36_000,)),
        ("그럼 40,000원을 돌려 드릴까요?", (40_000,)),
    ],
)
def test_what_no_tool_returned(sentence: str, unproven: tuple[int, ...]) -> None:
    assert unproven_amounts(sentence, ALLOWED) == unproven


@given(st.sets(st.integers(0, 10**9)), st.integers(0, 10**9))
def test_an_amount_is_proven_to_the_won_or_not_at_all(known: set[int], stated: int) -> None:
    allowed = frozenset(map(Won, known))
    for text in (won_text(stated), speak_won(stated)):
        assert unproven_amounts(text, allowed) == (() if stated in known else (stated,))


def test_published_amounts_may_be_told() -> None:
    facts = "- 진단서: 20,000원, 추가 1,000원\n- 주차: 처음 30분 무료, 10분마다 500원"
    assert published_amounts(facts) == {20_000, 1_000, 500}
    assert unproven_amounts("진단서는 이만 원입니다.", published_amounts(facts)) == ()
