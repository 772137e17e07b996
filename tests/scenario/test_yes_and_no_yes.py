"""What is a yes to which question, by its effect in stores and events (T4, T5, T8, R16, R17, R20).

The lines are in ``material/``; each is said to a booking that was read back, to an offered person
and to the closing question. The parser is not asked: what counts is what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from scenario_parts import CALLER, checked, kinds_in_inbox, of_kind, words

from wonmu.evals.dialogue import NOW, Dialogue, Expect, Talk
from wonmu.evals.playing import Played, play_dialogue
from wonmu.timeline.events import Kind
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Attempt

pytestmark = pytest.mark.scenario

MATERIAL = Path(__file__).parent / "material"


@dataclass(frozen=True, slots=True)
class Asked:
    """A talk up to a question, and how one sees that it was answered with yes."""

    hospital: str
    lines: tuple[str, ...]
    question: str
    agreed: Callable[[Played], bool]
    nothing: Callable[[Played], bool]


def _booked(call: Played) -> bool:
    return kinds_in_inbox(call) == ["booking_request"]


def _nothing_booked(call: Played) -> bool:
    return not kinds_in_inbox(call) and not of_kind(call, Kind.BOOKING_CONSENT)


def _connected(call: Played) -> bool:
    settled = of_kind(call, Kind.TRANSFER_SETTLED)
    return [event.data["outcome"] for event in settled] == ["connected"]


def _nobody_dialled(call: Played) -> bool:
    return not of_kind(call, Kind.TRANSFER_STARTED)


def _ended(call: Played) -> bool:
    return str(of_kind(call, Kind.CALL_ENDED)[0].data["reason"]) == "end_call"


def _not_ended(call: Played) -> bool:
    return not _ended(call)


ASKED = {
    "booking": Asked(
        "saebom",
        ("안과 다음 주 화요일 오후 두 시 십 분 예약이요", "#19850312"),
        "이대로 예약을 접수할까요?",
        _booked,
        _nothing_booked,
    ),
    "person": Asked(
        "hanbit",
        ("임플란트도 하나요?",),
        "상담원 연결을 도와드릴까요?",
        _connected,
        _nobody_dialled,
    ),
    "end": Asked("hanbit", ("안녕히 계세요",), "통화를 마쳐도 될까요?", _ended, _not_ended),
}


def _material(name: str) -> list[Mapping[str, Any]]:
    loaded: list[Mapping[str, Any]] = yaml.safe_load((MATERIAL / name).read_text(encoding="utf-8"))
    return loaded


YES, NO_YES = _material("yes.yaml"), _material("no_yes.yaml")


def _play(asked: Asked, *more: str) -> Played:
    talk = Talk(CALLER, NOW, (*asked.lines, *more))
    staff = (Attempt(Outcome.CONNECTED),)
    dialogue = Dialogue(Path("line.yaml"), "", asked.hospital, talk, Expect(), staff=staff)
    return checked(play_dialogue(dialogue)[-1])


def _cases(field: str) -> list[Any]:
    return [
        pytest.param(line["words"], place, id=f"{place}-{line['words']}")
        for line in (*YES, *NO_YES)
        for place in line.get(field, ())
    ]


def _refused() -> list[Any]:
    return [
        pytest.param(line["words"], place, id=f"{place}-{line['words']}")
        for line in (*YES, *NO_YES)
        for place in ASKED
        if place not in (*line.get("accepted", ()), *line.get("soft", ()))
    ]


def test_there_is_enough_material() -> None:
    known = {"words", "accepted", "soft", "why"}
    assert all(set(line) <= known for line in (*YES, *NO_YES))
    accepted = [line for line in YES if "booking" in line.get("accepted", ())]
    assert len(accepted) >= 25
    assert len([line for line in NO_YES if not line.get("accepted")]) >= 25


@pytest.mark.parametrize("place", ASKED)
def test_the_question_is_really_put(place: str) -> None:
    asked = ASKED[place]
    call = _play(asked)
    assert str(of_kind(call, Kind.AGENT_SAID)[-1].data["heard"]).endswith(asked.question)
    assert asked.nothing(call)


@pytest.mark.parametrize(("said", "place"), _cases("accepted"))
def test_a_yes(said: str, place: str) -> None:
    call = _play(ASKED[place], said)
    assert ASKED[place].agreed(call), "\n".join(words(call.events))


@pytest.mark.parametrize(("said", "place"), _cases("soft"))
def test_at_most_one_more_question(said: str, place: str) -> None:
    call = _play(ASKED[place], said, "네")
    assert ASKED[place].agreed(call), "\n".join(words(call.events))


@pytest.mark.parametrize(("said", "place"), _refused())
def test_no_yes(said: str, place: str) -> None:
    call = _play(ASKED[place], said)
    assert ASKED[place].nothing(call), "\n".join(words(call.events))
    assert not ASKED[place].agreed(call)
