"""Unknown, mistaken, somebody else: the caller hears the same words, to the letter (D3, N3)."""

from __future__ import annotations

import pytest
from scenario_parts import CALLER, of_kind, played

from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

UNKNOWN = "01000009999"
TRIES = {
    "wrong birth date": (CALLER, "#850313", "김민수"),
    "wrong name": (CALLER, "#850312", "김민숙"),
    "somebody else's name": (CALLER, "#850312", "이서연"),
    "somebody else entirely": (CALLER, "#830701", "이서연"),
    "unknown person": (UNKNOWN, "#710101", "홍길순"),
    "a patient from an unknown number": (UNKNOWN, "#850312", "김민수"),
}


def words_to(case: str, wish: str) -> list[str]:
    """What the agent says to three equal tries, the number given as asked."""
    caller, birth, name = TRIES[case]
    lines = (wish, *((birth, name, "010-0000-9998") * 3))
    call = played("hanbit", lines, caller)
    outcomes = {event.data["outcome"] for event in of_kind(call, Kind.IDENTITY_SETTLED)}
    assert "verified" not in outcomes
    assert not of_kind(call, Kind.LOOKUP_SETTLED)
    return [str(event.data["heard"]) for event in of_kind(call, Kind.AGENT_SAID)]


@pytest.mark.parametrize("wish", ["제 예약 확인해 주세요", "예약 취소해 주세요"])
@pytest.mark.parametrize("case", [case for case in TRIES if case != "wrong birth date"])
def test_the_same_to_the_letter(case: str, wish: str) -> None:
    assert words_to(case, wish) == words_to("wrong birth date", wish)
