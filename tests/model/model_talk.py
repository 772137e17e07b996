"""Prompts, tools and helpers shared by the tests of the built-in model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wonmu.model.offline import complete
from wonmu.model.port import ChatRequest, TextDelta, ToolCallDelta, ToolChoice

FACTS = """당신은 병원 안내 데스크입니다.

## 안내 자료
병원: 가온병원
주소: 서울 가상구 없는길 12
전화: 02-0000-1200
진료 시간:
- 월요일: 오전 9시부터 오후 6시까지 (점심 12시 30분부터 1시 30분까지)
- 화요일: 오전 9시부터 오후 6시까지 (점심 12시 30분부터 1시 30분까지)
- 수요일: 오전 9시부터 오후 6시까지 (점심 12시 30분부터 1시 30분까지)
- 목요일: 오전 9시부터 오후 6시까지 (점심 12시 30분부터 1시 30분까지)
- 금요일: 오전 9시부터 오후 6시까지 (점심 12시 30분부터 1시 30분까지)
- 토요일: 오전 9시부터 오후 1시까지
- 일요일: 휴진
휴진 안내:
- 12월 25일 금요일은 성탄절로 쉽니다.
진료과와 의사:
- 내과: 김서연 원장, 박도윤 과장
- 정형외과: 이준호 원장, 김재희 과장
- 외과: 한지우 과장
- 소아청소년과: 최하린 과장
질문: 주차가 되나요? (다른 말: 주차장, 주차비, 차 가지고)
답: 건물 지하에 주차하실 수 있고, 진료받으시면 두 시간까지 무료입니다.
질문: 예약 없이 가도 되나요? (다른 말: 당일 접수, 예약 없이, 그냥 가도)
답: 예약 없이 오셔도 접수 순서대로 진료받으실 수 있습니다.
질문: 지하철역에서 어떻게 가나요? (다른 말: 지하철, 버스, 오시는 길, 찾아가)
답: 가온역 3번 출구에서 걸어서 5분 거리입니다.
질문: 진단서를 떼려면 무엇이 필요한가요? (다른 말: 증명서, 진단서, 서류)
답: 본인이 신분증을 가지고 오시면 창구에서 발급해 드립니다.
질문: 독감 예방접종은 얼마인가요? (다른 말: 예방접종, 독감 주사, 독감 접종)
답: 독감 예방접종은 4만 원입니다.
질문: 공휴일에도 진료하나요? (다른 말: 공휴일, 명절, 설날, 추석)
답: 공휴일에는 쉽니다.
질문: 면회 시간이 언제인가요? (다른 말: 면회, 병문안)
답: 면회는 오후 6시부터 8시까지입니다.
"""

BOOKING_PROMPT = FACTS


def _tool(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {"caller_words": {"type": "string"}, **properties},
        "required": ["caller_words", *properties],
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


_MAYBE = {"anyOf": [{"type": "string"}, {"type": "null"}]}
_WISH = {"department": _MAYBE, "doctor": _MAYBE, "when": _MAYBE}
CREATE = _tool("create_booking", {**_WISH, "patient": {"enum": ["self", "other"]}})
PERSON = _tool("connect_person", {})
END = _tool("end_call", {})
DESK_TOOLS = (CREATE, PERSON, END)
REASONS = {"enum": ["staff_connection", "cancelled_by_caller", "other_request"]}
BOOKING_TOOLS = (
    _tool("set_wish", _WISH),
    _tool("choose_time", {"number": {"type": "integer"}}),
    _tool("leave_booking", {"reason": REASONS}),
)
DEPARTMENTS = "내과, 정형외과, 외과, 소아청소년과"
DOCTORS = (
    "김서연(내과), 박도윤(내과), 이준호(정형외과), "
    "김재희(정형외과), 한지우(외과), 최하린(소아청소년과)"
)
OPTIONS = (
    "1) 12월 8일 화요일 오전 열 시 김서연; 2) 12월 8일 화요일 오후 두 시 삼십 분 김서연; "
    "3) 12월 10일 목요일 오전 열한 시 박도윤"
)


@dataclass(frozen=True)
class Answered:
    text: str
    tool: str | None
    arguments: dict[str, Any]


def ask(request: ChatRequest) -> Answered:
    """One answer, put together from its deltas."""
    text, tool, arguments = "", None, ""
    for delta in complete(request):
        match delta:
            case TextDelta(part):
                text += part
            case ToolCallDelta(_, name=name, arguments=part):
                tool, arguments = name or tool, arguments + part
    return Answered(text, tool, json.loads(arguments) if arguments else {})


def state(**lines: str) -> dict[str, str]:
    body = "\n".join(f"{key.replace('_', ' ')}: {value}" for key, value in lines.items())
    return {"role": "system", "content": f"## 지금 상태\n{body}"}


def talk(*turns: str) -> list[dict[str, Any]]:
    """Turns as they alternate, ending with the caller."""
    first_is_caller = len(turns) % 2 == 1
    roles = ("user", "assistant") if first_is_caller else ("assistant", "user")
    return [{"role": roles[at % 2], "content": turn} for at, turn in enumerate(turns)]


def desk_request(
    *turns: str,
    offer: str = "none",
    resume: str = "없음",
    tools: Sequence[dict[str, Any]] = DESK_TOOLS,
    choice: ToolChoice = "auto",
    prompt: str = FACTS,
) -> ChatRequest:
    now = state(과제="supervisor", 방금_제안한_것=offer, 이어갈_예약=resume)
    messages = ({"role": "system", "content": prompt}, *talk(*turns), now)
    return ChatRequest(messages, tuple(tools), choice)


def booking_request(
    *turns: str,
    asked: str = "none",
    options: str = "없음",
    department: str = "정하지 않음",
    choice: ToolChoice = "auto",
) -> ChatRequest:
    lines = {
        "과제": "booking",
        "진료과": department,
        "의사": "정하지 않음",
        "희망 일시": "정하지 않음",
        "제시한 시간": options,
        "방금 물은 것": asked,
        "진료과 목록": DEPARTMENTS,
        "의사 목록": DOCTORS,
    }
    body = "\n".join(f"{key}: {value}" for key, value in lines.items())
    now = {"role": "system", "content": f"## 지금 상태\n{body}"}
    messages = ({"role": "system", "content": BOOKING_PROMPT}, *talk(*turns), now)
    return ChatRequest(messages, BOOKING_TOOLS, choice)
