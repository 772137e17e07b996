"""Shared by the scenario tests: the main talks of both hospitals, and calls played on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wonmu.evals.dialogue import NOW, Dialogue, Expect, Talk
from wonmu.evals.playing import Played, play_dialogue
from wonmu.timeline.events import Event, Kind

CALLER = "01000001234"

MAIN = {
    "hanbit": (
        "여보세요, 내과 예약하고 싶은데요",
        "#850312",
        "건강보험이요",
        "김서연 원장님이요",
        "다음 주 화요일 오전 열 시요",
        "아니 오후 세 시로 바꿔 주세요",
        "아니다, 박도윤 선생님으로 해 주세요",
        "그럼 그 다음 주 금요일로 할게요",
        "네",
    ),
    "saebom": (
        "안녕하세요, 가정의학과 진료 예약 좀 하려고요",
        "#19850312",
        "다음 주 화요일 오전 중이요",
        "윤보미 원장님이요",
        "아니 오후 네 시 반으로 해 주세요",
        "그냥 그 다음 주 목요일로 해 주세요",
        "두 번째요",
        "네, 그렇게 해 주세요",
    ),
}
"""Caller lines that end in one recorded request."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The main talk of a hospital up to and including ``turns`` caller lines."""

    hospital: str
    turns: int

    def __str__(self) -> str:
        return f"{self.hospital}-{self.turns}"

    @property
    def lines(self) -> tuple[str, ...]:
        return MAIN[self.hospital][: self.turns]

    @property
    def left(self) -> tuple[str, ...]:
        return MAIN[self.hospital][self.turns :]


def stages(*, from_turn: int, short_by: int = 0) -> list[Stage]:
    """Every stage of both talks; ``short_by`` lines before the end at most."""
    return [
        Stage(hospital, turns)
        for hospital, lines in MAIN.items()
        for turns in range(from_turn, len(lines) + 1 - short_by)
    ]


def dialogue_of(hospital: str, lines: Sequence[str], caller: str | None = CALLER) -> Dialogue:
    """A dialogue without expectations."""
    talk = Talk(caller, NOW, tuple(lines))
    return Dialogue(Path("main.yaml"), "the main talk", hospital, talk, Expect())


def played(hospital: str, lines: Sequence[str], caller: str | None = CALLER) -> Played:
    """One call on fresh data; fails if any check was violated."""
    return checked(play_dialogue(dialogue_of(hospital, lines, caller))[-1])


def checked(call: Played) -> Played:
    talk = "\n".join(words(call.events))
    assert call.checks.clean, f"{call.checks.violations}\n{talk}"
    return call


def words(events: Sequence[Event]) -> Iterator[str]:
    """The talk as text."""
    for event in events:
        if event.kind is Kind.AGENT_SAID:
            yield f"상담원: {event.data['heard']}"
        elif event.kind is Kind.CALLER_HEARD:
            yield f"고객:   {event.data['text']}"


def of_kind(call: Played, kind: Kind) -> list[Event]:
    return [event for event in call.events if event.kind is kind]


def heard_text(call: Played) -> str:
    """Everything the agent was heard to say."""
    return "\n".join(str(event.data["heard"]) for event in of_kind(call, Kind.AGENT_SAID))


def kinds_in_inbox(call: Played) -> list[str]:
    return [str(row["kind"]) for row in call.inbox]
