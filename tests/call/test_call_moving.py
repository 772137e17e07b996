"""A booking that is moved a little later is not offered the old day again (B3, S8)."""

from __future__ import annotations

from datetime import date, time

import pytest

from wonmu.korean.when import When
from wonmu.visit.moving import on_that_side

pytestmark = pytest.mark.unit

OLD = date(2026, 12, 4)
LATER = When(day_from=date(2026, 12, 5), day_to=date(2026, 12, 5), time_from=time(10), point=True)
EARLIER = When(day_from=date(2026, 12, 3), day_to=date(2026, 12, 3))


@pytest.mark.parametrize("words", ["하루만 늦게요", "하루 뒤로", "하루 미뤄 주세요"])
def test_later_rules_out_the_old_day_and_before(words: str) -> None:
    ruled_out = on_that_side(LATER, words, OLD).not_days
    assert OLD in ruled_out
    assert date(2026, 12, 3) in ruled_out
    assert max(ruled_out) == OLD


def test_earlier_rules_out_the_old_day_and_after() -> None:
    ruled_out = on_that_side(EARLIER, "하루만 당겨 주세요", OLD).not_days
    assert min(ruled_out) == OLD
    assert date(2026, 12, 5) in ruled_out


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (LATER, "토요일이요"),
        (LATER, "하루만 일찍이요"),
        (EARLIER, "늦게요"),
        (When(time_from=time(16), point=True), "조금 늦게 네 시요"),
    ],
)
def test_without_a_side_nothing_is_ruled_out(when: When, words: str) -> None:
    assert on_that_side(when, words, OLD) == when
