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
        "a caller who is on file books, changes her mind three times, and agrees",
        "saebom",
        "01000001234",
        (
            "안녕하세요, 진료 예약하고 싶어요",
            "#850312",
            "내과요",
            "모레 오전 열 시요",
            "아니 오후 세 시로 바꿔 주세요",
            "아, 그냥 다음 주로 할게요",
            "첫 번째로 해 주세요",
            "주차는 되나요?",
            "네",
            "이제 끊을게요",
        ),
    ),
}
