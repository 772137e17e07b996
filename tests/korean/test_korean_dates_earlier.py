"""A later, partial wish laid over an earlier one (B5, S8)."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from wonmu.korean.dates import InPast, NoWhen, Understood, When, read_when

pytestmark = pytest.mark.unit

WED = datetime(2026, 7, 22, 10, 0, tzinfo=ZoneInfo("Asia/Seoul"))


class Weekdays:
    def opening(self, day: date) -> tuple[tuple[time, time], ...]:
        return ((time(9), time(18)),) if day.weekday() < 5 else ()


def day(month: int, number: int, at: time | None = None) -> When:
    whole = date(2026, month, number)
    return When(whole, whole, time_from=at, point=at is not None)


def days(first: date, last: date, at: time | None = None) -> When:
    return When(first, last, time_from=at, point=at is not None)


TEN = time(10)
TUESDAY = day(7, 28, TEN)
TOMORROW = day(7, 23, time(14))
NEXT_WEEK = days(date(2026, 7, 27), date(2026, 8, 2))
TOMORROW_EVENING = When(date(2026, 7, 23), date(2026, 7, 23), time(17), time(21))

CASES: tuple[tuple[str, When, When], ...] = (
    ("세 시로요", TUESDAY, day(7, 28, time(15))),
    ("오후로요", TUESDAY, When(date(2026, 7, 28), date(2026, 7, 28), time(12), time(18))),
    ("목요일이요", TUESDAY, day(7, 30, TEN)),
    ("수요일이요", NEXT_WEEK, day(7, 29)),
    ("그 다음 날이요", TUESDAY, day(7, 29, TEN)),
    ("하루 뒤로요", TUESDAY, day(7, 29, TEN)),
    ("하루만 늦게요", TUESDAY, day(7, 29, TEN)),
    ("하루만 당겨 주세요", TUESDAY, day(7, 27, TEN)),
    ("일주일만 미뤄 주세요", TUESDAY, day(8, 4, TEN)),
    ("그날 세 시로요", TUESDAY, day(7, 28, time(15))),
    ("한 시간 뒤로요", TUESDAY, day(7, 28, time(11))),
    ("한 시간만 늦게요", TUESDAY, day(7, 28, time(11))),
    ("삼십 분만 일찍요", TUESDAY, day(7, 28, time(9, 30))),
    ("다음 주로요", day(7, 23, TEN), days(date(2026, 7, 27), date(2026, 8, 2), TEN)),
    ("다음 주 같은 요일이요", day(7, 23, TEN), day(7, 30, TEN)),
    ("그 다음 주로요", TUESDAY, days(date(2026, 8, 3), date(2026, 8, 9), TEN)),
    ("그 다음 주 수요일로요", TUESDAY, day(8, 5, TEN)),
    ("더 빠른 날은요", TUESDAY, days(date(2026, 7, 22), date(2026, 7, 27), TEN)),
    ("모레로요", TUESDAY, day(7, 24, TEN)),
    ("사흘 뒤에요", TUESDAY, day(7, 25, TEN)),
    ("일곱 시요", TOMORROW_EVENING, day(7, 23, time(19))),
    ("아까 그 시간이요", TOMORROW, TOMORROW),
)


@pytest.mark.parametrize(("words", "earlier", "expected"), CASES)
def test_partial_wish_over_an_earlier_one(words: str, earlier: When, expected: When) -> None:
    result = read_when(words, now=WED, open_times=Weekdays(), earlier=earlier)
    assert result == Understood(expected)


def test_later_time_on_the_same_day() -> None:
    result = read_when("더 늦은 시간 없어요?", now=WED, open_times=Weekdays(), earlier=TUESDAY)
    whole = date(2026, 7, 28)
    assert result == Understood(When(whole, whole, time(10, 1), time(23, 59)))


def test_hurry_keeps_the_day_and_lets_go_of_the_exact_time() -> None:
    result = read_when("제일 빠른 걸로요", now=WED, open_times=Weekdays(), earlier=TUESDAY)
    assert result == Understood(When(date(2026, 7, 28), date(2026, 7, 28), soonest=True))


def test_a_refused_day_is_no_longer_wished() -> None:
    result = read_when("내일 말고요", now=WED, open_times=Weekdays(), earlier=TOMORROW)
    refused = (date(2026, 7, 23),)
    assert result == Understood(When(time_from=time(14), point=True, not_days=refused))


def test_a_time_already_over_today_is_past_once_merged() -> None:
    result = read_when("아홉 시로요", now=WED, open_times=Weekdays(), earlier=day(7, 22, time(15)))
    assert result == InPast(day(7, 22, time(9)))


def test_a_bare_yes_does_not_repeat_the_earlier_wish() -> None:
    assert read_when("네", now=WED, open_times=Weekdays(), earlier=TUESDAY) == NoWhen()


def test_merging_keeps_what_was_not_said_again() -> None:
    afternoon = When(time_from=time(12), time_to=time(18))
    assert day(7, 30).merged_over(TUESDAY) == day(7, 30, TEN)
    assert afternoon.merged_over(TUESDAY).one_day == date(2026, 7, 28)
    assert afternoon.merged_over(None) == afternoon


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"day_from": date(2026, 7, 22)}, "both ends of its days"),
        ({"day_from": date(2026, 7, 23), "day_to": date(2026, 7, 22)}, "days of a wish run"),
        ({"time_from": TEN}, "part of the day"),
        ({"time_from": TEN, "time_to": TEN}, "times of a wish run"),
        ({"time_from": TEN, "time_to": time(11), "point": True}, "clock time"),
    ],
)
def test_a_half_said_wish_cannot_be_built(broken: dict[str, date], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        When(**broken)  # type: ignore[arg-type]
