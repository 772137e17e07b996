"""Callers' words about days and times, hand-checked (B5, B6, T9; R30, R32, R34, R36, R51)."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from wonmu.korean.dates import (
    AmbiguityKind,
    Ambiguous,
    Impossible,
    InPast,
    NoWhen,
    Understood,
    When,
    WhenReading,
    mentions_when,
    read_when,
)

pytestmark = pytest.mark.unit

KST = ZoneInfo("Asia/Seoul")
HOLIDAYS = {
    date(2026, 8, 15): "광복절",
    date(2026, 8, 17): "광복절 대체 휴일",
    date(2026, 9, 24): "추석 연휴",
    date(2026, 9, 25): "추석",
    date(2026, 9, 26): "추석 연휴",
    date(2026, 10, 3): "개천절",
    date(2026, 10, 5): "개천절 대체 휴일",
    date(2026, 12, 25): "성탄절",
    date(2027, 1, 1): "신정",
    date(2027, 2, 6): "설날 연휴",
    date(2027, 2, 7): "설날",
    date(2027, 2, 8): "설날 연휴",
    date(2027, 2, 9): "설날 대체 휴일",
}


class Clinic:
    """Weekdays 09:00-12:30 and 13:30-18:00, Saturday 09:00-13:00, closed on Sunday and feasts."""

    def opening(self, day: date) -> tuple[tuple[time, time], ...]:
        if day.weekday() == 6 or day in HOLIDAYS:
            return ()
        if day.weekday() == 5:
            return ((time(9), time(13)),)
        return ((time(9), time(12, 30)), (time(13, 30), time(18)))


class NightClinic:
    """Open from eight in the morning to ten at night, every day."""

    def opening(self, day: date) -> tuple[tuple[time, time], ...]:
        return ((time(8), time(22)),)


WED = datetime(2026, 7, 22, 10, 0, tzinfo=KST)


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=KST)


def read(words: str, now: datetime = WED, earlier: When | None = None) -> WhenReading:
    return read_when(words, now=now, open_times=Clinic(), holidays=HOLIDAYS, earlier=earlier)


def short(when: When) -> str:
    """ "07-23 @14:00", "07-27..08-02 06:00-12:00 soon not 07-28": one line to compare by eye."""
    said = []
    if when.day_from and when.day_to:
        year = "" if when.day_from.year == 2026 else f"{when.day_from.year}-"
        first, last = f"{when.day_from:%m-%d}", f"{when.day_to:%m-%d}"
        said.append(year + (first if first == last else f"{first}..{last}"))
    if when.time_from:
        end = f"-{when.time_to:%H:%M}" if when.time_to else ""
        said.append(f"{'@' if when.point else ''}{when.time_from:%H:%M}{end}")
    if when.soonest:
        said.append("soon")
    if when.not_days:
        said.append("not " + ",".join(f"{day:%m-%d}" for day in when.not_days))
    return " ".join(said)


def reading(result: WhenReading) -> str:
    match result:
        case Understood(when):
            return short(when)
        case Ambiguous(kind, options):
            return f"{kind}? " + " | ".join(short(option) for option in options)
        case InPast(when):
            return "past " + short(when)
        case Impossible(words):
            return f"impossible {words}"
        case NoWhen():
            return "none"


DAYS = {
    "오늘이요": "07-22",
    "내일": "07-23",
    "내일모레": "07-24",
    "글피": "07-25",
    "그글피": "07-26",
    "사흘 뒤": "07-25",
    "일주일 뒤": "07-29",
    "열흘 후": "08-01",
    "보름 뒤": "08-06",
    "한 달 뒤": "08-22",
    "월욜": "07-27",
    "담주 수욜": "07-29",
    "다음 주 화요일": "07-28",
    "다음주화요일": "07-28",
    "다다음 주 목요일": "08-06",
    "이번 주 목요일": "07-23",
    "이번 월요일": "07-27",
    "이번 수요일": "07-22",
    "오는 목요일": "07-23",
    "돌아오는 수요일": "07-29",
    "다음 월요일": "07-27",
    "다음 수요일": "07-29",
    "이번 주": "07-22..07-26",
    "다음 주": "07-27..08-02",
    "주말": "07-25..07-26",
    "이번 달 말": "07-25..07-31",
    "다음 달 초": "08-01..08-07",
    "15일": "08-15",
    "이십일이요": "08-20",
    "시월 이일": "10-02",
    "팔월 십이일": "08-12",
    "8.12": "08-12",
    "1월 5일": "2027-01-05",
    "이십칠년 일월 오일": "2027-01-05",
    "크리스마스": "12-25",
    "광복절 다음 날": "08-16",
    "광복절 대체휴일": "08-17",
    "추석 다음 날": "09-26",
    "설 연휴 전날": "2027-02-05",
    "평일이요": "07-22..08-04 not 07-25,07-26,08-01,08-02",
    "이번 달 넷째 주 금요일": "07-24",
}

BOUNDS = {
    "추석 지나고": "09-28..10-11",
    "추석 연휴 끝나고요": "09-28..10-11",
    "설 연휴 지나고 월요일": "2027-02-15",
    "20일 이후로": "08-20..09-02",
    "20일 지나고요": "08-21..09-03",
    "8월 20일 이후로 잡아 주세요": "08-20..09-02",
    "다음 주 이후로": "07-27..08-09",
    "금요일까지": "07-22..07-24",
    "8월 12일 전까지": "07-22..08-11",
    "12일 전까지": "07-22..08-11",
    "20일 이전": "07-22..08-19",
    "일주일 안에": "07-22..07-29",
    "3일 안으로": "07-22..07-25",
    "세 시 이후": "15:00-23:59",
    "세 시 전에": "00:00-15:00",
    "점심 이후로": "14:00-23:59",
    "내일 세 시 넘어서": "07-23 15:00-23:59",
    "10월 2일 예약, 그 뒤로 옮겨 주세요": "10-06..10-19",
}

TIMES = {
    "두 시": "@14:00",
    "일곱 시": "@07:00",
    "여덟 시": "@08:00",
    "열두 시": "@12:00",
    "한 시 반": "@13:30",
    "열시반": "@10:30",
    "세 시 십오 분 전": "@14:45",
    "16.30": "@16:30",
    "2.30": "@14:30",
    "오후 네 시 반": "@16:30",
    "오후 네 시예": "@16:00",
    "오후 네 시 반이여": "@16:30",
    "오후 네 시인데요": "@16:00",
    "오후 세 시유": "@15:00",
    "오후 세 시 십오 분예": "@15:15",
    "오후 세 시 반이라예": "@15:30",
    "저녁 여섯 시 십오 분": "@18:15",
    "오전 두 시": "@02:00",
    "정오에": "@12:00",
    "저녁에요 일곱 시요": "@19:00",
    "두시에서 네시 사이": "14:00-16:00",
    "두세 시쯤": "14:00-16:00",
    "아홉 시부터 두 시까지": "09:00-14:00",
    "오전": "06:00-12:00",
    "아침에요": "06:00-10:00",
    "저녁": "17:00-21:00",
    "점심 때": "12:00-14:00",
    "오후 늦게": "15:30-18:00",
    "내일 세 시 십오 분 전": "07-23 @14:45",
    "다음주화요일 두시반": "07-28 @14:30",
    "담주 수욜 열한시 이십분": "07-29 @11:20",
    "다음주 금욜 오후 네시반이요": "07-31 @16:30",
    "다음 주 오후": "07-27..08-02 12:00-18:00",
    "이번 주말 오후 세 시": "07-25..07-26 @15:00",
    "다음 주 화요일 오후 늦게": "07-28 15:30-18:00",
    "돌아오는 목요일 오후 늦게": "07-23 15:30-18:00",
    "내일 아침 일찍": "07-23 09:00-10:30",
    "토요일 늦게": "07-25 11:00-13:00",
    "일요일 두 시": "07-26 @14:00",
    "토요일 오후 세 시요": "07-25 @15:00",
    "내일 오후 3시 이후로 아무 때나요": "07-23 15:00-23:59 soon",
}

CORRECTIONS = {
    "3시 말고 4시로": "@16:00",
    "내일 두시요 아니 세시요": "07-23 @15:00",
    "화요일 아니고 수요일": "07-29",
    "내일이 아니라 모레요": "07-24",
    "내일 오전 말고 오후요": "07-23 12:00-18:00",
    "오전 말고 다음 주요": "07-27..08-02",
    "내일 말고요": "not 07-23",
    "월요일 빼고 아무 때나": "soon not 07-27",
    "내일은 안 되고 모레 오후요": "07-24 12:00-18:00",
    "내일은 안 되나요": "07-23",
    "다음 주 화요일 말고 그 다음 날": "07-29",
    "화요일에서 목요일로 바꿔 주세요": "07-30",
    "내일 두 시 예약을 모레로 바꿔 주세요": "07-24 @14:00",
    "내일 두 시 예약인데 네 시로 옮기고 싶어요": "07-23 @16:00",
    "다음 주인데 화요일이요": "07-28",
    "두 시 말고 더 늦게요": "14:01-23:59",
    "두 시보다 좀 일찍요": "00:00-14:00",
    "화요일이랑 목요일은 안 돼요": "not 07-28,07-23",
    "금요일 오후 말고 토요일 오전은 안 될까요": "07-25 06:00-12:00",
    "이번 달은 안 되고 다음 달이요": "08-01..08-31",
    "오전은 안 돼요": "12:00-23:59",
    "2월 30일 아니 28일이요": "07-28",
}

SOONEST = {
    "가장 빨리요": "soon",
    "가능한 빨리요": "soon",
    "최대한 빨리 부탁드려요": "soon",
    "빠른 날로 해주세요": "soon",
    "아무 때나": "soon",
    "다음 주에 제일 빠른 시간으로": "07-27..08-02 soon",
    "지금 바로 갈 수 있나요": "07-22 soon",
}

AMBIGUOUS = {
    "월요일이나 수요일": "alternatives? 07-27 | 07-29",
    "월요일이나 금요일 오후": "alternatives? 07-27 12:00-18:00 | 07-24 12:00-18:00",
    "내일 두 시나 세 시": "alternatives? 07-23 @14:00 | 07-23 @15:00",
    "내일 오전이나 오후": "alternatives? 07-23 06:00-12:00 | 07-23 12:00-18:00",
    "내일 갈게요 모레 갈게요": "several? 07-23 | 07-24",
    "다음 달 첫째 주 수요일": "nth_week? 07-29 | 08-05",
    "8월 둘째 주 화요일": "nth_week? 08-04 | 08-11",
    "다음 달 셋째 주": "nth_week? 08-10..08-16 | 08-17..08-23",
    "수요일 세 시": "same_weekday? 07-22 @15:00 | 07-29 @15:00",
    "다음 목요일": "next_weekday? 07-23 | 07-30",
    "9.30": "date_or_time? @09:30 | 09-30",
}

NOT_WISHES = (
    "이틀 전에 다쳤어요",
    "어제부터 아파요",
    "오늘 아침부터 열이 나요",
    "지난주에 갔었는데요",
    "화요일에 다쳤어요",
    "사월 이일에 갔었는데요",
    "이 일로 사월 이일에 갔었는데요",
    "두 달 전에 수술했어요",
    "밤에 기침이 나요",
    "점심 먹고 나서 배가 아파요",
    "팔십오년 삼월 이일생",
    "85년 3월 2일생이에요",
    "팔십오년 삼월 이일이요",
    "생년월일은 85년 3월 2일이에요",
    "삼월 이일에 태어났어요",
    "이사 와서요",
    "이 일로요",
    "만 나이로요",
    "만 세 살이에요",
    "일 층",
    "삼십 분 걸려요",
    "하루에 세 번 먹어요",
    "일주일째 아파요",
    "010-0000-1234",
    "공일공 공공공공 일이삼사",
    "이번에",
    "이 시간에",
    "오늘이 며칠이에요",
    "아까 그 시간",
    "지금 예약할 수 있나요",
    "빨리 낫고 싶어요",
    "네",
    "",
)

BOTH_TOLD_AND_WISHED = {
    "어제부터 아파서 내일 가고 싶어요": "07-23",
    "월요일에 아파서 못 갔는데 화요일에 가도 되나요": "07-28",
    "오늘 아침에 넘어졌어요 오늘 진료 되나요": "07-22",
    "엄마가 1950년 3월 2일생이고 내일 예약하려고요": "07-23",
    "지난번에 8월 3일에 오라고 하셨는데요": "08-03",
    "85세 어머니인데 내일 되나요": "07-23",
    "내일이요. 배가 아팠어요": "07-23",
}

PAST = {
    "이번 주 월요일": "past 07-20",
    "7월 20일": "past 07-20",
    "어제로 예약해 주세요": "past 07-21",
    "오늘 아홉 시": "past 07-22 @09:00",
}

IMPOSSIBLE = {
    "2월 30일": "impossible 2월 30일",
    "이월 삼십일": "impossible 이월 삼십일",
    "4월 31일이요": "impossible 4월 31일",
    "13월 1일": "impossible 13월 1일",
    "2월 29일": "impossible 2월 29일",
    "내일 25시": "impossible 25시",
}

TABLE = DAYS | BOUNDS | TIMES | CORRECTIONS | SOONEST | AMBIGUOUS
TABLE |= BOTH_TOLD_AND_WISHED | PAST | IMPOSSIBLE | dict.fromkeys(NOT_WISHES, "none")


@pytest.mark.parametrize(("words", "expected"), TABLE.items())
def test_words_said_on_a_wednesday_morning(words: str, expected: str) -> None:
    assert reading(read(words)) == expected


OTHER_MOMENTS = (
    # R32: on a Thursday
    ("2026-07-23T10:00", "이번 주 목요일", "07-23"),
    ("2026-07-23T10:00", "이번 목요일", "07-23"),
    ("2026-07-23T10:00", "돌아오는 목요일", "07-30"),
    ("2026-07-23T10:00", "다음 목요일", "07-30"),
    ("2026-07-23T10:00", "다음 주 목요일", "07-30"),
    ("2026-07-23T10:00", "목요일", "same_weekday? 07-23 | 07-30"),
    ("2026-07-23T19:00", "목요일", "07-30"),
    ("2026-07-23T10:00", "목요일 아홉 시", "07-30 @09:00"),
    ("2026-07-23T10:00", "모레", "07-25"),
    ("2026-07-23T10:00", "글피", "07-26"),
    # R30: around the date line of a UTC host
    ("2026-07-22T00:10", "내일 오전이요", "07-23 06:00-12:00"),
    ("2026-07-22T08:50", "내일 오전이요", "07-23 06:00-12:00"),
    ("2026-07-22T00:10", "오늘 두 시", "07-22 @14:00"),
    ("2026-07-22T19:00", "오늘 오후요", "past 07-22 12:00-18:00"),
    # a weekend
    ("2026-07-25T10:00", "주말", "07-25..07-26"),
    ("2026-07-25T10:00", "다음 주말", "08-01..08-02"),
    ("2026-07-26T10:00", "주말", "07-26"),
    ("2026-07-26T10:00", "다음 주 월요일", "07-27"),
    # the end of a year
    ("2026-12-31T10:00", "내일", "2027-01-01"),
    ("2026-12-31T10:00", "1월 2일", "2027-01-02"),
    ("2026-12-31T10:00", "다음 달 초", "2027-01-01..01-07"),
    ("2026-12-31T10:00", "이번 달 말", "12-31"),
    ("2027-12-20T10:00", "2월 29일", "2028-02-29"),
    # feasts
    ("2026-09-23T10:00", "추석 지나고", "09-28..10-11"),
    ("2027-02-05T10:00", "설날 지나고 오전에", "2027-02-10..02-23 06:00-12:00"),
)


@pytest.mark.parametrize(("moment", "words", "expected"), OTHER_MOMENTS)
def test_words_said_at_other_moments(moment: str, words: str, expected: str) -> None:
    assert reading(read(words, at(moment))) == expected


def test_now_is_taken_in_seoul_time() -> None:
    utc_evening = datetime(2026, 7, 21, 23, 50, tzinfo=ZoneInfo("UTC"))
    assert reading(read("내일", utc_evening)) == "07-23"


def test_a_moment_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        read("내일", datetime(2026, 7, 22, 10, 0))  # noqa: DTZ001


def test_bare_hour_open_at_both_readings_asks_back() -> None:
    result = read_when("내일 아홉 시요", now=WED, open_times=NightClinic())
    assert reading(result) == f"{AmbiguityKind.MERIDIEM}? 07-23 @09:00 | 07-23 @21:00"


def test_a_holiday_named_by_the_hospital_is_understood() -> None:
    own = {date(2026, 8, 5): "개원기념일"}
    result = read_when("개원기념일 다음 날", now=WED, open_times=Clinic(), holidays=own)
    assert reading(result) == "08-06"


@pytest.mark.parametrize("words", [w for w, r in TABLE.items() if r != "none"])
def test_every_wish_is_mentioned(words: str) -> None:
    assert mentions_when(words, now=WED)


@pytest.mark.parametrize("words", NOT_WISHES)
def test_what_is_no_wish_is_not_mentioned(words: str) -> None:
    assert not mentions_when(words, now=WED)


def test_relative_wish_is_mentioned_without_an_earlier_one() -> None:
    assert mentions_when("그 다음 날로요", now=WED)
    assert read("그 다음 날로요") == NoWhen()
