"""Nothing a caller can say breaks the reading, on any host (B5, R30, R33)."""

from __future__ import annotations

import os
import time as host_time
from collections.abc import Iterator
from datetime import date, datetime, time
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wonmu.korean.dates import Ambiguous, Understood, When, WhenReading, mentions_when, read_when

pytestmark = pytest.mark.unit

KST = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 7, 22, 10, 0, tzinfo=KST)
_SAID = (
    "오늘 내일 모레 글피 어제 다음 이번 지난 주 달 월요일 수요일 목욜 주말 평일 "
    "추석 설 연휴 전날 첫째 마지막 주 8월 삼월 이일 20일 삼십일 2월 30일 "
    "두 시 세시 반 열두 시 25시 16.30 9.30 오전 오후 저녁 아침 "
    "퇴근하고 늦게 일찍 이후 지나고 까지 전에 뒤로 말고 아니 빼고 아니면 이나 "
    "아무 때나 제일 빠른 시간 그날 그 다음 날 하루만 한 시간 늦게 같은 요일 안 "
    "돼요 아파요 다쳤어요 예약 바꿔 주세요 요 1985년생 생년월일 일주일 안에 더 "
    "부터 에서 로 지금 이따가 월화수 년 · . "
)
VOCABULARY = tuple(_SAID.split())


class Weekdays:
    def opening(self, day: date) -> tuple[tuple[time, time], ...]:
        return ((time(9), time(12)), (time(13), time(18))) if day.weekday() < 5 else ()


EARLIER = (
    None,
    When(date(2026, 7, 28), date(2026, 7, 28), time(10), point=True),
    When(date(2026, 7, 27), date(2026, 8, 2)),
    When(time_from=time(12), time_to=time(18)),
    When(soonest=True),
)


def check(result: WhenReading) -> None:
    match result:
        case Understood(when):
            options: tuple[When, ...] = (when,)
            assert not when.empty
        case Ambiguous(_, several):
            options = several
            assert len(set(options)) == len(options) > 1
        case _:
            options = ()
    for option in options:
        assert option.day_from is None or option.day_from >= NOW.date()


@settings(max_examples=400, deadline=None)
@given(
    words=st.lists(st.sampled_from(VOCABULARY), max_size=7),
    gap=st.sampled_from(["", " "]),
    earlier=st.sampled_from(EARLIER),
)
def test_any_mixture_of_known_words_is_read(
    words: list[str], gap: str, earlier: When | None
) -> None:
    said = gap.join(words)
    first = read_when(said, now=NOW, open_times=Weekdays(), earlier=earlier)
    check(first)
    assert read_when(said, now=NOW, open_times=Weekdays(), earlier=earlier) == first


@settings(max_examples=300, deadline=None)
@given(words=st.text(max_size=60), earlier=st.sampled_from(EARLIER))
def test_any_text_is_read(words: str, earlier: When | None) -> None:
    check(read_when(words, now=NOW, open_times=Weekdays(), earlier=earlier))
    mentions_when(words, now=NOW)


def test_the_evening_after_work_in_a_month_is_read() -> None:
    """Once an endless recursion: the library's word for the evening was unknown here."""
    check(read_when("유월 퇴근하고", now=NOW, open_times=Weekdays()))


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Seoul"])
def host_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    host_time.tzset()
    yield request.param
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    host_time.tzset()


@pytest.mark.parametrize(
    ("moment", "words", "expected"),
    [
        ("2026-07-22T00:10", "내일 오전이요", date(2026, 7, 23)),
        ("2026-07-22T08:50", "내일 오전이요", date(2026, 7, 23)),
        # New York's clocks change on these two nights; Seoul's never do
        ("2026-03-08T15:30", "내일", date(2026, 3, 9)),
        ("2026-03-08T15:30", "일주일 뒤", date(2026, 3, 15)),
        ("2026-11-01T14:30", "내일", date(2026, 11, 2)),
        ("2026-11-01T14:30", "일주일 뒤", date(2026, 11, 8)),
    ],
)
def test_the_hosts_time_zone_does_not_matter(
    host_zone: str, moment: str, words: str, expected: date
) -> None:
    now = datetime.fromisoformat(moment).replace(tzinfo=KST)
    result = read_when(words, now=now, open_times=Weekdays())
    assert isinstance(result, Understood), host_zone
    assert result.when.one_day == expected


def test_long_talk_is_read_in_bounded_time() -> None:
    said = "다음 주 화요일 두 시 아니 세 시 " * 500
    read_when("내일", now=NOW, open_times=Weekdays())
    begin = perf_counter()
    read_when(said, now=NOW, open_times=Weekdays())
    assert perf_counter() - begin < 1.0
