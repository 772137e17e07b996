"""What the built-in model promises whatever it is sent."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_talk import (
    BOOKING_TOOLS,
    DESK_TOOLS,
    OPTIONS,
    ask,
    booking_request,
    desk_request,
)

from wonmu.model.offline import complete
from wonmu.model.port import ChatRequest, Done, TextDelta, ToolCallDelta, ToolChoice

pytestmark = pytest.mark.unit

_VOCABULARY = (
    "네 아니요 예약 취소 변경 확인 내과 외과 정형외과 김서연 선생님 원장님 내일 다음 주 "
    "화요일 오전 열 시 두 번째 아무나 상관없어요 주차 되나요? 상담원 바꿔 주세요 끊어 "
    "여보세요 감사합니다 얼마 몇 시까지 말고 아니고 첫 번째 12월 8일 해 주세요 하고 "
    "싶어요 전에 다쳤어요 원 시 반 년생 ? . 제일 빠른"
)
WORDS = st.lists(st.sampled_from(_VOCABULARY.split(" ")), max_size=10).map(" ".join)
SAID = st.one_of(WORDS, st.text(max_size=60))
ASKED = st.sampled_from(["department", "doctor", "when", "choose", "confirm", "none", "?"])
NAMED = "named"
CHOICE = st.sampled_from(["auto", "none", "required", NAMED])


def _choice(kind: str, tools: tuple[dict[str, Any], ...], at: int) -> ToolChoice:
    match kind:
        case "auto" | "none" | "required":
            return kind
    return {"type": "function", "function": {"name": tools[at % 3]["function"]["name"]}}


def _check(request: ChatRequest) -> None:
    deltas = complete(request)
    text = "".join(d.text for d in deltas if isinstance(d, TextDelta))
    calls = [d for d in deltas if isinstance(d, ToolCallDelta)]
    assert isinstance(deltas[-1], Done)
    assert sum(isinstance(d, Done) for d in deltas) == 1
    assert bool(text.strip()) != bool(calls)
    assert len(calls) <= 1
    if request.tool_choice == "none":
        assert not calls
    if request.must_call():
        assert calls
    for call in calls:
        assert call.name in request.callable_tools()
        _fits_schema(json.loads(call.arguments), call.name, request)


def _fits_schema(arguments: dict[str, Any], name: str, request: ChatRequest) -> None:
    tool = next(t for t in request.tools if t["function"]["name"] == name)
    schema = tool["function"]["parameters"]
    assert set(arguments) == set(schema["required"])
    for key, value in arguments.items():
        part = schema["properties"][key]
        if "enum" in part:
            assert value in part["enum"]
        elif "anyOf" in part:
            assert value is None or isinstance(value, str)
        else:
            assert isinstance(value, {"string": str, "integer": int}[part["type"]])


@settings(max_examples=300, deadline=None)
@given(st.lists(SAID, min_size=1, max_size=5), CHOICE, st.integers(0, 2))
def test_desk_always_answers(turns: list[str], kind: str, at: int) -> None:
    choice = _choice(kind, DESK_TOOLS, at)
    offer = ("none", "booking.create", "person.connect")[at]
    _check(desk_request(*turns, choice=choice, offer=offer))


@settings(max_examples=300, deadline=None)
@given(st.lists(SAID, min_size=1, max_size=5), ASKED, CHOICE, st.integers(0, 2))
def test_booking_always_answers(turns: list[str], asked: str, kind: str, at: int) -> None:
    options = ("없음", OPTIONS, "1) 12월 8일 화요일 오전 열 시 김서연")[at]
    choice = _choice(kind, BOOKING_TOOLS, at)
    _check(booking_request(*turns, asked=asked, options=options, choice=choice))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
_MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["system", "user", "assistant", "tool", "developer", "x"]),
        "content": st.one_of(
            _JSON, st.just("## 안내 자료\n병원: 가\n진료과와 의사:\n- 내과: 김가나 원장")
        ),
        "tool_calls": _JSON,
    },
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_MESSAGE, max_size=6))
def test_odd_messages_still_get_words(messages: list[dict[str, Any]]) -> None:
    _check(ChatRequest(tuple(messages)))


@settings(max_examples=200, deadline=None)
@given(SAID)
def test_words_handed_on_were_said(words: str) -> None:
    for request in (desk_request(words), booking_request(words, asked="when")):
        got = ask(request)
        if got.tool is None:
            continue
        assert got.arguments["caller_words"] == words.strip()
        for part in ("department", "when"):
            assert (got.arguments.get(part) or "") in words
        assert got.arguments.get("doctor") in (None, "상관없음") or (
            got.arguments["doctor"] in words
        )


@given(SAID)
def test_same_request_same_answer(words: str) -> None:
    assert complete(desk_request(words)) == complete(desk_request(words))


def test_ids_differ_within_a_call() -> None:
    first = complete(desk_request("예약이요"))[0]
    second = complete(desk_request("예약이요", "네", "예약이요"))[0]
    assert isinstance(first, ToolCallDelta)
    assert isinstance(second, ToolCallDelta)
    assert first.id != second.id


def test_an_answer_costs_little() -> None:
    """2 ms a completion is the limit; the median is far below, so a busy machine may pass too."""
    words = [*_VOCABULARY.split(" ")]
    pick = random.Random(7)
    taken = []
    for _ in range(60):
        request = desk_request(" ".join(pick.choices(words, k=6)))
        start = time.perf_counter()
        complete(request)
        taken.append(time.perf_counter() - start)
    assert sorted(taken)[30] < 0.002
