"""Spoken digits, telephone numbers and birth dates (D1, D4; faults R40, R51, R60, R105, R108)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wonmu.errors import ProgrammingError
from wonmu.korean.counting import digit_words, sino, sino_value
from wonmu.korean.numbers import (
    BirthImpossible,
    BirthOk,
    CenturyUnclear,
    ImpossibleBirth,
    NoBirth,
    Phone,
    birth_from_keys,
    birth_from_words,
    correct_digits,
    read_digits,
    read_phone,
)
from wonmu.korean.speak import speak_birth, speak_phone

pytestmark = pytest.mark.unit

TODAY = date(2026, 12, 1)


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("공일공 에 일이삼사 오육칠팔이요", "01012345678"),
        ("공일공에 일이삼사에 오육칠팔", "01012345678"),
        ("네 공일공 다시 일이삼사 다시 오육칠팔입니다", "01012345678"),
        ("예, 영일영 일이삼사 오육칠팔", "01012345678"),
        ("제 번호는 공일공 일이삼사 오육칠팔이에요", "01012345678"),
        ("공일공 하나둘셋넷 오육칠팔", "01012345678"),
        ("공일공 하나 둘 셋 넷 다섯 여섯 일곱 여덟", "01012345678"),
        ("010에 1234에 5678번이요", "01012345678"),
        ("０１０ １２３４ 오육칠팔", "01012345678"),
        ("제로일제로 일이삼사 오륙칠팔", "01012345678"),
        ("공일공… 일이삼사… 오육칠팔", "01012345678"),
        ("공일공 일이삼사 오육칠팔 아니 칠 말고 일", "01012345618"),
        ("공일공 일이삼사 오육칠팔 아니 오육칠구요", "01012345679"),
        ("공일공 일이삼 아니 공일공 일이삼사 오육칠팔", "01012345678"),
        ("천오백팔십팔에 공공공공", "15880000"),
        ("팔오공삼일이", "850312"),
        ("850 삼일이", "850312"),
        ("삼이요", "3"),
        ("사요", "4"),
        ("이 일로 사월 이일에 갔었는데요", None),
        ("이사 와서요", None),
        ("만 나이로요", None),
        ("네", None),
        ("예약이요", None),
        ("", None),
    ],
)
def test_digits_as_said(words: str, digits: str | None) -> None:
    assert read_digits(words) == digits


@pytest.mark.parametrize(
    ("words", "phone"),
    [
        ("공일공 일이삼사 오육칠팔", "010-1234-5678"),
        ("공일공 일이삼사 오육칠이요", "010-1234-5672"),
        ("제 이름은 김민수고요 번호는 공일공 일이삼사 오육칠팔이고요", "010-1234-5678"),
        ("010-1234-5678", "010-1234-5678"),
        ("+82 10 1234 5678", "010-1234-5678"),
        ("연락처 공일공 일이삼사 오육칠팔로 전화 주세요", "010-1234-5678"),
        ("공이 칠팔구에 일이삼사", "02-789-1234"),
        ("일오팔팔 공공공공", "1588-0000"),
        ("공칠공 일이삼사 오육칠팔", "070-1234-5678"),
        ("공일일 이삼사 오육칠팔", "011-234-5678"),
        ("공일공 공공공공 일이삼사요", "010-0000-1234"),
        ("010 123 4567", None),
        ("공일공 일이삼사 오육", None),
        ("공일공 일이삼사 오육칠팔구", None),
        ("일이삼사 오육칠팔", None),
        ("내일 오전 열 시요", None),
        ("공일공 일이삼사 오육칠팔이랑 공일공 구구구구 오육칠팔", None),
    ],
)
def test_telephone_numbers_as_said(words: str, phone: str | None) -> None:
    read = read_phone(words)
    assert (read.hyphened if read else None) == phone


@pytest.mark.parametrize(
    ("words", "fixed"),
    [
        ("아니 칠 말고 일", "01012345618"),
        ("칠이 아니라 일이요", "01012345618"),
        ("칠말고 일이요", "01012345618"),
        ("끝자리 팔이 아니라 구요", "01012345679"),
        ("끝자리가 구예요", "01012345679"),
        ("뒤 네 자리는 오육칠구요", "01012345679"),
        ("아니 오육칠팔 말고 오육칠구요", "01012345679"),
        ("아니 일 말고 칠", None),
        ("구 말고 일이요", None),
        ("칠 말고 일이삼", None),
        ("네 맞아요", None),
        ("내일로 해 주세요", None),
    ],
)
def test_a_correction_replaces_only_that_digit(words: str, fixed: str | None) -> None:
    assert correct_digits("01012345678", words) == fixed


def _born(year: int, month: int, day: int) -> BirthOk:
    return BirthOk(date(year, month, day))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("팔오년 삼월 십이일이요", (1985, 3, 12)),
        ("오팔년 삼월 칠일", (1958, 3, 7)),
        ("팔십오년 삼월 이일생", (1985, 3, 2)),
        ("천구백오십팔년 유월 삼일", (1958, 6, 3)),
        ("공공년 이월 이십구일", (2000, 2, 29)),
        ("850312", (1985, 3, 12)),
        ("팔오공삼일이", (1985, 3, 12)),
        ("1985년 3월 12일", (1985, 3, 12)),
        ("팔십오년 시월 십일이요", (1985, 10, 10)),
        ("팔십오년 십이월 삼십일일이요", (1985, 12, 31)),
        ("팔십오년 십일월 십일일이요", (1985, 11, 11)),
        ("팔십오년 십일월 십일이요", (1985, 11, 10)),
        ("우리 아이 이천이십년 오월 오일이에요", (2020, 5, 5)),
        ("850 삼일이", (1985, 3, 12)),
        ("팔오 공삼 일이", (1985, 3, 12)),
        ("팔십오 공삼 십이", (1985, 3, 12)),
        ("1985.3.12", (1985, 3, 12)),
        ("85-03-12", (1985, 3, 12)),
        ("85 년 3 월 12 일생이에요", (1985, 3, 12)),
        ("생년월일은 팔오공삼일이입니다", (1985, 3, 12)),
        ("19850312", (1985, 3, 12)),
        ("오팔년 개띠 삼월 칠일", (1958, 3, 7)),
        ("오팔공삼공칠이요", (1958, 3, 7)),
        ("칠이공삼공이요", (1972, 3, 2)),
        ("칠이공삼이이요", (1972, 3, 22)),
        ("육일년 유월 육일이요", (1961, 6, 6)),
        ("네 팔오공삼 일이요", (1985, 3, 12)),
        ("팔오년 아니 팔육년 삼월 이일", (1986, 3, 2)),
        ("팔오년 삼월 이일 아니 삼일이요", (1985, 3, 3)),
        ("팔오년 삼월 이일 말고 사월 십이일이요", (1985, 4, 12)),
        ("270101", (1927, 1, 1)),
        ("261231", (1926, 12, 31)),
    ],
)
def test_birth_dates_as_said(words: str, value: tuple[int, int, int]) -> None:
    assert birth_from_words(words, today=TODAY) == _born(*value)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("팔오년 십삼월 이일", ImpossibleBirth.MONTH),
        ("팔오년 이월 삼십일", ImpossibleBirth.DAY),
        ("850229", ImpossibleBirth.DAY),
        ("851350", ImpossibleBirth.MONTH),
        ("팔오년생이요", ImpossibleBirth.LENGTH),
        ("3월 12일", ImpossibleBirth.LENGTH),
        ("팔오년 삼월 십이", ImpossibleBirth.LENGTH),
        ("850312 1234567", ImpossibleBirth.LENGTH),
        ("8503121", ImpossibleBirth.LENGTH),
        ("이천이십육년 십이월 이일", ImpossibleBirth.FUTURE),
        ("20270101", ImpossibleBirth.FUTURE),
        ("1885년 3월 2일", ImpossibleBirth.TOO_OLD),
        ("19051231", ImpossibleBirth.TOO_OLD),
    ],
)
def test_impossible_birth_dates_say_why(words: str, reason: ImpossibleBirth) -> None:
    assert birth_from_words(words, today=TODAY) == BirthImpossible(reason)


@pytest.mark.parametrize(
    "words",
    ["", "네", "내일이요", "모르겠어요", "팔오년 삼월 이일 아니요", "김민수요", "그건 왜요"],
)
def test_no_birth_date_at_all(words: str) -> None:
    assert birth_from_words(words, today=TODAY) == NoBirth()


def test_a_two_digit_year_is_read_young_and_says_so() -> None:
    reading = birth_from_keys("150312", today=TODAY)
    assert reading == BirthOk(date(2015, 3, 12), other=date(1915, 3, 12))
    assert isinstance(reading, BirthOk)
    assert reading.century_assumed


def test_the_century_is_asked_where_the_caller_of_the_code_wants_it() -> None:
    asked = birth_from_keys("200312", today=TODAY, ask_century=True)
    assert asked == CenturyUnclear((date(2020, 3, 12), date(1920, 3, 12)))
    sure = birth_from_keys("850312", today=TODAY, ask_century=True)
    assert sure == _born(1985, 3, 12)


def test_the_thirtieth_of_february_is_no_day_in_any_century() -> None:
    assert birth_from_keys("000230", today=TODAY) == BirthImpossible(ImpossibleBirth.DAY)
    assert birth_from_keys("000229", today=TODAY) == _born(2000, 2, 29)


@pytest.mark.parametrize(
    "digits", ["8", "85031", "8503122", "8503121234567", "abcdef", "８５０３１２"]
)
def test_a_wrong_number_of_keys_is_refused_not_cut(digits: str) -> None:
    assert birth_from_keys(digits, today=TODAY) == BirthImpossible(ImpossibleBirth.LENGTH)


def test_a_phone_refuses_half_a_number() -> None:
    with pytest.raises(ProgrammingError):
        Phone("0101234567")


def test_the_three_spellings() -> None:
    assert Phone("01012345678").spellings() == ("01012345678", "010-1234-5678", "+821012345678")


@pytest.mark.parametrize(
    "text", ["0101234567", "010-12345-678a", "12", "", "0000000000", "٠١٠١٢٣٤٥٦٧٨"]
)
def test_what_is_not_a_number(text: str) -> None:
    assert Phone.parse(text) is None


@given(st.integers(0, 99_999_999))
def test_every_mobile_number_survives_being_spoken(tail: int) -> None:
    phone = Phone(f"010{tail:08d}")
    assert read_phone(speak_phone(phone)) == phone
    assert read_phone(f"네 {speak_phone(phone)}입니다") == phone


@given(st.dates(date(1910, 1, 1), TODAY))
def test_every_birth_date_survives_being_spoken_and_typed(day: date) -> None:
    assert birth_from_words(speak_birth(day) + "이요", today=TODAY) == BirthOk(day)
    assert birth_from_keys(f"{day:%Y%m%d}", today=TODAY) == BirthOk(day)
    short = birth_from_words(digit_words(f"{day:%y%m%d}"), today=TODAY)
    assert isinstance(short, BirthOk)
    assert day in (short.value, short.other)


@given(st.integers(1, 10**9))
def test_sino_numbers_are_read_as_they_are_written(number: int) -> None:
    assert sino_value(sino(number)) == number


PIECES = [
    "공",
    "일",
    "이",
    "네",
    "에",
    "년",
    "월",
    "일",
    "팔",
    "십",
    "아니",
    "말고",
    " ",
    "1",
    "9",
    "요",
]
ANY = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=24).map("".join))


@given(ANY)
@settings(max_examples=400)
def test_any_text_can_be_read(words: str) -> None:
    digits = read_digits(words)
    assert digits is None or digits.isdecimal()
    read_phone(words)
    correct_digits("01012345678", words)
    reading = birth_from_words(words, today=TODAY)
    assert not isinstance(reading, BirthOk) or reading.value <= TODAY
