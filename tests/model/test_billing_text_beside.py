"""The text desk beside an open booking, and where specialists are asked (H1, H2)."""

from __future__ import annotations

from typing import Any

import pytest
from billing_talk import (
    END,
    OPEN_BOOKING,
    Tool,
    calling,
    delegate_tools,
    play_text,
    results,
    text_tools,
    tool,
)
from model_talk import DEPARTMENTS, DOCTORS, FACTS, OPTIONS, Answered, ask, state

from wonmu.model.port import ChatRequest

pytestmark = pytest.mark.unit


def _asked(talk: list[dict[str, Any]], step: str) -> Answered:
    now = state(과제="text", 단계=step)
    messages = ({"role": "system", "content": FACTS}, *talk, now)
    return ask(ChatRequest(messages, tuple(text_tools(step))))


# An open booking --------------------------------------------------------------------------------


def _open(words: str, asked: str = "when", *more: Tool) -> Answered:
    lines = {
        "과제": "text",
        "단계": "booking",
        "진료과": "내과",
        "의사": "정하지 않음",
        "희망 일시": "정하지 않음",
        "제시한 시간": OPTIONS if asked == "choose" else "없음",
        "방금 물은 것": asked,
        "진료과 목록": DEPARTMENTS,
        "의사 목록": DOCTORS,
    }
    body = "\n".join(f"{key}: {value}" for key, value in lines.items())
    now = {"role": "system", "content": f"## 지금 상태\n{body}"}
    talk = [
        {"role": "assistant", "content": "언제 오시겠어요?"},
        {"role": "user", "content": words},
    ]
    tools = (*OPEN_BOOKING, tool("to_person"), END, *more)
    return ask(ChatRequest(({"role": "system", "content": FACTS}, *talk, now), tools))


@pytest.mark.parametrize(
    ("words", "asked", "name"),
    [
        ("내일 오후 세 시요", "when", "set_wish"),
        ("두 번째요", "choose", "choose_time"),
        ("진료비 얼마 나왔어요?", "when", "leave_booking"),
        ("환불해 주세요", "choose", "leave_booking"),
        ("진단서 얼마예요?", "when", "leave_booking"),
        ("예약 안 할래요", "when", "leave_booking"),
        ("다른 문의 할게요", "when", "leave_booking"),
        ("상담원 바꿔 주세요", "when", "to_person"),
        ("대화 끝낼게요", "when", "end_conversation"),
        ("주차 되나요?", "when", None),
        ("와이파이 되나요?", "when", None),
        ("누구세요?", "when", None),
    ],
)
def test_an_open_booking_keeps_its_rules(words: str, asked: str, name: str | None) -> None:
    got = _open(words, asked)
    assert got.tool == name
    assert "전화" not in got.text


def test_money_leads_out_of_an_open_booking_directly_where_a_way_is_offered() -> None:
    assert _open("진료비 얼마 나왔어요?", "when", tool("to_billing")).tool == "to_billing"


def test_after_leaving_the_same_words_are_worked_off() -> None:
    words = "진료비 얼마 나왔어요?"
    left = calling(0, "leave_booking", {"reason": "other_request"}, '{"left": "other_request"}')
    talk = [{"role": "user", "content": words}, *left]
    assert _asked(talk, "booking").tool == "to_billing"


# Delegate ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "whom"),
    [
        ("진료비 얼마 나왔어요?", ["billing"]),
        ("진단서 얼마예요?", ["certificates"]),
        ("진료비랑 진단서 얼마예요", ["billing", "certificates"]),
    ],
)
def test_specialists_are_asked_once_and_their_answer_is_told(words: str, whom: list[str]) -> None:
    played = play_text(words, tools=delegate_tools)
    assert played.names == ["ask_specialist"]
    assert played.arguments("ask_specialist")["specialists"] == whom
    assert played.last == "11월 20일 내과 외래 진료비는 35,000원이고, 아직 내지 않으셨습니다."


def test_several_paragraphs_are_told_as_one() -> None:
    answer = results(ask_specialist="진료비는 35,000원입니다.\n\n진단서는 20,000원입니다.")
    played = play_text("진료비랑 진단서 얼마예요", tools=delegate_tools, answer=answer)
    assert played.last == "진료비는 35,000원입니다. 진단서는 20,000원입니다."


@pytest.mark.parametrize("result", ["", "timeout", "{}", '{"error": "x"}'])
def test_a_specialist_without_an_answer_is_a_failure(result: str) -> None:
    answer = results(ask_specialist=result)
    played = play_text("진료비 얼마예요?", tools=delegate_tools, answer=answer)
    assert played.names == ["ask_specialist"]
    assert "확인하지 못했습니다" in played.last


def test_a_booking_beside_the_question_goes_on_after_the_answer() -> None:
    words = "진료비 얼마 나왔고 예약도 바꿔 주세요"
    played = play_text(words, tools=delegate_tools)
    assert played.names == ["ask_specialist", "to_booking", "change_booking"]
    assert played.text.count("35,000원") == 1


def test_only_the_first_step_asks_specialists() -> None:
    played = play_text("진료비 얼마 나왔어요?", "booking", tools=delegate_tools)
    assert played.names == ["to_triage", "ask_specialist"]
