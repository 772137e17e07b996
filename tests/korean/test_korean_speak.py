"""Values and written forms as they are spoken (B5, D4; faults R40, R52, R53, R56)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wonmu.clock import SEOUL
from wonmu.errors import ProgrammingError
from wonmu.korean.counting import sino
from wonmu.korean.josa import PAIRS
from wonmu.korean.speak import (
    josa,
    speak_birth,
    speak_count,
    speak_date,
    speak_digits,
    speak_list,
    speak_time,
    speak_when,
    voice_text,
    with_josa,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("clock", "spoken"),
    [
        (time(10, 30), "오전 열 시 삼십 분"),
        (time(14, 30), "오후 두 시 삼십 분"),
        (time(9), "오전 아홉 시"),
        (time(12), "낮 열두 시"),
        (time(12, 30), "오후 열두 시 삼십 분"),
        (time(0), "밤 열두 시"),
        (time(0, 10), "밤 열두 시 십 분"),
        (time(11, 5), "오전 열한 시 오 분"),
        (time(13, 15), "오후 한 시 십오 분"),
        (time(20, 45, 59), "오후 여덟 시 사십오 분"),
    ],
)
def test_clock_times(clock: time, spoken: str) -> None:
    assert speak_time(clock) == spoken


def test_a_day_with_its_weekday() -> None:
    day = date(2026, 12, 8)
    assert speak_date(day) == "12월 8일 화요일"
    assert speak_date(day, with_year=True) == "2026년 12월 8일 화요일"
    assert speak_date(day, today=date(2026, 1, 1)) == "12월 8일 화요일"
    assert speak_date(date(2027, 1, 4), today=day) == "2027년 1월 4일 월요일"


def test_a_moment_is_spoken_in_hospital_time() -> None:
    spoken = "12월 8일 화요일 오후 두 시 삼십 분"
    assert speak_when(datetime(2026, 12, 8, 14, 30, tzinfo=SEOUL)) == spoken
    assert speak_when(datetime(2026, 12, 8, 5, 30, tzinfo=UTC)) == spoken
    with pytest.raises(ProgrammingError):
        speak_when(datetime(2026, 12, 8, 14, 30))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("day", "spoken"),
    [
        (date(1985, 3, 12), "천구백팔십오년 삼월 십이일"),
        (date(1958, 6, 7), "천구백오십팔년 유월 칠일"),
        (date(2000, 10, 10), "이천년 시월 십일"),
        (date(2015, 11, 30), "이천십오년 십일월 삼십일"),
        (date(1901, 1, 1), "천구백일년 일월 일일"),
    ],
)
def test_birth_dates_are_spelled_out(day: date, spoken: str) -> None:
    assert speak_birth(day) == spoken


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("01012345678", "공일공, 일이삼사, 오육칠팔"),
        ("010-1234-5678", "공일공, 일이삼사, 오육칠팔"),
        ("15880000", "일오팔팔, 공공공공"),
        ("021234567", "공이, 일이삼, 사오육칠"),
        ("850312", "팔오공삼일이"),
        ("12-34", "일이, 삼사"),
        ("", ""),
    ],
)
def test_digits_one_by_one(text: str, spoken: str) -> None:
    assert speak_digits(text) == spoken


@pytest.mark.parametrize(
    ("count", "spoken"),
    [
        (0, "영"),
        (1, "한"),
        (2, "두"),
        (3, "세"),
        (4, "네"),
        (11, "열한"),
        (20, "스무"),
        (21, "스물한"),
        (35, "서른다섯"),
        (99, "아흔아홉"),
        (100, "백"),
        (115, "백십오"),
    ],
)
def test_counts(count: int, spoken: str) -> None:
    assert speak_count(count) == spoken


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "영"),
        (10, "십"),
        (11, "십일"),
        (110, "백십"),
        (10000, "만"),
        (15000, "만오천"),
        (20000, "이만"),
        (100_000_000, "일억"),
        (110_010_000, "일억천일만"),
        (1985, "천구백팔십오"),
    ],
)
def test_sino_numbers(number: int, words: str) -> None:
    assert sino(number) == words


def test_lists() -> None:
    assert speak_list([]) == ""
    assert speak_list(["오전"]) == "오전"
    assert speak_list(["오전", "오후"]) == "오전 또는 오후"
    assert speak_list(["내과", "안과", "피부과"]) == "내과, 안과 또는 피부과"
    assert speak_list(["김민수", "박서연"], "과/와") == "김민수와 박서연"
    assert speak_list(["이정훈", "박서연"], "과/와") == "이정훈과 박서연"


@pytest.mark.parametrize(
    ("word", "pair", "joined"),
    [
        ("김서연", "은/는", "김서연은"),
        ("김민수", "은/는", "김민수는"),
        ("내과", "을/를", "내과를"),
        ("원장님", "이/가", "원장님이"),
        ("서울", "으로/로", "서울로"),
        ("부산", "으로/로", "부산으로"),
        ("제주", "으로/로", "제주로"),
        ("8일", "으로/로", "8일로"),
        ("3", "을/를", "3을"),
        ("2", "을/를", "2를"),
        ("1", "으로/로", "1로"),
        ("6", "으로/로", "6으로"),
        ("10", "이/가", "10이"),
        ("100", "과/와", "100과"),
        ("30", "으로/로", "30으로"),
        ("01012345670", "이/가", "01012345670이"),
        ("MRI", "을/를", "MRI를"),
        ("CT", "은/는", "CT는"),
        ("URL", "으로/로", "URL로"),
        ("DM", "을/를", "DM을"),
        ("Dr.Kim", "을/를", "Dr.Kim을"),
        ("Park", "이/가", "Park이"),
        ("Lee", "이/가", "Lee가"),
        ("50%", "은/는", "50%는"),
        ("(내과)", "을/를", "(내과)를"),
        ("'김민준'", "이라고/라고", "'김민준'이라고"),
        ("박서연", "이에요/예요", "박서연이에요"),
        ("최민지", "이에요/예요", "최민지예요"),
        ("세 시", "이에요/예요", "세 시예요"),
        ("삼십 분", "과/와", "삼십 분과"),
        ("화요일", "으로/로", "화요일로"),
        ("", "을/를", "를"),
        ("ㄹ", "으로/로", "ㄹ로"),
        ("민수", "를/을", "민수를"),
    ],
)
def test_particles(word: str, pair: str, joined: str) -> None:
    assert with_josa(word, pair) == joined


def test_an_unknown_pair_is_refused() -> None:
    with pytest.raises(ProgrammingError):
        josa("김민수", "도/도")


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("진료비는 2~3만 원입니다", "진료비는 2에서 3만 원입니다"),
        ("9~12시", "아홉 시부터 열두 시까지"),
        ("오전 9~12시까지 합니다", "오전 아홉 시부터 열두 시까지 합니다"),
        ("9시~12시에 오세요", "아홉 시부터 열두 시에 오세요"),
        ("09:00~18:00", "오전 아홉 시부터 오후 여섯 시까지"),
        ("점심 13:00-14:00", "점심 오후 한 시부터 오후 두 시까지"),
        ("13시~14시 사이", "오후 한 시에서 오후 두 시 사이"),
        ("12시 30분~2시", "열두 시 삼십 분부터 두 시까지"),
        ("14:30", "오후 두 시 삼십 분"),
        ("오후 2:30에", "오후 두 시 삼십 분에"),
        ("14시 30분에", "오후 두 시 삼십 분에"),
        ("오전 10시", "오전 열 시"),
        ("24시간 운영, 2시간 무료", "24시간 운영, 2시간 무료"),
        ("4시립 병원", "4시립 병원"),
        ("1588-0000으로", "일오팔팔, 공공공공으로"),
        ("02-000-0000", "공이, 공공공, 공공공공"),
        ("010-1234-5678", "공일공, 일이삼사, 오육칠팔"),
        ("010 1234 5678", "공일공, 일이삼사, 오육칠팔"),
        ("+82 10-1234-5678", "공일공, 일이삼사, 오육칠팔"),
        ("01012345678", "공일공, 일이삼사, 오육칠팔"),
        ("MRI와 CT는 3층", "엠알아이와 씨티는 삼 층"),
        ("지하 1층과 B2층", "지하 일 층과 지하 이 층"),
        ("X-ray 촬영", "엑스레이 촬영"),
        ("AI 상담원", "에이아이 상담원"),
        ("1958년 3월 7일", "천구백오십팔년 3월 7일"),
        ("2027년", "이천이십칠년"),
        ("2026-12-08", "이천이십육년 12월 8일"),
        ("15,000원", "만오천 원"),
        ("월~금 진료", "월요일부터 금요일까지 진료"),
        ("12월 1일~3일", "12월 1일부터 3일까지"),
        ("10~15분", "10에서 15분"),
        ("2-3일", "2에서 3일"),
        ("테헤란로 12-3", "테헤란로 12다시 3"),
        ("네~ 감사합니다", "네 감사합니다"),
        ("119에 전화하세요", "일일구에 전화하세요"),
        ("Dr.Kim", "닥터 Kim"),
        ("50%", "50 퍼센트"),
        ("12월 8일 화요일 오후 두 시 삼십 분", "12월 8일 화요일 오후 두 시 삼십 분"),
        ("원무과로 오세요", "원무과로 오세요"),
        ("25:70", "25:70"),
        ("", ""),
    ],
)
def test_written_forms_for_a_voice(written: str, spoken: str) -> None:
    assert voice_text(written) == spoken


SIGNS = [
    "9",
    "12",
    "2026",
    "010",
    "1234",
    "~",
    "-",
    ":",
    "30",
    "시",
    "분",
    "만 원",
    "층",
    "월",
    "일",
]
MIXED = st.lists(st.sampled_from([*SIGNS, " ", "네", "MRI", ",", "까지", "에"]), max_size=14)


@given(st.one_of(MIXED.map("".join), st.text(max_size=40)))
@settings(max_examples=400)
def test_no_sign_is_left_between_numbers(text: str) -> None:
    spoken = voice_text(text)
    assert re.search(r"[0-9]\s*[~-]\s*[0-9]", spoken) is None


@given(st.text(max_size=12), st.sampled_from(sorted(PAIRS)))
def test_every_word_gets_one_of_the_two_forms(word: str, pair: str) -> None:
    assert with_josa(word, pair) in {word + form for form in PAIRS[pair]}


@given(st.datetimes(timezones=st.just(SEOUL)))
def test_every_moment_can_be_spoken_without_a_clock_sign(moment: datetime) -> None:
    assert ":" not in speak_when(moment)
