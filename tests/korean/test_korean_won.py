"""Amounts of money: said, written and read; and what is no amount (T12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.ids import Won
from wonmu.korean.speak import voice_text
from wonmu.korean.won import LIMIT, read_won, speak_won, spell_won, won_text

pytestmark = pytest.mark.unit

amounts = st.one_of(
    st.integers(0, 20_000), st.integers(0, 2_000).map(lambda n: n * 500), st.integers(0, LIMIT - 1)
)


@pytest.mark.parametrize(
    ("amount", "said", "written"),
    [
        (0, "영 원", "0원"),
        (5, "오 원", "5원"),
        (1_000, "천 원", "1,000원"),
        (10_000, "만 원", "10,000원"),
        (35_000, "삼만 오천 원", "35,000원"),
        (110_000, "십일만 원", "110,000원"),
        (123_400, "십이만 삼천사백 원", "123,400원"),
        (100_010_000, "일억 일만 원", "100,010,000원"),
        (120_000_000, "일억 이천만 원", "120,000,000원"),
    ],
)
def test_said_and_written(amount: int, said: str, written: str) -> None:
    assert speak_won(amount) == said
    assert won_text(amount) == written


@pytest.mark.parametrize("amount", [-1, LIMIT])
def test_no_amount_that_can_be_said(amount: int) -> None:
    with pytest.raises(ValueError, match="no amount"):
        speak_won(amount)
    with pytest.raises(ValueError, match="no amount"):
        won_text(amount)


@given(amounts)
def test_what_is_said_is_read_back(amount: int) -> None:
    assert read_won(speak_won(amount)) == (amount,)
    assert read_won(won_text(amount)) == (amount,)
    assert read_won(f"내실 돈은 {speak_won(amount)}입니다.") == (amount,)
    assert read_won(voice_text(won_text(amount))) == (amount,)


@given(amounts, amounts)
def test_two_amounts_stay_two(one: int, other: int) -> None:
    text = f"진료비는 {won_text(one)}이고, 낸 돈은 {speak_won(other)}입니다."
    assert read_won(text) == (one, other)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("3만5천원", (35_000,)),
        ("3만 5,000원", (35_000,)),
        ("3 만 5 천 원입니다", (35_000,)),
        ("35000 원", (35_000,)),
        ("35 000원", (35_000,)),
        ("5,0000원", (50_000,)),
        ("35천원", (35_000,)),
        ("3.5만 원", (35_000,)),
        ("３５，０００원", (35_000,)),
        ("삼만오천원", (35_000,)),
        ("삼 만 오 천 원", (35_000,)),
        ("3만 오천 원", (35_000,)),
        ("3천5백원", (3_500,)),
        ("3천오백원", (3_500,)),
        ("1억 2천만 원", (120_000_000,)),
        ("1,234만 원", (12_340_000,)),
        ("99,999,999,999,999,999원", (99_999_999_999_999_999,)),
        ("1조 원", (10**12,)),
        ("₩35,000", (35_000,)),
        ("35,000 KRW", (35_000,)),
        ("**35,000**원", (35_000,)),
        ("금액(35,000)원", (35_000,)),
        ("진료비,35,000원", (35_000,)),
        ("1.35,000원", (35_000,)),
        ("1번, 35,000원", (35_000,)),
        ("2번 3만원", (30_000,)),
        ("35,000원내셔야", (35_000,)),
        ("35,000원인데요", (35_000,)),
        ("35,000원짜리", (35_000,)),
        ("환불금삼만원", (30_000,)),
        ("수만 원", (10_000,)),
        ("미납금은 영 원으로", (0,)),
        ("금액이 만 원입니다", (10_000,)),
        ("총액은 일만 오천 원", (15_000,)),
        ("3일 5만 원", (50_000,)),
        ("8월 삼만 원", (30_000,)),
        ("2026년 12월 1일 35,000원", (35_000,)),
        ("3만 5천입니다", (35_000,)),
        ("총 35,000이에요.", (35_000,)),
        ("이만 오천입니다", (25_000,)),
        ("3~5만 원", (30_000, 50_000)),
        ("10,000~20,000원", (10_000, 20_000)),
        ("3만에서 5만 원", (30_000, 50_000)),
        ("3만 원에서 5만 원", (30_000, 50_000)),
        ("12일~15만 원", (150_000,)),
        ("진료비 35,000원, 약값 5,000원", (35_000, 5_000)),
    ],
)
def test_every_way_to_write_it(text: str, read: tuple[int, ...]) -> None:
    assert read_won(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [("진료비만 오천 원", (5_000,)), ("금액이 오천 원", (5_000,)), ("이 오천 원은", (5_000,))],
)
def test_a_particle_is_no_number(text: str, read: tuple[int, ...]) -> None:
    assert read_won(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "오후 3시 30분, 12월 3일 화요일",
        "2026-12-01",
        "12월 1일 (화) 10:30",
        "3명, 5건, 20,000명, 2만 보, 1,234번입니다",
        "만 65세 이상",
        "만 칠십입니다",
        "02-0000-1234, 010-0000-1234로",
        "병원 직원이 원무과로 안내합니다",
        "병원 2층 원무과, 3 원장실",
        "공원, 구원, 사원, 일원, 영원히",
        "이 원인은 모릅니다",
        "오늘 이 원을",
        "1번 2 원하시면",
        "둘 다 원하세요?",
        "₩012",
        "3만 2만입니다",
        "회원 천 명",
        "",
    ],
)
def test_what_is_no_money(text: str) -> None:
    assert read_won(text) == ()


@given(st.text(alphabet="0123456789,.영일이삼오십백천만억조원 은을~₩시월", max_size=40))
def test_any_text_can_be_read(text: str) -> None:
    assert all(amount >= 0 for amount in read_won(text))


def test_amounts_are_typed() -> None:
    assert read_won("0원") == (Won(0),)


def test_figures_in_a_text_become_words() -> None:
    text = "진료비는 35,000원이고 2층 원무과에서 내시면 됩니다."
    assert spell_won(text) == "진료비는 삼만 오천 원이고 2층 원무과에서 내시면 됩니다."
    assert spell_won(spell_won(text)) == spell_won(text)
    assert spell_won("9,999,999,999,999원") == "9,999,999,999,999원"
