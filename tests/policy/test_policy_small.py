"""Evidence, the latch, offers in free text and the reading of stated times (T4, T5, T10, T12)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wonmu.policy.doctor_names import named_doctors
from wonmu.policy.evidence import really_said, sources
from wonmu.policy.proposals import find_proposal
from wonmu.policy.stated_times import Stated, all_agree, stated_times
from wonmu.policy.terminal import Latch, TerminalReason
from wonmu.policy.verdict import Action

pytestmark = pytest.mark.unit

HEARD = ["여보세요", "내과 예약을 하고 싶은데요.", "네"]


@pytest.mark.parametrize("words", ["내과 예약", "내과예약을하고싶은데요", "예약을, 하고 싶은데요!"])
def test_words_are_found_whatever_their_spacing(words: str) -> None:
    assert really_said(words, HEARD)


@pytest.mark.parametrize("words", ["외과 예약", "네", "예", "", "…", "요", "내과 예약 취소"])
def test_other_words_and_a_bare_yes_are_no_evidence(words: str) -> None:
    assert not really_said(words, HEARD)


def test_a_bare_yes_counts_only_when_told_so_and_said() -> None:
    assert really_said("네", HEARD, bare_yes_counts=True)
    assert not really_said("그럼요", HEARD, bare_yes_counts=True)
    assert not really_said("네", [], bare_yes_counts=True)


def test_sources_are_whole_turns_latest_first() -> None:
    heard = ["예약 취소하면 어떻게 돼요?", "그럼 예약 취소해 주세요"]
    assert sources("예약 취소", heard) == (heard[1], heard[0])
    assert sources("돼요 그럼 예약", heard) == (" ".join(heard),)
    assert sources("!", heard) == ()


def test_the_latch_closes_once_and_for_all() -> None:
    latch = Latch()
    assert latch.allows_speech()
    assert latch.allows_action()
    assert latch.close(TerminalReason.BOOKING_DONE)
    assert not latch.close(TerminalReason.CALLER_LEFT)
    assert latch.closed
    assert latch.reason is TerminalReason.BOOKING_DONE
    assert not latch.allows_action()
    assert not latch.allows_speech()
    assert latch.allows_speech(planned_goodbye=True)


def test_nothing_is_said_to_a_caller_who_left() -> None:
    latch = Latch()
    latch.close(TerminalReason.CALLER_LEFT)
    assert not latch.allows_speech(planned_goodbye=True)


PROPOSALS: tuple[tuple[str, Action | None], ...] = (
    ("예약 도와드릴까요?", Action.BOOKING_CREATE),
    ("예약을 진행해 드릴까요?", Action.BOOKING_CREATE),
    ("예약하시겠어요?", Action.BOOKING_CREATE),
    ("접수해 드릴까요?", Action.BOOKING_CREATE),
    ("네, 가능합니다. 12월 8일 오전 10시에 예약해 드릴까요?", Action.BOOKING_CREATE),
    ("예약을 변경해 드릴까요?", Action.BOOKING_CHANGE),
    ("예약 날짜를 바꿔 드릴까요?", Action.BOOKING_CHANGE),
    ("예약을 취소해 드릴까요?", Action.BOOKING_CANCEL),
    ("예약 내역을 확인해 드릴까요?", Action.BOOKING_INQUIRE),
    ("상담원을 연결해 드릴까요?", Action.CONNECT_PERSON),
    ("그건 확인되지 않습니다. 원무과 직원을 연결해 드릴까요?", Action.CONNECT_PERSON),
    ("원하시면 상담원과 통화하시겠어요?", Action.CONNECT_PERSON),
    ("더 필요하신 게 없으시면 통화를 마칠까요?", Action.END_CALL),
    ("예약을 변경해 드릴까요, 취소해 드릴까요?", None),
    ("예약 도와드릴까요? 아니면 상담원을 연결해 드릴까요?", None),
    ("예약을 도와드릴까요? 성함이 어떻게 되세요?", None),
    ("상담원 연결을 원하시면 말씀해 주세요.", None),
    ("메모를 남겨 드릴까요?", None),
    ("더 도와드릴까요?", None),
    ("예약은 전화로 하실 수 있습니다.", None),
    ("", None),
)


@pytest.mark.parametrize(("text", "action"), PROPOSALS)
def test_offers_in_free_text(text: str, action: Action | None) -> None:
    assert find_proposal(text) is action


TIMES: tuple[tuple[str, tuple[Stated, ...]], ...] = (
    ("12월 8일 화요일 오후 세 시 반", (Stated(12, 8, 1, True, 3, 30),)),
    ("십이월 팔일 오전 열 시 삼십 분", (Stated(12, 8, None, False, 10, 30),)),
    ("유월 십오일 월요일 낮 열두 시", (Stated(6, 15, 0, True, 12, 0),)),
    ("시월 이십일일", (Stated(10, 21, None, None, None, None),)),
    ("14:30에", (Stated(hour=14, minute=30),)),
    ("10시간 걸립니다", ()),
    ("오전에 오세요", ()),
    ("12월에", ()),
)


@pytest.mark.parametrize(("sentence", "stated"), TIMES)
def test_times_are_read_as_far_as_stated(sentence: str, stated: tuple[Stated, ...]) -> None:
    assert stated_times(sentence) == stated


def test_the_second_time_takes_over_day_and_half() -> None:
    second = stated_times("12월 8일 오후 2시와 3시 반")[1]
    assert second == Stated(12, 8, None, True, 3, 30)
    assert stated_times("12월 8일 오후 2시와 9일 오전 3시")[1] == Stated(None, 9, None, False, 3, 0)


def test_a_time_agrees_in_seoul_whatever_zone_it_comes_in() -> None:
    utc = datetime(2026, 12, 8, 1, 0, tzinfo=UTC)
    assert Stated(12, 8, 1, False, 10, 0).agrees(utc)
    assert Stated(hour=10, minute=0).agrees(utc)
    assert Stated(day=8).agrees(utc)
    assert not Stated(hour=1, minute=0).agrees(utc)
    assert not Stated(hour=22, minute=0).agrees(utc)
    assert not Stated(afternoon=True, hour=10, minute=0).agrees(utc)
    assert not Stated(hour=10, minute=30).agrees(utc)
    assert not all_agree((Stated(day=8), Stated(day=9)), (utc,))


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("김가온 선생님과 박나루원장님", ("김가온", "박나루")),
        ("정형외과 선생님", ()),
        ("담당 선생님, 모든 선생님, 현재 원장님", ()),
    ],
)
def test_names_before_a_title(sentence: str, names: tuple[str, ...]) -> None:
    assert named_doctors(sentence) == names
