"""Tools, results and a played-out turn, shared by the tests of the built-in model about money."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from model_talk import FACTS, Answered, ask, state

from wonmu.model.port import ChatRequest

Message = dict[str, Any]
Tool = dict[str, Any]


def tool(name: str, properties: Mapping[str, Any] | None = None, *, words: bool = True) -> Tool:
    own = {"caller_words": {"type": "string"}} if words else {}
    own |= properties or {}
    schema = {
        "type": "object",
        "properties": own,
        "required": list(own),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "parameters": schema}}


_NUMBER = {"number": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}
_KIND = {"kind": {"type": "string", "enum": ["receipt", "detail", "year_end"]}}
_TEXT = {"anyOf": [{"type": "string"}, {"type": "null"}]}
_WHOM = {"type": "array", "items": {"type": "string", "enum": ["billing", "certificates"]}}


def money_tools(*, words: bool) -> list[Tool]:
    return [
        tool("lookup_invoice", words=words),
        tool("refund_status", words=words),
        tool("request_refund", _NUMBER, words=words),
        tool("receipt_request", {**_KIND, **_NUMBER}, words=words),
    ]


def fee_tool(*, words: bool) -> Tool:
    return tool("certificate_fee", {"name": _TEXT}, words=words)


ASK_SPECIALIST = tool("ask_specialist", {"specialists": _WHOM})
TO_BILLING = tool("to_billing")
BOOKING_DOORS = [
    tool(
        "create_booking",
        {
            "department": _TEXT,
            "doctor": _TEXT,
            "when": _TEXT,
            "patient": {"enum": ["self", "other"]},
        },
    ),
    tool("inquire_booking"),
    tool("change_booking", {"when": _TEXT}),
    tool("cancel_booking"),
]
OPEN_BOOKING = [
    tool("set_wish", {"department": _TEXT, "doctor": _TEXT, "when": _TEXT}),
    tool("choose_time", {"number": {"type": "integer"}}),
    tool(
        "leave_booking",
        {"reason": {"enum": ["staff_connection", "cancelled_by_caller", "other_request"]}},
    ),
]
STEPS = ("triage", "billing", "certificate", "booking", "person")
END = tool("end_conversation")


def text_tools(step: str) -> list[Tool]:
    """What the text desk offers in a step, where the talk is handed over by state."""
    own = {
        "triage": [],
        "billing": money_tools(words=True),
        "certificate": [fee_tool(words=True)],
        "booking": BOOKING_DOORS,
        "person": [tool("leave_note")],
    }[step]
    return [*own, *(tool(f"to_{other}") for other in STEPS if other != step), END]


def delegate_tools(step: str) -> list[Tool]:
    """The same where the billing desk is asked and the talk stays where it is."""
    own = {"triage": [ASK_SPECIALIST], "booking": BOOKING_DOORS, "person": [tool("leave_note")]}
    others = [tool(f"to_{other}") for other in own if other != step]
    return [*own[step], *others, END]


def bill(number: int, day: str, amount: int, **more: Any) -> dict[str, Any]:
    found = {
        "number": number,
        "visit_day": day,
        "department": "내과",
        "what": "외래 진료비",
        "amount": amount,
        "paid": amount,
        "due": 0,
        "refundable": 0,
        "state": "paid",
        "payments": [],
    }
    return found | more


UNPAID = bill(1, "2026-11-20", 35000, paid=0, due=35000, state="due")
OVERPAID = bill(
    2,
    "2026-11-12",
    80000,
    department="정형외과",
    what="도수치료비",
    paid=100000,
    refundable=20000,
    state="overpaid",
    payments=[{"day": "2026-11-12", "amount": 100000, "method": "card"}],
)
PAID = bill(
    3,
    "2026-10-02",
    12000,
    payments=[{"day": "2026-10-05", "amount": 12000, "method": "card"}],
)
BILLS = [UNPAID, OVERPAID, PAID]


def refund(state_: str, **more: Any) -> dict[str, Any]:
    found = {
        "visit_day": "2026-09-01",
        "what": "외래 진료비",
        "amount": 8000,
        "state": state_,
        "requested_on": "2026-11-01",
        "settled_on": None,
        "reason": None,
    }
    return found | more


FEES = [
    {"name": "진단서", "fee": 20000, "copy_fee": 1000, "note": None},
    {"name": "소견서", "fee": 10000, "copy_fee": None, "note": None},
    {"name": "입퇴원확인서", "fee": 3000, "copy_fee": 1000, "note": None},
]
Shown = Literal["all", "ways", "words"]
"""What a step sees of other steps' calls: all, the changes of step alone, or only words."""
Results = Callable[[str, Mapping[str, Any]], str]


def results(**changed: Any) -> Results:
    """What each tool answers; ``changed`` by tool name, as an object or as text."""

    def of(name: str, arguments: Mapping[str, Any]) -> str:
        found = changed[name] if name in changed else _usual(name, arguments)
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    return of


def _usual(name: str, arguments: Mapping[str, Any]) -> Any:
    match name:
        case "lookup_invoice":
            return {"invoices": BILLS}
        case "refund_status":
            return {"refunds": [refund("requested")]}
        case "request_refund" if arguments.get("number") in (None, 2):
            day = {"number": 2, "visit_day": "2026-11-12"}
            return {"refund_offer": {**day, "what": "도수치료비", "amount": 20000}}
        case "request_refund":
            return {"refused": "nothing_refundable"}
        case "receipt_request" if arguments.get("number") is None:
            return {"refused": "which_invoice", "invoices": [OVERPAID, PAID]}
        case "receipt_request":
            number = {"number": arguments["number"], "visit_day": "2026-11-12"}
            return {"receipt_offer": {**number, "kind": arguments["kind"]}}
        case "certificate_fee":
            name_ = (arguments.get("name") or "").replace(" ", "")
            found = [fee for fee in FEES if not name_ or str(fee["name"]) in name_]
            others = [str(fee["name"]) for fee in FEES]
            return {"certificates": found} if found else {"certificates": [], "others": others}
        case _ if name.startswith("to_"):
            return {"step": name.removeprefix("to_")}
        case "ask_specialist":
            return "11월 20일 내과 외래 진료비는 35,000원이고, 아직 내지 않으셨습니다."
    return {"ok": True}


@dataclass
class Played:
    """One turn: the calls in their order, all words, and every answer."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    @property
    def last(self) -> str:
        return self.answers[-1].text

    @property
    def text(self) -> str:
        return " ".join(answer.text for answer in self.answers if answer.text)

    def arguments(self, name: str) -> dict[str, Any]:
        return next(arguments for called, arguments in self.calls if called == name)


def calling(at: int, name: str, arguments: Mapping[str, Any], result: str, text: str = "") -> Any:
    """A tool call with its answer, as two messages."""
    call = {"name": name, "arguments": json.dumps(dict(arguments), ensure_ascii=False)}
    calls = [{"id": f"call_{at}", "type": "function", "function": call}]
    return [
        {"role": "assistant", "content": text, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"call_{at}", "content": result},
    ]


def play_specialist(
    words: str, answer: Results | None = None, *, name: str = "billing", tools: Any = None
) -> Played:
    """A question put to a specialist, to its last message."""
    usual = [*money_tools(words=False), *([fee_tool(words=False)] if name != "billing" else [])]
    offered = usual if tools is None else tools
    now = state(과제=f"specialist_{name}", 오늘="2026-12-01", 본인_확인="되었음")
    talk: list[Message] = [{"role": "user", "content": words}]
    played = Played()
    for at in range(10):
        request = ChatRequest(
            ({"role": "system", "content": "담당자입니다."}, *talk, now), tuple(offered)
        )
        got = ask(request)
        played.answers.append(got)
        if got.tool is None:
            played.messages = talk
            return played
        played.calls.append((got.tool, got.arguments))
        talk += calling(at, got.tool, got.arguments, (answer or results())(got.tool, got.arguments))
    raise AssertionError(f"no end: {played.names}")


_TAKEN_OVER = frozenset(
    {
        *("create_booking", "inquire_booking", "change_booking", "cancel_booking"),
        *("leave_note", "end_conversation", "set_wish", "choose_time"),
    }
)
"""After these code has the talk; no model is asked again in the turn."""


def play_text(
    words: str,
    step: str = "triage",
    *,
    before: Sequence[Message] = (),
    answer: Results | None = None,
    tools: Callable[[str], list[Tool]] = text_tools,
    offer: str = "none",
    shown: Shown = "ways",
) -> Played:
    """One turn of the text desk."""
    talk: list[tuple[str, Message]] = [("", m) for m in before]
    talk.append(("", {"role": "user", "content": words}))
    played = Played()
    for at in range(12):
        seen = _seen(talk, step, shown)
        now = state(과제="text", 단계=step, 방금_제안한_것=offer)
        request = ChatRequest(
            ({"role": "system", "content": FACTS}, *seen, now), tuple(tools(step))
        )
        got = ask(request)
        played.answers.append(got)
        if got.tool is None:
            return played
        played.calls.append((got.tool, got.arguments))
        if got.tool in _TAKEN_OVER:
            return played
        result = (answer or results())(got.tool, got.arguments)
        pair = calling(at, got.tool, got.arguments, result, got.text)
        talk += [(step, m) for m in pair]
        if got.tool.startswith("to_") and '"step"' in result:
            step = got.tool.removeprefix("to_")
    raise AssertionError(f"no end: {played.names}")


def _seen(talk: Sequence[tuple[str, Message]], step: str, shown: Shown) -> list[Message]:
    out: list[Message] = []
    kept: set[str] = set()
    for where, message in talk:
        calls = message.get("tool_calls", ())
        way = all(call["function"]["name"].startswith("to_") for call in calls)
        if where in ("", step) or shown == "all" or (shown == "ways" and calls and way):
            out.append(message)
            kept |= {call["id"] for call in calls}
        elif message.get("tool_call_id") in kept:
            out.append(message)
        elif message["role"] == "assistant" and message["content"]:
            out.append({"role": "assistant", "content": message["content"]})
    return out


def at_desk(words: str, door: Tool, *, facts: str = FACTS, offer: str = "none") -> Answered:
    """The owner of a call with one door to the billing desk."""
    now = state(과제="supervisor", 방금_제안한_것=offer, 이어갈_예약="없음")
    tools = (*BOOKING_DOORS, tool("connect_person"), tool("end_call"), door)
    messages = ({"role": "system", "content": facts}, {"role": "user", "content": words}, now)
    return ask(ChatRequest(messages, tools))


def at_billing_agent(
    words: str, *more: Tool, before: Sequence[Message] = (), offer: str = "none"
) -> Answered:
    """The agent that a call was handed to."""
    now = state(과제="billing_agent", 방금_제안한_것=offer)
    tools = (*money_tools(words=True), fee_tool(words=True), tool("back_to_desk"), *more)
    said = {"role": "user", "content": words}
    messages = ({"role": "system", "content": FACTS}, *before, said, now)
    return ask(ChatRequest(messages, tools))
