"""The published facts as prompt text: only facts, in a fixed form (T2)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest

from wonmu.clock import SEOUL
from wonmu.hospital import Hospital, facts_text, load_hospitals
from wonmu.hospital.billing import BillingSettings
from wonmu.hospital.config import Leave, NamedDay, PublicHolidays

pytestmark = pytest.mark.unit

HANBIT, _, SAEBOM = load_hospitals().all()
NOW = datetime(2026, 12, 1, 10, tzinfo=SEOUL)


def lines(hospital: Hospital, now: datetime = NOW) -> list[str]:
    return facts_text(hospital, now).split("\n")


@pytest.mark.parametrize(
    ("hospital", "line"),
    [
        (HANBIT, "병원: 한빛병원"),
        (HANBIT, "주소: 서울시 새빛구 한빛로 11, 새빛역 3번 출구에서 걸어서 5분"),
        (HANBIT, "전화: 02-0000-1100"),
        (HANBIT, "오늘: 2026년 12월 1일 화요일"),
        (
            HANBIT,
            "- 월요일: 오전 아홉 시부터 오후 여섯 시까지 (점심시간 오후 한 시부터 오후 두 시까지)",
        ),
        (HANBIT, "- 토요일: 오전 아홉 시부터 오후 한 시까지"),
        (HANBIT, "- 일요일: 휴진"),
        (SAEBOM, "- 토요일: 휴진"),
        (HANBIT, "공휴일: 공휴일과 대체공휴일에는 쉽니다."),
        (HANBIT, "- 12월 25일 금요일은 성탄절 휴진입니다."),
        (HANBIT, "- 12월 19일 토요일은 전산 시스템 교체로 휴진합니다."),
        (
            HANBIT,
            "- 12월 31일 목요일은 종무식으로 오후 세 시부터 오후 여섯 시까지 진료하지 않습니다.",
        ),
        (HANBIT, "- 박도윤 과장은 12월 14일 월요일부터 12월 16일 수요일까지 휴진합니다."),
        (HANBIT, "- 내과: 김서연 원장, 박도윤 과장"),
        (HANBIT, "- 건강검진센터: 한지우 과장 (전화 예약은 직원이 도와드립니다)"),
        (HANBIT, "- 이준호 원장: 월요일, 화요일 오전, 수요일, 목요일, 금요일 오전, 토요일 오전"),
        (HANBIT, "제증명 수수료:"),
        (HANBIT, "- 진단서: 이만 원, 추가 한 장마다 천 원"),
        (HANBIT, "- 진료기록 사본: 천 원"),
        (SAEBOM, "- 백솔 과장은 12월 21일 월요일부터 12월 23일 수요일까지 휴진합니다."),
        (SAEBOM, "질문: 입원할 수 있나요? (다른 말: 입원, 입원실, 병실)"),
    ],
)
def test_a_fact_stands_on_its_line(hospital: Hospital, line: str) -> None:
    assert line in lines(hospital)


def test_every_question_is_followed_by_its_answer() -> None:
    for hospital in (HANBIT, SAEBOM):
        told = lines(hospital)
        for entry in hospital.faq:
            place = next(
                i for i, line in enumerate(told) if line.startswith(f"질문: {entry.question}")
            )
            assert told[place + 1] == f"답: {entry.answer}"


def test_the_same_day_gives_the_same_text_in_any_zone() -> None:
    later = NOW + timedelta(hours=13)
    assert facts_text(HANBIT, NOW) == facts_text(HANBIT, later.astimezone(UTC))
    assert facts_text(HANBIT, NOW) != facts_text(HANBIT, later + timedelta(hours=1))


def test_days_off_are_told_as_far_as_visits_are_booked() -> None:
    assert "- 1월 1일 금요일은 신정 휴진입니다." in lines(HANBIT)
    assert "신정" not in facts_text(SAEBOM, NOW)  # 31 days on, bookable are 30
    assert not any(
        "성탄절" in line for line in lines(HANBIT, datetime(2026, 12, 26, 9, tzinfo=SEOUL))
    )


def test_nothing_off_leaves_no_heading() -> None:
    quiet = SAEBOM.model_copy(
        update={"booking": SAEBOM.booking.model_copy(update={"furthest_days": 1})}
    )
    assert "휴진 안내:" not in lines(quiet, datetime(2026, 11, 2, 9, tzinfo=SEOUL))


def test_an_open_holiday_and_a_single_day_of_leave() -> None:
    own = PublicHolidays(
        open_on=(date(2026, 12, 25),), added=(NamedDay(day=date(2026, 12, 3), name="임시공휴일"),)
    )
    away = HANBIT.doctors[0].model_copy(
        update={"leave": (Leave(start=date(2026, 12, 7), end=date(2026, 12, 7)),)}
    )
    hospital = HANBIT.model_copy(
        update={"public_holidays": own, "doctors": (away, *HANBIT.doctors[1:])}
    )
    told = lines(hospital)
    assert "- 12월 25일 금요일은 성탄절이지만 평소 시간대로 진료합니다." in told
    assert "- 12월 3일 목요일은 임시공휴일 휴진입니다." in told
    assert "- 김서연 원장은 12월 7일 월요일에 휴진합니다." in told


def test_answers_can_be_spoken() -> None:
    # A voice reads "9:00" and "2~3" wrongly, and addresses of web pages not at all.
    for hospital in (HANBIT, SAEBOM):
        for entry in hospital.faq:
            assert not re.search(r"\d:\d|~|http|www|[①-⑳•*#]", entry.answer), entry.question
            assert entry.answer.endswith("."), entry.question


def test_no_hole_is_left() -> None:
    for hospital in (HANBIT, SAEBOM):
        text = facts_text(hospital, NOW)
        assert not re.search(r"[{}]|None", text)
        assert all(line.strip() for line in text.split("\n"))


def test_fees_are_told_only_where_some_are_published() -> None:
    assert "제증명 수수료:" not in lines(SAEBOM)
    bare = HANBIT.model_copy(update={"billing": BillingSettings()})
    assert "제증명 수수료:" not in lines(bare)
    assert "제증명 수수료:" in lines(HANBIT)
