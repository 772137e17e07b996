"""Scripted callers for ``wonmu demo``: what each says, on which line. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule

NOW = "2026-12-01T10:00+09:00"


@dataclass(frozen=True, slots=True)
class Demo:
    """One scripted call. ``lines`` follow the terminal contract."""

    title: str
    hospital: str
    caller: str | None
    lines: tuple[str, ...]
    leaves: str
    """The kind of row that staff finds afterwards; "nothing" when there is none."""
    staff: str | None = None
    faults: FaultPlan | None = None


DEMOS: dict[str, Demo] = {
    "booking": Demo(
        "a caller who is on file changes the time, the doctor and the week, and agrees",
        "hanbit",
        "01000001234",
        (
            "여보세요, 진료 예약 좀 하려고요",
            "#850312",
            "건강보험이요",
            "내과요",
            "김서연 원장님이요",
            "거기 주차는 되나요?",
            "모레 오전 열 시요",
            "아니, 오후 세 시로 바꿔 주세요",
            "박도윤 과장님은요?",
            "그냥 다음 주 목요일 오전으로 할게요",
            "두 번째요",
            "네?",
            "네, 그렇게 해 주세요",
            "아니요, 끊을게요",
        ),
        "booking_request",
    ),
    "change-of-mind": Demo(
        "every condition is changed once, the caller stops, and takes it up again",
        "saebom",
        "01000005678",
        (
            "안과 예약이요",
            "#580307",
            "다음 주 수요일 오전이요",
            "아니다 가정의학과로 할게요",
            "아무 선생님이나 괜찮아요",
            "금요일 오후로 바꿔 주세요",
            "예약 그만할게요",
            "아니요, 가정의학과로 다시 예약할게요",
            "금요일 오후요",
            "두 번째요",
            "네, 근데 한 시간만 늦게요",
            "첫 번째요",
            "네 그렇게 해 주세요",
        ),
        "booking_request",
    ),
    "parking": Demo(
        "a parking question in the middle is answered, and nothing is asked twice",
        "hanbit",
        "01000001234",
        (
            "내과 김서연 원장님 예약하고 싶은데요",
            "#850312",
            "건강보험이요",
            "모레 오전 열한 시요",
            "거기 주차는 되나요?",
            "네",
        ),
        "booking_request",
    ),
    "cancel": Demo(
        "what would happen is a question; one of two bookings is cancelled after a yes",
        "hanbit",
        "01000002345",
        (
            "지금 취소하면 어떻게 되나요?",
            "아들 예약을 취소하고 싶어요",
            "#150505",
            "박지호요",
            "두 번째 거요",
            "네 취소해 주세요",
        ),
        "cancel_request",
    ),
    "keypad": Demo(
        "the menu by keys: a wrong key, parking, then a booking",
        "saebom",
        "01000001234",
        (
            "#9",
            "#5",
            "#1",
            "#850332",
            "#850312",
            "가정의학과요",
            "아무나 괜찮아요",
            "다음 주 화요일 오후요",
            "첫 번째요",
            "네",
        ),
        "booking_request",
    ),
    "person-no-answer-memo": Demo(
        "nobody picks up; the caller leaves a memo with a name and a number",
        "hanbit",
        "01000001234",
        (
            "상담원 바꿔 주세요",
            "메모 남길게요",
            "진단서를 떼고 싶은데 비용이 궁금합니다",
            "김민수요",
            "네",
        ),
        "memo",
        staff="no_answer",
    ),
    "emergency": Demo(
        "red-flag words come first, in the middle of a booking",
        "hanbit",
        "01000001234",
        (
            "내과 예약이요",
            "#850312",
            "가슴이 조이고 식은땀이 나요",
            "네, 119에 전화할게요",
        ),
        "nothing",
    ),
    "slow-record-system": Demo(
        "the bookings come late: it is said so, a question is answered, then they are told",
        "saebom",
        "01000001234",
        (
            "예약 확인하고 싶어요",
            "#19850312",
            "김민수요",
            "!주차 되나요?",
            "네, 고맙습니다",
        ),
        "nothing",
        faults=FaultPlan((FaultRule("appointments", FaultKind.LATENCY, seconds=2.9),)),
    ),
    "direct": Demo(
        "a hospital whose bookings are written to its record system; the first reply is lost",
        "onnuri",
        "01000001234",
        (
            "내과 예약하고 싶어요",
            "#850312",
            "다음 주 화요일 오전 열 시요",
            "오세진 원장님으로 해 주세요",
            "네",
            "아니요, 끊을게요",
        ),
        "booking_request",
        faults=FaultPlan((FaultRule("book", FaultKind.LOST_REPLY, times=1),)),
    ),
    "record-system-down": Demo(
        'the record system fails: that is told, and never as "no times"',
        "hanbit",
        "01000001234",
        (
            "내과 김서연 원장님 예약이요",
            "#850312",
            "건강보험이요",
            "모레 오전이요",
            "네",
        ),
        "callback",
        faults=FaultPlan((FaultRule("find_slots", FaultKind.HANG),)),
    ),
}
