"""Phrases that talks showed to be misread: exceptions, weekdays after a length, hours in words
(B5; R30, R34).
"""

from __future__ import annotations

from datetime import date, datetime, time

import pytest

from wonmu.clock import SEOUL
from wonmu.korean.dates import NoWhen, Understood, When, WhenReading, read_when

pytestmark = pytest.mark.unit

TUESDAY = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)


class Clinic:
    """Weekdays 09:00-18:00, Saturday until 13:00."""

    def opening(self, day: date) -> tuple[tuple[time, time], ...]:
        if day.weekday() == 6:
            return ()
        return ((time(9), time(13 if day.weekday() == 5 else 18)),)


def read(words: str) -> WhenReading:
    return read_when(words, now=TUESDAY, open_times=Clinic())


def understood(words: str) -> When:
    reading = read(words)
    assert isinstance(reading, Understood), reading
    return reading.when


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("수요일만 빼고 다 돼요", date(2026, 12, 2)),
        ("내일만 아니면 다 돼요", date(2026, 12, 2)),
        ("월요일만 아니면 돼요", date(2026, 12, 7)),
        ("월요일만 피해 주세요", date(2026, 12, 7)),
    ],
)
def test_the_one_day_excepted_is_ruled_out_and_not_wished_for(words: str, day: date) -> None:
    when = understood(words)
    assert not when.has_day
    assert when.not_days == (day,)


def test_the_half_excepted_leaves_the_other_and_an_hour_excepted_is_no_wish() -> None:
    assert understood("오전만 아니면 돼요").time_from == time(12)
    assert understood("오전만 빼고요").time_from == time(12)
    assert read("오후 세 시만 아니면 돼요") == NoWhen()


def test_the_day_after_an_exception_is_the_wish() -> None:
    when = understood("수요일만 아니면 되는데 목요일 세 시요")
    assert (when.one_day, when.time_from) == (date(2026, 12, 3), time(15))


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("2주 뒤 월요일", date(2026, 12, 14)),
        ("이 주 뒤 월요일이요", date(2026, 12, 14)),
        ("2주 후 금요일 세시", date(2026, 12, 18)),
        ("일주일 뒤 금요일", date(2026, 12, 11)),
        ("보름 뒤 월요일", date(2026, 12, 14)),
        ("한 달 뒤 월요일", date(2027, 1, 4)),
        ("올해 마지막 주 화요일", date(2026, 12, 29)),
    ],
)
def test_a_weekday_behind_a_length_of_time_is_kept(words: str, day: date) -> None:
    assert understood(words).one_day == day


def test_the_end_of_the_year_and_the_new_one() -> None:
    assert understood("연말 전에").day_to == date(2026, 12, 31)
    new_year = understood("새해 첫 주")
    assert new_year.day_to == date(2027, 1, 3)


@pytest.mark.parametrize(
    ("words", "at"),
    [("십오시 삼십분", time(15, 30)), ("십사 시요", time(14)), ("내일 십삼시", time(13))],
)
def test_the_24_hour_clock_in_words(words: str, at: time) -> None:
    assert understood(words).time_from == at


def test_a_polite_ending_is_no_hour() -> None:
    assert read("어서 오십시오") == NoWhen()
