"""Moments and birth dates recognised in words, apart from the code that composes them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from wonmu.clock import SEOUL
from wonmu.timeline.spoken import birth_spellings, leaks, says_start, sino

pytestmark = pytest.mark.unit


def at(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("12월 8일 화요일 오전 열 시 삼십 분", at(12, 8, 10, 30)),
        ("12월 8일 화요일 오전 10시 30분", at(12, 8, 10, 30)),
        ("12월 8일 화요일 오전 열 시 반", at(12, 8, 10, 30)),
        ("십이월 팔일 화요일 오전 10:30", at(12, 8, 10, 30)),
        ("12월 8일 화요일 오후 두 시로", at(12, 8, 14)),
        ("12월 8일 화요일 낮 열두 시", at(12, 8, 12)),
        ("12월 8일 화요일 오후 열두 시 사십오 분", at(12, 8, 12, 45)),
        ("유월 이일 화요일 오전 아홉 시", at(6, 2, 9)),
        ("시월 육일 화요일 저녁 여섯 시 십오 분", at(10, 6, 18, 15)),
        ("12월 8일 화요일 오전 열한 시", datetime(2026, 12, 8, 2, tzinfo=UTC)),
    ],
)
def test_a_start_is_recognised(words: str, start: datetime) -> None:
    assert says_start(words, start)


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("12월 8일 화요일 오전 열한 시", at(12, 8, 13)),
        ("12월 8일 화요일 오후 열한 시", at(12, 8, 13)),
        ("12월 8일 화요일 오전 열 시", at(12, 8, 10, 30)),
        ("12월 8일 화요일 오전 열 시 삼십 분", at(12, 8, 10)),
        ("12월 8일 화요일 오전 열 시 반", at(12, 8, 10)),
        ("12월 18일 화요일 오전 열 시", at(12, 8, 10)),
        ("12월 8일 화요일 오전 열 시", at(2, 8, 10)),
        ("십이월 팔일 화요일 오전 열 시", at(2, 8, 10)),
        ("12월 8일 월요일 오전 열 시", at(12, 8, 10)),
        ("12월 8일 화요일 열 시", at(12, 8, 10)),
        ("12월 8일 화요일 오후 열 시", at(12, 8, 10)),
        ("12월 8일 오전 열 시", at(12, 8, 10)),
        ("", at(12, 8, 10)),
    ],
)
def test_another_start_is_not(words: str, start: datetime) -> None:
    assert not says_start(words, start)


@pytest.mark.parametrize(
    ("value", "words"),
    [(1, "일"), (10, "십"), (12, "십이"), (20, "이십"), (110, "백십"),
     (1985, "천구백팔십오"), (2015, "이천십오")],
)  # fmt: skip
def test_sino(value: int, words: str) -> None:
    assert sino(value) == words


@pytest.mark.parametrize(
    "written",
    ["850312", "19850312", "85-03-12", "1985. 3. 12 → 1985.03.12", "1985년 3월 12일생",
     "85년 03월 12일", "8 5 0 3 1 2", "x 850312y", "8503121234567", "팔오 공삼 일이",
     "팔십오년 삼월 십이일", "천구백팔십오년 삼월 십이일", "일구팔오년 삼월 십이일", "12 850312"],
)  # fmt: skip
def test_a_birth_date_leaks_in_any_spelling(written: str) -> None:
    assert any(leaks(private, written) for private in birth_spellings(date(1985, 3, 12)))


@pytest.mark.parametrize(
    "written",
    [
        "12월 8일 화요일",
        "k-7850312",
        "2026-12-01T10:00:00.850312+09:00",
        "850 원, 312호",
        "3월 12일",
    ],
)
def test_other_numbers_do_not_leak(written: str) -> None:
    assert not any(leaks(private, written) for private in birth_spellings(date(1985, 3, 12)))


def test_the_year_2000_has_spellings_too() -> None:
    spellings = birth_spellings(date(2000, 10, 6))
    assert {"001006", "이천년시월육일", "공공년십월육일"} <= set(spellings)
    assert all(len(spelling) >= 4 for spelling in spellings)
