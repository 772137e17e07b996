"""The hospital's calendar: what is open, why not, and what may be booked (B6, T9)."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from wonmu.clock import SEOUL
from wonmu.hospital import Calendar, Hospital, load_hospitals
from wonmu.hospital.config import Closure, NamedDay, PublicHolidays, Span
from wonmu.hospital.hours import (
    Check,
    Closed,
    ClosedKind,
    ClosedReason,
    Ok,
    Past,
    TooFar,
    TooSoon,
)
from wonmu.ids import DoctorId, HospitalId

pytestmark = pytest.mark.unit

DEMO = load_hospitals()


def _hospital(name: str) -> Hospital:
    found = DEMO.by_id(HospitalId(name))
    assert found is not None
    return found


HANBIT = _hospital("hanbit")
SAEBOM = _hospital("saebom")
WEEKDAY = ((time(9), time(13)), (time(14), time(18)))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("name", "day", "opening"),
    [
        ("hanbit", "2026-12-01", WEEKDAY),
        ("hanbit", "2026-12-05", ((time(9), time(13)),)),
        ("hanbit", "2026-12-06", ()),
        ("hanbit", "2026-12-19", ()),  # closure
        ("hanbit", "2026-12-31", ((time(9), time(13)), (time(14), time(15)))),  # part of a day
        ("hanbit", "2026-12-25", ()),
        ("hanbit", "2026-09-24", ()),
        ("hanbit", "2026-09-25", ()),
        ("hanbit", "2026-10-05", ()),  # substitute of 개천절
        ("hanbit", "2027-02-09", ()),  # substitute of 설날
        ("hanbit", "2027-02-10", WEEKDAY),
        ("saebom", "2026-12-01", ((time(8, 30), time(12, 30)), (time(13, 30), time(17, 30)))),
        ("saebom", "2026-12-02", ((time(8, 30), time(12, 30)),)),
        ("saebom", "2026-12-04", ((time(8, 30), time(12, 30)), (time(13, 30), time(20)))),
        ("saebom", "2026-12-05", ()),
        ("saebom", "2027-08-03", ()),
    ],
)
def test_opening(name: str, day: str, opening: tuple[tuple[time, time], ...]) -> None:
    assert Calendar(_hospital(name)).opening(date.fromisoformat(day)) == opening


@pytest.mark.parametrize(
    ("when", "kind", "name"),
    [
        ("2026-12-01T09:00", None, ""),
        ("2026-12-01T08:59", ClosedKind.BEFORE_OPENING, ""),
        ("2026-12-01T12:59", None, ""),
        ("2026-12-01T13:00", ClosedKind.LUNCH, ""),
        ("2026-12-01T13:59", ClosedKind.LUNCH, ""),
        ("2026-12-01T14:00", None, ""),
        ("2026-12-01T17:59", None, ""),
        ("2026-12-01T18:00", ClosedKind.AFTER_CLOSING, ""),
        ("2026-12-05T12:59", None, ""),
        ("2026-12-05T13:00", ClosedKind.AFTER_CLOSING, ""),
        ("2026-12-06T10:00", ClosedKind.WEEKLY, ""),
        ("2026-12-25T10:00", ClosedKind.HOLIDAY, "성탄절"),
        ("2026-12-19T10:00", ClosedKind.CLOSURE, "전산 시스템 교체"),
        ("2026-12-31T15:00", ClosedKind.CLOSURE, "종무식"),
        ("2026-12-31T14:59", None, ""),
        ("2026-12-31T13:30", ClosedKind.LUNCH, ""),
        ("2027-02-07T10:00", ClosedKind.HOLIDAY, "설날"),  # a Sunday, told as the feast
    ],
)
def test_why_closed_at_a_moment(when: str, kind: ClosedKind | None, name: str) -> None:
    calendar = Calendar(HANBIT)
    expected = None if kind is None else ClosedReason(kind, name)
    assert calendar.why_closed(at(when)) == expected
    assert calendar.is_open(at(when)) is (kind is None)


@pytest.mark.parametrize(
    ("day", "name"),
    [
        ("2026-01-01", "신정"),
        ("2026-02-16", "설날 전날"),
        ("2026-02-17", "설날"),
        ("2026-02-18", "설날 다음날"),
        ("2026-03-02", "삼일절 대체공휴일"),
        ("2026-05-25", "부처님오신날 대체공휴일"),
        ("2026-08-17", "광복절 대체공휴일"),
        ("2026-09-25", "추석"),
        ("2026-10-05", "개천절 대체공휴일"),
        ("2027-02-07", "설날"),
        ("2027-02-09", "설날 대체공휴일"),
        ("2027-09-15", "추석"),
        ("2027-10-04", "개천절 대체공휴일"),
        ("2027-12-27", "성탄절 대체공휴일"),
    ],
)
def test_public_and_substitute_holidays(day: str, name: str) -> None:
    calendar = Calendar(HANBIT)
    when = date.fromisoformat(day)
    assert calendar.holidays(when.year)[when] == name
    assert calendar.why_closed(when) == ClosedReason(ClosedKind.HOLIDAY, name)


@pytest.mark.parametrize(
    ("after", "following"),
    [
        ("2026-12-01", "2026-12-02"),
        ("2026-12-05", "2026-12-07"),
        ("2026-12-18", "2026-12-21"),
        ("2026-12-24", "2026-12-26"),
        ("2026-12-31", "2027-01-02"),
        ("2027-02-05", "2027-02-10"),
        ("2026-09-23", "2026-09-28"),
    ],
)
def test_next_open_day(after: str, following: str) -> None:
    found = Calendar(HANBIT).next_open_day(date.fromisoformat(after))
    assert found == date.fromisoformat(following)


def test_no_open_day_within_a_year_or_the_calendar() -> None:
    closure = Closure(start=date(2026, 1, 1), end=date(2028, 12, 31), reason="이전 공사")
    calendar = Calendar(HANBIT.model_copy(update={"closures": (closure,)}))
    assert calendar.next_open_day(date(2026, 12, 1)) is None
    assert calendar.next_open_day(date.max) is None


NOW = "2026-12-01T10:00"


@pytest.mark.parametrize(
    ("name", "now", "when", "expected"),
    [
        ("hanbit", NOW, "2026-12-01T11:00", Ok()),
        ("hanbit", NOW, "2026-12-01T10:59", TooSoon(at("2026-12-01T11:00"))),
        ("hanbit", NOW, "2026-12-01T09:59", Past()),
        ("hanbit", NOW, "2026-11-30T10:00", Past()),
        ("hanbit", NOW, "2027-01-30T12:45", Ok()),  # the furthest day, 60 days on
        ("hanbit", NOW, "2027-02-01T10:00", TooFar(date(2027, 1, 30))),
        ("hanbit", NOW, "2028-12-01T10:00", TooFar(date(2027, 1, 30))),
        (
            "hanbit",
            NOW,
            "2026-12-25T10:00",
            Closed(ClosedReason(ClosedKind.HOLIDAY, "성탄절"), date(2026, 12, 26)),
        ),
        (
            "hanbit",
            NOW,
            "2026-12-02T13:00",
            Closed(ClosedReason(ClosedKind.LUNCH), date(2026, 12, 3)),
        ),
        ("saebom", NOW, "2026-12-01T16:00", TooSoon(at("2026-12-02T00:00"))),
        ("saebom", NOW, "2026-12-02T08:30", Ok()),
        ("saebom", "2026-12-01T22:00", "2026-12-02T08:30", TooSoon(at("2026-12-02T10:00"))),
        ("saebom", NOW, "2026-12-31T10:00", Ok()),
        ("saebom", NOW, "2027-01-04T10:00", TooFar(date(2026, 12, 31))),
    ],
)
def test_check_a_moment(name: str, now: str, when: str, expected: Check) -> None:
    assert Calendar(_hospital(name)).check(at(now), at(when)) == expected


@pytest.mark.parametrize(
    ("name", "now", "day", "expected"),
    [
        ("hanbit", NOW, "2026-12-01", Ok()),
        ("hanbit", NOW, "2026-11-30", Past()),
        ("hanbit", "2026-12-01T16:45", "2026-12-01", Ok()),
        ("hanbit", "2026-12-01T16:46", "2026-12-01", TooSoon(at("2026-12-01T17:46"))),
        (
            "hanbit",
            "2026-12-01T18:00",
            "2026-12-01",
            Closed(ClosedReason(ClosedKind.AFTER_CLOSING), date(2026, 12, 2)),
        ),
        (
            "hanbit",
            NOW,
            "2026-12-06",
            Closed(ClosedReason(ClosedKind.WEEKLY), date(2026, 12, 7)),
        ),
        ("hanbit", NOW, "2027-01-31", TooFar(date(2027, 1, 30))),
        ("saebom", NOW, "2026-12-01", TooSoon(at("2026-12-02T00:00"))),
        ("saebom", NOW, "2026-12-02", Ok()),
        ("saebom", "2026-12-02T00:10", "2026-12-02", TooSoon(at("2026-12-03T00:00"))),
    ],
)
def test_check_a_day(name: str, now: str, day: str, expected: Check) -> None:
    assert Calendar(_hospital(name)).check(at(now), date.fromisoformat(day)) == expected


def test_the_window_is_half_open_and_in_seoul() -> None:
    now = at("2026-12-01T10:00")
    for zone in (UTC, ZoneInfo("America/New_York"), SEOUL):
        window = Calendar(HANBIT).bookable_window(now.astimezone(zone))
        assert window == (at("2026-12-01T11:00"), at("2027-01-31T00:00"))
    assert Calendar(SAEBOM).bookable_window(now)[0] == at("2026-12-02T00:00")


def test_the_day_is_the_day_in_seoul() -> None:
    # 08:50 on Wednesday in Seoul is still Tuesday evening in UTC.
    moment = datetime(2026, 12, 1, 23, 50, tzinfo=UTC)
    assert Calendar(HANBIT).bookable_window(moment)[1].date() == date(2027, 2, 1)
    assert Calendar(HANBIT).check(moment, date(2026, 12, 1)) == Past()


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        Calendar(HANBIT).is_open(datetime(2026, 12, 1, 10))  # noqa: DTZ001


def test_own_word_over_the_public_calendar() -> None:
    own = PublicHolidays(
        added=(NamedDay(day=date(2026, 12, 2), name="임시공휴일"),),
        removed=(date(2026, 12, 25),),
        open_on=(date(2027, 1, 1),),
    )
    calendar = Calendar(HANBIT.model_copy(update={"public_holidays": own}))
    assert calendar.why_closed(date(2026, 12, 2)) == ClosedReason(ClosedKind.HOLIDAY, "임시공휴일")
    assert calendar.opening(date(2026, 12, 25)) == WEEKDAY
    assert calendar.opening(date(2027, 1, 1)) == WEEKDAY
    assert calendar.holidays(2027)[date(2027, 1, 1)] == "신정"
    assert date(2026, 12, 25) not in calendar.holidays(2026)


def test_a_closure_of_all_hours_is_the_reason_of_the_day() -> None:
    whole = Closure(
        start=date(2026, 12, 2),
        end=date(2026, 12, 2),
        reason="단수",
        hours=Span(start=time(8), end=time(19)),
    )
    calendar = Calendar(HANBIT.model_copy(update={"closures": (whole,)}))
    assert calendar.opening(date(2026, 12, 2)) == ()
    assert calendar.why_closed(date(2026, 12, 2)) == ClosedReason(ClosedKind.CLOSURE, "단수")


@pytest.mark.parametrize(
    ("name", "doctor", "day", "times"),
    [
        ("hanbit", "kim-seoyeon", "2026-12-01", WEEKDAY),
        ("hanbit", "kim-seoyeon", "2026-12-02", WEEKDAY[:1]),
        ("hanbit", "park-doyun", "2026-12-07", WEEKDAY[1:]),
        ("hanbit", "park-doyun", "2026-12-14", ()),  # leave, first day
        ("hanbit", "park-doyun", "2026-12-16", ()),  # leave, last day
        ("hanbit", "park-doyun", "2026-12-17", WEEKDAY[:1]),
        ("hanbit", "park-doyun", "2026-12-05", ()),  # no Saturdays
        ("hanbit", "lee-junho", "2026-12-05", ((time(9), time(13)),)),
        ("hanbit", "jung-jaehee", "2026-12-25", ()),
        ("hanbit", "han-jiwoo", "2026-12-01", ()),
        ("hanbit", "nobody", "2026-12-01", ()),
        ("saebom", "yoon-garam", "2026-12-04", ((time(13, 30), time(20)),)),
        ("saebom", "yoon-bomi", "2026-12-02", ((time(8, 30), time(12, 30)),)),
    ],
)
def test_doctor_times(
    name: str, doctor: str, day: str, times: tuple[tuple[time, time], ...]
) -> None:
    found = Calendar(_hospital(name)).doctor_times(DoctorId(doctor), date.fromisoformat(day))
    assert found == times


@pytest.mark.parametrize(
    ("name", "when", "is_open"),
    [
        ("hanbit", "2026-12-01T12:59", True),
        ("hanbit", "2026-12-01T13:00", False),
        ("saebom", "2026-12-04T16:59", True),
        ("saebom", "2026-12-04T17:00", False),  # visits go on, the desk does not
        ("saebom", "2026-12-04T12:45", False),
        ("saebom", "2026-12-05T10:00", False),
        ("saebom", "2026-12-25T10:00", False),
    ],
)
def test_desk_open(name: str, when: str, is_open: bool) -> None:
    assert Calendar(_hospital(name)).desk_open(at(when)) is is_open


def test_without_a_desk_nobody_answers() -> None:
    calendar = Calendar(HANBIT.model_copy(update={"desk": None}))
    assert calendar.desk_open(at("2026-12-01T10:00")) is False


def test_every_open_interval_is_inside_the_day_and_apart() -> None:
    for hospital in DEMO.all():
        calendar = Calendar(hospital)
        for number in range(730):
            day = date(2026, 1, 1) + timedelta(days=number)
            edges = [edge for interval in calendar.opening(day) for edge in interval]
            assert edges == sorted(set(edges))
            assert bool(edges) is (calendar.why_closed(day) is None)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Seoul"])
def test_the_host_zone_changes_nothing(zone: str) -> None:
    program = (
        "from datetime import datetime, UTC; from wonmu.hospital import *\n"
        "c = Calendar(load_hospitals().all()[0]); now = datetime(2026, 12, 1, 23, 50, tzinfo=UTC)\n"
        "print(c.bookable_window(now), c.is_open(now), c.check(now, now))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "2026, 12, 2, 9, 50" in ran.stdout
    assert "2027, 2, 1, 0, 0" in ran.stdout
    assert "False Closed" in ran.stdout


def test_the_holidays_library_is_imported_only_when_needed() -> None:
    program = (
        "import sys; from wonmu.hospital import *; h = load_hospitals().all()[0]; Calendar(h)\n"
        "print('holidays' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "False"
