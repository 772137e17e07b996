"""A person, a stop, a red flag and a "네?" at every stage of the main talk (S6, S7, T8, T13)."""

from __future__ import annotations

import pytest
from scenario_parts import Stage, heard_text, kinds_in_inbox, of_kind, played, stages, words

from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

IN_A_TASK = stages(from_turn=1, short_by=1)


@pytest.mark.parametrize("stage", stages(from_turn=0), ids=str)
def test_asking_for_a_person_leaves_one_callback(stage: Stage) -> None:
    call = played(stage.hospital, (*stage.lines, "사람 좀 바꿔 주세요", "사람 바꿔 달라고요"))
    assert kinds_in_inbox(call).count("callback") == 1
    assert "바로 연결해 드릴 수 없" in heard_text(call)
    if stage in IN_A_TASK:
        left = [event.data["reason"] for event in of_kind(call, Kind.TASK_LEFT)]
        assert "staff_connection" in left


@pytest.mark.parametrize("stage", IN_A_TASK, ids=str)
def test_after_a_person_the_booking_is_taken_up_again(stage: Stage) -> None:
    lines = (*stage.lines, "상담원 연결해 주세요", "예약 계속할게요", *stage.left)
    call = played(stage.hospital, lines)
    assert sorted(kinds_in_inbox(call)) == ["booking_request", "callback"], "\n".join(
        words(call.events)
    )


@pytest.mark.parametrize("stage", IN_A_TASK, ids=str)
def test_a_stop_does_not_end_the_call(stage: Stage) -> None:
    call = played(stage.hospital, (*stage.lines, "예약 그만할게요", "주차는 되나요?"))
    assert kinds_in_inbox(call) == []
    assert "주차" in heard_text(call).rpartition("멈추겠습니다")[2], "\n".join(words(call.events))
    assert of_kind(call, Kind.CALL_ENDED)[0].data["reason"] == "caller_hangup"


@pytest.mark.parametrize("stage", IN_A_TASK, ids=str)
def test_red_flags_come_first(stage: Stage) -> None:
    call = played(stage.hospital, (*stage.lines, "가슴이 조이고 식은땀이 나는데요"))
    after = [e for e in call.events if e.kind is Kind.EMERGENCY_SPOKEN]
    assert len(after) == 1, "\n".join(words(call.events))
    assert kinds_in_inbox(call) == []
    assert "119" in str(of_kind(call, Kind.AGENT_SAID)[-1].data["heard"])


@pytest.mark.parametrize("stage", IN_A_TASK, ids=str)
def test_not_understood_is_said_again_and_loses_nothing(stage: Stage) -> None:
    call = played(stage.hospital, (*stage.lines, "네?", *stage.left))
    assert kinds_in_inbox(call) == ["booking_request"], "\n".join(words(call.events))
    said = of_kind(call, Kind.AGENT_SAID)
    asked = [str(e.data["text"]).rpartition("?")[0].rpartition(".")[2].strip() for e in said]
    turn = [n for n, e in enumerate(said) if e.data["turn"] == _turn_of_repeat(call.events)]
    assert turn, "the repeat was answered"
    assert asked[turn[0]] == asked[turn[0] - 1], "\n".join(words(call.events))


def _turn_of_repeat(events: tuple[object, ...]) -> object:
    found = [e for e in events if getattr(e, "data", {}).get("text") == "네?"]
    return getattr(found[0], "data", {}).get("turn")


@pytest.mark.parametrize("stage", IN_A_TASK, ids=str)
def test_a_side_question_is_answered_and_nothing_asked_twice(stage: Stage) -> None:
    call = played(stage.hospital, (*stage.lines, "거기 주차는 되나요?", *stage.left))
    assert kinds_in_inbox(call) == ["booking_request"], "\n".join(words(call.events))
    assert "무료" in heard_text(call)


@pytest.mark.parametrize("stage", IN_A_TASK, ids=str)
def test_goodbye_ends_the_call_once(stage: Stage) -> None:
    call = played(stage.hospital, (*stage.lines, "이제 끊을게요"))
    assert kinds_in_inbox(call) == []
    assert of_kind(call, Kind.CALL_ENDED)[0].data["reason"] == "end_call"
    assert "안녕히 계세요" in heard_text(call)
