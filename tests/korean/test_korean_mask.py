"""Personal numbers out of text (N8, D2, E5; fault R150)."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wonmu.clock import SEOUL
from wonmu.korean.counting import digit_words
from wonmu.korean.mask import Found, Secret, mask_text
from wonmu.korean.phone import Phone
from wonmu.korean.speak import speak_birth, speak_phone, speak_when

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("제 번호는 010-1234-5678이요", "제 번호는 [전화번호]이요"),
        ("공일공 일이삼사 오육칠팔이요", "[전화번호]이요"),
        ("공일공에 일이삼사에 오육칠팔", "[전화번호]"),
        ("공일공… 일이삼사… 오육칠팔", "[전화번호]"),
        ("공일공 하나둘셋넷 오육칠팔", "[전화번호]"),
        ("02-123-4567로 주세요", "[전화번호]로 주세요"),
        ("01012345678", "[전화번호]"),
        ("오육칠팔이 아니고 일이삼사 오육칠팔이요", "오육칠팔이 아니고 [번호]이요"),
        ("850312-1234567입니다", "[주민번호]입니다"),
        ("8503121234567", "[주민번호]"),
        ("팔오공삼일이 다시 일이삼사오육칠", "[주민번호]"),
        ("주민번호 팔오공삼일이에 일이삼사오육칠이요", "주민번호 [주민번호]이요"),
        ("850312", "[생년월일]"),
        ("#850312", "#[생년월일]"),
        ("팔오공삼일이요", "[생년월일]요"),
        ("팔오공삼일삼이요", "[생년월일]이요"),
        ("팔오 공삼 일이", "[생년월일]"),
        ("850 삼일이", "[생년월일]"),
        ("85년 3월 12일생이에요", "[생년월일]이에요"),
        ("팔오년 삼월 십이일생이요", "[생년월일]이요"),
        ("팔십오년 삼월 십이일", "[생년월일]"),
        ("천구백팔십오년 삼월 십이일이요", "[생년월일]이요"),
        ("1985년 3월 12일", "[생년월일]"),
        ("1985-03-12", "[생년월일]"),
        ("85.3.12", "[생년월일]"),
        ("19850312", "[생년월일]"),
        ("오팔년 개띠 삼월 칠일", "[생년월일]"),
        ("생일은 3월 12일이에요", "생일은 [생년월일]이에요"),
        ("3월 12일생이에요", "[생년월일]이에요"),
        ("3월 12일에 태어났어요", "[생년월일]에 태어났어요"),
        ("85년생이요", "[생년월일]이요"),
        ("생년월일은 2026년 3월 2일이요", "생년월일은 [생년월일]이요"),
        ("카드번호 1234-5678-9012-3456", "카드번호 [카드번호]"),
        ("저는 850312고 번호는 010 1234 5678이에요", "저는 [생년월일]고 번호는 [전화번호]이에요"),
        ("010 1234 5678 850312", "[전화번호] [생년월일]"),
        (
            "생년월일은 팔오년 삼월 십이일이고요 12월 8일에 예약해 주세요",
            "생년월일은 [생년월일]이고요 12월 8일에 예약해 주세요",
        ),
        ("일이삼사 오육칠팔이요", "[번호]이요"),
    ],
)
def test_personal_numbers_are_masked(text: str, masked: str) -> None:
    assert mask_text(text).text == masked


WISHES = """
12월 8일 오전 10시 | 3월 12일에 예약 | 2026년 12월 8일 | 2026-12-08 14:30 | 2시 30분 | 15,000원
150000원 | 진료비 120512원 | 삼월 이일 생각해 볼게요 | 3월 12일 생리통
이 일로 사월 이일에 갔었는데요 | 이사 와서요 | 만 나이로요 | 2027년 1월 4일 열 시 | 내일 두 시요
이천이십육년 십이월 팔일 | 3층 301호 | 12시 30분 | 8월 15일이요 | 구월 이십일 오후 세 시
1985년 3월에 수술 | 이십육년 십이월 팔일 | 오늘 오후 네 시 삼십 분 | 26.12.8 | 네 오육칠팔이요
김민수요 | 다음 주 화요일이요 | 2026-12-08T14:30:00+09:00 | 119 | 예약 두 건이 있습니다 | 20261208
삼십 분 걸려요 | 구 일 십이 일 둘 다요 | 일이 있어서요 | 십이월 팔일 화요일 오후 두 시 삼십 분
"""


def _each(block: str) -> list[str]:
    return [item.strip() for line in block.strip().splitlines() for item in line.split(" | ")]


@pytest.mark.parametrize("text", _each(WISHES))
def test_wished_days_times_and_prices_stay(text: str) -> None:
    masked = mask_text(text)
    assert masked.text == text
    assert masked.found == ()


def test_today_tells_a_child_born_lately_from_a_wish() -> None:
    text = "2026년 3월 2일이요"
    assert mask_text(text).text == text
    assert mask_text(text, today=date(2029, 1, 5)).text == "[생년월일]이요"
    wish = "2030년 1월 4일이요"
    assert mask_text(wish, today=date(2029, 12, 5)).text == wish


def test_what_was_found_does_not_show_in_a_representation() -> None:
    masked = mask_text("850312")
    assert masked.found == (Found(Secret.BIRTH, "850312"),)
    assert "850312" not in repr(masked)


@given(
    st.integers(0, 99_999_999), st.sampled_from(["{}", "네 {}입니다", "번호는 {}이고요", "{}요"])
)
def test_every_mobile_number_is_masked(tail: int, frame: str) -> None:
    phone = Phone(f"010{tail:08d}")
    for spoken in (phone.digits, phone.hyphened, speak_phone(phone), digit_words(phone.digits)):
        masked = mask_text(frame.format(spoken))
        assert Secret.PHONE in {found.kind for found in masked.found}
        assert not any(char.isdecimal() for char in masked.text)


@given(
    st.dates(date(1910, 1, 1), date(2025, 12, 31)), st.sampled_from(["{}", "네 {}이요", "{}생이요"])
)
def test_every_birth_date_is_masked(day: date, frame: str) -> None:
    short = f"{day:%y%m%d}"
    for spoken in (short, digit_words(short), f"{day:%Y%m%d}", speak_birth(day), f"{day:%Y-%m-%d}"):
        masked = mask_text(frame.format(spoken), today=date(2026, 12, 1))
        assert masked.found, spoken
        assert not any(char.isdecimal() for char in masked.text)


@given(st.datetimes(timezones=st.just(SEOUL)))
def test_a_spoken_moment_is_never_masked(moment: datetime) -> None:
    text = speak_when(moment)
    assert mask_text(text).text == text


PIECES = [
    "공일공",
    "일이삼사",
    "850312",
    "팔오년",
    "3월",
    "12일",
    "생",
    "이요",
    "에",
    " ",
    "-",
    ".",
    "[",
]
PIECES += ["생년월일", "]", "010", "1234", "원", "이", "2026", "a", "네", "다시", "둘", "태어났"]
ANY = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=14).map("".join))


@given(ANY)
@settings(max_examples=500)
def test_masking_again_finds_nothing_new(text: str) -> None:
    once = mask_text(text)
    again = mask_text(once.text)
    assert again.found == ()
    assert again.text == once.text
