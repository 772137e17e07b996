"""Scripted callers for ``wonmu demo``: what each says, on which line. Data only."""

from __future__ import annotations

from dataclasses import dataclass

NOW = "2026-12-01T10:00+09:00"


@dataclass(frozen=True, slots=True)
class Demo:
    """One scripted call. ``lines`` follow the terminal contract."""

    title: str
    hospital: str
    caller: str | None
    lines: tuple[str, ...]


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
    ),
}
