"""Whatever a model does, a specialist gives an answer of the union and has one end (H1, N7)."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from agents_parts import (
    CANCELLED,
    DUE,
    OPEN_REFUND,
    PAID,
    WHO,
    ScriptedLedger,
    of_kind,
    on_the_loop,
    room,
)
from model_rungs import Reply, Scripted, check_history, say, use

from wonmu.desk.agents.answer import Answer, Answered, Failed, NeedsIdentity, Question
from wonmu.desk.agents.specialist import BILLING, CERTIFICATES, ask
from wonmu.korean.won import read_won
from wonmu.model.port import Done, TextDelta, ToolCallDelta
from wonmu.timeline.events import Event, Kind, Status

pytestmark = pytest.mark.unit

SENTENCES = (
    "진료비는 35,000원이고 모두 내셨습니다.",
    "내실 금액은 99,000원입니다.",
    "환불 처리되었습니다.",
    "20,000원을 돌려받으실 수 있습니다.",
    "영수증을 발급해 드렸습니다.",
    "확인해 보겠습니다.",
    "",
    "   ",
    "{}",
    '{"name": "lookup_invoice", "arguments": {}}',
    "lookup_invoice()",
    "I cannot help with that.",
    "예약을 취소해 드렸습니다. 5,000원이 환불되었습니다.",
)
TOOLS = ("lookup_invoice", "refund_status", "request_refund", "receipt_request", "certificate_fee")
OTHERS = ("create_booking", "end_call", "")
ARGUMENTS: tuple[dict[str, Any], ...] = (
    {},
    {"number": 1},
    {"number": -3},
    {"number": "둘"},
    {"number": None},
    {"kind": "receipt"},
    {"kind": "year_end", "number": 2},
    {"kind": "all"},
    {"name": "진단서"},
    {"name": ["x"]},
    {"patient": WHO},
)


def anything(rng: random.Random) -> Reply:
    """One answer of a model that keeps no rule."""
    name = rng.choice(TOOLS + OTHERS) if rng.random() < 0.2 else rng.choice(TOOLS)
    match rng.randrange(11):
        case 0 | 1 | 2:
            return say(rng.choice(SENTENCES))
        case 3 | 4 | 5 | 6:
            text = rng.choice(SENTENCES) if rng.random() < 0.3 else ""
            return use(name, text=text, **rng.choice(ARGUMENTS))
        case 7:  # several calls at once
            calls = [ToolCallDelta(at, f"c{at}", each, "{}") for at, each in enumerate(TOOLS)]
            return [*calls, Done("tool_calls")]
        case 8:  # breaks off
            return [TextDelta(rng.choice(SENTENCES))]
        case 9:
            return [ToolCallDelta(0, "c", name, '{"number": '), Done("tool_calls")]
        case _:
            slow = rng.choice((0.1, 2.0, 40.0))
            return OSError("gone") if rng.random() < 0.5 else [slow, *say(rng.choice(SENTENCES))]


def one_round(seed: int) -> tuple[Answer | None, list[Event], Scripted]:
    rng = random.Random(seed)
    rung = Scripted(lambda request: anything(rng))
    lists = ("invoices", "payments", "refunds", "certificates")
    ledger = ScriptedLedger(
        bills=tuple(rng.sample((PAID, CANCELLED, DUE), rng.randrange(4))),
        given_back=(OPEN_REFUND,) if rng.random() < 0.5 else (),
        seconds=rng.choice((0.0, 0.3, 3.0)),
        fails=frozenset(each for each in lists if rng.random() < 0.1),
    )
    question = Question("환불이랑 영수증이랑 진단서요", WHO if rng.random() < 0.8 else None)
    specialist = rng.choice((BILLING, CERTIFICATES))
    cancelled_after = rng.uniform(0, 6) if rng.random() < 0.2 else None

    async def main() -> tuple[Answer | None, list[Event]]:
        place = room(
            rung,
            ledger=ledger,
            steps=rng.randrange(1, 8),
            seconds=rng.choice((0.5, 5.0, 20.0)),
            patient_model=rng.random() < 0.5,
        )
        task = asyncio.create_task(ask(specialist, question, place, turn=1))
        if cancelled_after is not None:
            await asyncio.sleep(cancelled_after)
            task.cancel()
        try:
            answer: Answer | None = await task
        except asyncio.CancelledError:
            answer = None
        return answer, place.recorder.events

    return *on_the_loop(main), rung


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_two_hundred_models_that_keep_no_rule(first: int) -> None:
    for seed in range(first, first + 25):
        answer, events, rung = one_round(seed)
        starts = of_kind(events, Kind.SPECIALIST_STARTED)
        ends = of_kind(events, Kind.SPECIALIST_ENDED)
        assert [e.span for e in starts] == [e.span for e in ends], seed
        assert not of_kind(events, Kind.FAULT), seed
        for request in rung.requests:
            check_history(request.messages)
            assert sum(m["role"] == "user" for m in request.messages) == 1
        match answer:
            case None:
                assert all(e.status is Status.CANCELLED for e in ends), seed
            case Answered(text, facts):
                assert text.strip(), seed
                assert set(read_won(text)) <= facts.amounts, seed
                assert ends[0].status is Status.SUCCESS
            case Failed() | NeedsIdentity():
                assert ends[0].status in (Status.ERROR, Status.EXITED), seed


def test_the_same_seed_gives_the_same_round() -> None:
    for seed in (3, 17):
        rounds = [one_round(seed) for _ in range(2)]
        assert rounds[0][0] == rounds[1][0]
        assert [e.to_json() for e in rounds[0][1]] == [e.to_json() for e in rounds[1][1]]
