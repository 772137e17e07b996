"""Words on hold, words about the offer, and windows to be called in (P2, P3; R112)."""

from __future__ import annotations

from datetime import datetime

import pytest

from wonmu.call.tasks.offer_note import Choice, read_choice
from wonmu.clock import SEOUL
from wonmu.desk.records import CallWindow
from wonmu.desk.windows import AnyTime, DeskClosed, Unclear, read_window
from wonmu.evals.playing import hospital_named
from wonmu.hospital.hours import Calendar
from wonmu.policy.holding import calls_off
from wonmu.visit.asks import Got, Not

pytestmark = pytest.mark.unit

TUESDAY = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)


@pytest.mark.parametrize(
    "words",
    [
        "됐어요",
        "됐어요, 그만할게요",
        "취소요",
        "취소할게요",
        "아니 취소해 주세요",
        "그만할게요",
        "아 그냥 됐습니다",
        "연결 취소해 주세요",
        "연결 안 해도 돼요",
        "안 기다릴래요",
        "기다리기 싫어요",
        "나중에 다시 전화할게요",
        "다음에 걸게요",
        "다시 걸게요",
        "네 됐어요",
        "연결은 필요 없어요",
        "못 기다리겠어요",
        "취소. 그냥 취소할게요",
    ],
)
def test_this_stops_the_waiting(words: str) -> None:
    assert calls_off(words)


@pytest.mark.parametrize(
    "words",
    [
        "네 연결해 주세요",
        "예약 취소하려고요",
        "예약 취소해 주세요",
        "네",
        "여보세요?",
        "언제 연결돼요?",
        "얼마나 걸려요?",
        "네 기다릴게요",
        "괜찮아요",
        "빨리 좀 해 주세요",
        "됐어요?",
        "취소하면 돈 내나요?",
        "나중에 전화해도 되나요?",
        "상담원이요",
        "예약 안 하려고 하는데 그거 때문에요",
        "진료 취소 때문에 전화했어요",
        "",
    ],
)
def test_this_does_not(words: str) -> None:
    assert not calls_off(words)


@pytest.mark.parametrize(
    ("words", "choice"),
    [
        ("네", Choice.CALLBACK),
        ("네 부탁드려요", Choice.CALLBACK),
        ("전화 주세요", Choice.CALLBACK),
        ("그럼 다시 전화해 주세요", Choice.CALLBACK),
        ("연락 주세요", Choice.CALLBACK),
        ("그렇게 해 주세요", Choice.CALLBACK),
        ("메모만 남길게요", Choice.MEMO),
        ("메모요", Choice.MEMO),
        ("말 좀 전해 주세요", Choice.MEMO),
        ("아니요", Choice.NEITHER),
        ("아니요 괜찮아요", Choice.NEITHER),
        ("됐어요", Choice.NEITHER),
        ("나중에 다시 전화할게요", Choice.NEITHER),
        ("메모는 필요 없고 전화 주세요", Choice.CALLBACK),
    ],
)
def test_what_is_taken_of_the_offer(words: str, choice: Choice) -> None:
    assert read_choice(words) == Got(choice)


@pytest.mark.parametrize("words", ["네?", "음", "몇 시까지 하세요?", "제가 지금 병원 앞인데요"])
def test_what_is_no_answer_to_the_offer(words: str) -> None:
    assert isinstance(read_choice(words), Not)


def test_asking_for_a_person_again_is_answered_and_nothing_else() -> None:
    assert read_choice("그냥 상담원 바꿔 달라고요") == Not("callback.offer_again")


def window(words: str, now: datetime = TUESDAY, hospital: str = "hanbit") -> object:
    calendar = Calendar(hospital_named(hospital))
    return read_window(words, now=now, times=calendar, holidays=calendar.holidays(now.year))


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 12, day, hour, minute, tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("내일 오전이요", at(2, 9), at(2, 12)),
        ("오늘 오후 세 시요", at(1, 15), at(1, 16)),
        ("내일이요", at(2, 9), at(2, 18)),
        ("오늘 오전이요", at(1, 10), at(1, 12)),
        ("네 시 이후에요", at(1, 16), at(1, 18)),
        ("금요일 다섯 시 반이요", at(4, 17, 30), at(4, 18)),
    ],
)
def test_a_window_lies_in_the_hours_of_the_desk(words: str, start: datetime, end: datetime) -> None:
    assert window(words) == CallWindow(words, start, end)


@pytest.mark.parametrize(
    "words", ["아무 때나요", "언제든 괜찮아요", "편하실 때요", "되는 대로요", "최대한 빨리요"]
)
def test_any_time_will_do(words: str) -> None:
    assert isinstance(window(words), AnyTime)


@pytest.mark.parametrize(
    ("words", "opens"),
    [
        ("일요일 오전이요", at(7, 9)),
        ("오늘 밤 아홉 시요", at(1, 10)),
        ("내일 새벽 여섯 시요", at(2, 9)),
    ],
)
def test_outside_the_hours_the_next_ones_are_named(words: str, opens: datetime) -> None:
    reading = window(words)
    assert isinstance(reading, DeskClosed)
    assert reading.opens is not None
    assert reading.opens[0] == opens


def test_the_desk_s_own_hours_count_and_not_the_hospital_s() -> None:
    # 새봄: on a Wednesday the desk leaves at noon, the doctors do not.
    reading = window("내일 오후 세 시요", hospital="saebom")
    assert isinstance(reading, DeskClosed)


@pytest.mark.parametrize("words", ["음", "네", "글쎄요", "어제요", "2월 30일이요"])
def test_no_window_in_these_words(words: str) -> None:
    assert isinstance(window(words), Unclear)


def test_a_window_never_begins_in_the_past() -> None:
    reading = window("오늘이요", now=TUESDAY.replace(hour=17, minute=20))
    assert reading == CallWindow("오늘이요", at(1, 17, 20), at(1, 18))
