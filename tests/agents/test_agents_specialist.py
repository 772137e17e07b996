"""A specialist's window, its limits, its one end, and what is believed of it (H1, T11, T12)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from agents_parts import (
    BILL,
    CANCELLED,
    DUE,
    FEE,
    OPEN_REFUND,
    REFUND_WISH,
    WHO,
    ScriptedLedger,
    of_kind,
    on_the_loop,
    only_end,
    room,
)
from model_rungs import Recording, Reply, Scripted, check_history, say, use

from wonmu.desk.agents import chat_model
from wonmu.desk.agents.answer import (
    Answer,
    Answered,
    Failed,
    NeedsIdentity,
    Question,
    RefundOffer,
    WhyFailed,
)
from wonmu.desk.agents.specialist import BILLING, CERTIFICATES, Specialist, ask
from wonmu.errors import EmrFault
from wonmu.ids import Won
from wonmu.timeline.events import Event, Kind, Status

pytestmark = pytest.mark.unit

TRUE_WORDS = "11월 19일 내과 외래 진료비는 35,000원이고 모두 내셨습니다."


def asked(
    replies: Sequence[Reply],
    question: Question = BILL,
    specialist: Specialist = BILLING,
    ledger: ScriptedLedger | None = None,
    **limits: float,
) -> tuple[Answer, list[Event], Scripted]:
    rung = Scripted(replies)

    async def main() -> tuple[Answer, list[Event]]:
        place = room(rung, ledger=ledger, **limits)  # type: ignore[arg-type]
        return await ask(specialist, question, place, turn=4), place.recorder.events

    return *on_the_loop(main), rung


def test_the_last_message_comes_back_with_its_facts() -> None:
    answer, events, rung = asked(
        [use("lookup_invoice", text="확인해 보겠습니다."), say(TRUE_WORDS)]
    )
    assert isinstance(answer, Answered)
    assert answer.text == TRUE_WORDS
    assert Won(35_000) in answer.facts.amounts
    assert answer.facts.read == {"invoices", "payments"}
    first, second = rung.requests
    assert [m["role"] for m in first.messages] == ["system", "user", "system"]
    assert first.messages[1]["content"] == BILL.words
    call, result = second.messages[2], second.messages[3]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert json.loads(result["content"])["invoices"][0]["amount"] == 35_000
    check_history(second.messages)
    started, step, ended = events
    assert started.data == {"name": "billing", "question_turn": 4}
    assert step.data == {"name": "billing", "tool": "lookup_invoice", "status": "ok"}
    assert ended.status is Status.SUCCESS
    assert ended.data == {
        "name": "billing",
        "outcome": "answered",
        "model_calls": 2,
        "seconds": 0.0,
    }


def test_prompt_and_tools_are_the_specialists_own() -> None:
    for specialist in (BILLING, CERTIFICATES):
        _, _, rung = asked([say("확인했습니다.")], FEE, specialist)
        (request,) = rung.requests
        assert request.tool_names() == specialist.tools
        assert "한빛병원" in request.messages[0]["content"]
        situation = request.messages[-1]["content"]
        assert situation.startswith("## 지금 상태")
        assert f"과제: specialist_{specialist.name}\n오늘: 2026-12-01" in situation


def test_each_question_starts_with_an_empty_window() -> None:
    recording = Recording(
        Scripted([use("lookup_invoice"), say(TRUE_WORDS), say("진료비를 확인할 수 없습니다.")])
    )

    async def main() -> None:
        place = room(recording)
        await ask(BILLING, BILL, place, turn=1)
        await ask(BILLING, replace(BILL, words="그럼 환불은요?"), place, turn=2)

    on_the_loop(main)
    last = recording.last.messages
    assert [m["role"] for m in last] == ["system", "user", "system"]
    assert "35" not in json.dumps([dict(m) for m in last], ensure_ascii=False)
    assert BILL.words not in str(last)


def test_a_model_sees_no_raw_ids_and_no_patient() -> None:
    recording = Recording(Scripted([use("lookup_invoice"), use("refund_status"), say(TRUE_WORDS)]))
    ledger = ScriptedLedger(given_back=(OPEN_REFUND,))

    async def main() -> None:
        await ask(BILLING, BILL, room(recording, ledger=ledger), turn=1)

    on_the_loop(main)
    sent = recording.everything()
    for secret in ("inv-", "ref-", WHO):
        assert secret not in sent


def test_an_offer_comes_back_typed_and_nothing_is_written() -> None:
    words = "11월 18일 취소된 진료의 20,000원을 돌려받으실 수 있습니다."
    ledger = ScriptedLedger((CANCELLED,))
    answer, _, _ = asked([use("request_refund"), say(words)], REFUND_WISH, ledger=ledger)
    assert isinstance(answer, Answered)
    assert answer.facts.offer == RefundOffer(CANCELLED, Won(20_000))


# Limits ------------------------------------------------------------------------------------------


def test_a_model_that_calls_the_same_tool_for_ever_is_stopped() -> None:
    ledger = ScriptedLedger()
    answer, events, rung = asked([use("lookup_invoice")], ledger=ledger)
    assert answer == Failed(WhyFailed.STEPS)
    assert ledger.asked == ["invoices", "payments"]
    assert len(rung.requests) == 3
    statuses = [e.data["status"] for e in of_kind(events, Kind.SPECIALIST_STEP)]
    assert statuses == ["ok", "repeated", "repeated"]


def test_no_more_model_calls_than_steps() -> None:
    endless = [use("request_refund", number=n) for n in range(1, 40)]
    answer, events, rung = asked(endless, steps=4)
    assert answer == Failed(WhyFailed.STEPS)
    assert len(rung.requests) == 4
    assert only_end(events).data["model_calls"] == 4


def test_the_whole_time_is_limited() -> None:
    answer, events, _ = asked([[50.0, *say(TRUE_WORDS)]], seconds=7.0)
    assert answer == Failed(WhyFailed.SECONDS)
    ended = only_end(events)
    assert (ended.status, ended.data["outcome"]) == (Status.ERROR, "seconds")
    assert ended.data["seconds"] == 7.0


def test_a_slow_ledger_counts_too() -> None:
    answer, events, _ = asked(
        [use("lookup_invoice"), say(TRUE_WORDS)], ledger=ScriptedLedger(seconds=30), seconds=5
    )
    assert answer == Failed(WhyFailed.SECONDS)
    assert only_end(events).mono == pytest.approx(5.0)


@pytest.mark.parametrize("after", [0.0, 0.5, 1.5, 2.5, 3.5])
def test_cancelled_at_any_moment_nothing_goes_on(after: float) -> None:
    rung = Scripted([[1.0, *use("lookup_invoice")], [1.0, *say(TRUE_WORDS)]])
    ledger = ScriptedLedger(seconds=0.75)

    async def main() -> list[Event]:
        place = room(rung, ledger=ledger)
        task = asyncio.create_task(ask(BILLING, BILL, place, turn=1))
        if after:
            await asyncio.sleep(after)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        before = len(place.recorder.events)
        await asyncio.sleep(60)
        assert len(place.recorder.events) == before
        return place.recorder.events

    events = on_the_loop(main)
    if after == 0.0:  # the task never began
        assert events == []
        return
    ended = only_end(events)
    assert (ended.status, ended.data["outcome"]) == (Status.CANCELLED, "cancelled")


# Failures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [EmrFault.TIMEOUT, EmrFault.BREAKER_OPEN])
def test_a_failed_ledger_is_told_however_the_model_would_word_it(fault: EmrFault) -> None:
    ledger = ScriptedLedger(fails=frozenset({"invoices"}), fault=fault)
    answer, events, rung = asked(
        [use("lookup_invoice"), say("내실 진료비는 없습니다.")], ledger=ledger
    )
    assert answer == Failed(WhyFailed.LEDGER, fault)
    assert len(rung.requests) == 1
    (step,) = of_kind(events, Kind.SPECIALIST_STEP)
    assert step.data["status"] == f"ledger_{fault.value}"


def test_a_second_list_that_fails_fails_the_answer() -> None:
    ledger = ScriptedLedger(fails=frozenset({"refunds"}))
    answer, _, _ = asked(
        [use("lookup_invoice"), use("refund_status"), say(TRUE_WORDS)], ledger=ledger
    )
    assert answer == Failed(WhyFailed.LEDGER, EmrFault.TIMEOUT)


def test_nobody_identified() -> None:
    nobody = Question("진료비 얼마 나왔어요?")
    answer, events, _ = asked([use("lookup_invoice"), say("본인 확인이 필요합니다.")], nobody)
    assert answer == NeedsIdentity()
    assert only_end(events).status is Status.EXITED


def test_fees_need_no_identity() -> None:
    replies = [use("certificate_fee", name="진단서"), say("진단서는 20,000원입니다.")]
    answer, _, _ = asked(replies, FEE, CERTIFICATES)
    assert isinstance(answer, Answered)


def test_a_dead_model_is_replaced_and_the_timeline_says_so() -> None:
    answer, events, _ = asked([OSError("no line")], FEE, CERTIFICATES)
    assert not isinstance(answer, Failed) or answer.why is not WhyFailed.MODEL
    fallbacks = of_kind(events, Kind.MODEL_FALLBACK)
    assert fallbacks
    assert fallbacks[0].data == {"reason": "unreachable", "model": "scripted", "to": "builtin"}


def test_when_all_models_are_dead_the_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    field = chat_model.LadderChat.model_fields["last_resort"]
    monkeypatch.setattr(field, "default_factory", lambda: None)
    chat_model.LadderChat.model_rebuild(force=True)
    try:
        answer, events, _ = asked([OSError("no line")])
    finally:
        monkeypatch.undo()
        chat_model.LadderChat.model_rebuild(force=True)
    assert answer == Failed(WhyFailed.MODEL)
    assert only_end(events).status is Status.ERROR


def test_wrong_arguments_are_told_to_the_model_as_such() -> None:
    replies = [
        use("receipt_request", kind="everything"),
        use("request_refund", number="x"),
        use("request_refund", patient="pt-0002"),
        say("진료비를 확인하지 못했습니다."),
    ]
    _, events, rung = asked(replies)
    results = [m for m in rung.requests[-1].messages if m["role"] == "tool"]
    assert [json.loads(m["content"]) for m in results] == [{"error": "invalid_arguments"}] * 3
    check_history(rung.requests[-1].messages)
    steps = of_kind(events, Kind.SPECIALIST_STEP)
    assert {step.data["status"] for step in steps} == {"invalid_arguments"}


def test_a_fault_of_ours_is_an_answer_and_an_event() -> None:
    class Broken(ScriptedLedger):
        async def _answer(self, what: str) -> None:
            raise ZeroDivisionError("900312-1234567")

    answer, events, _ = asked([use("lookup_invoice")], ledger=Broken())
    assert answer == Failed(WhyFailed.LEDGER, EmrFault.BROKEN)
    (fault,) = of_kind(events, Kind.FAULT)
    assert fault.data == {"where": "specialist.billing", "error": "ZeroDivisionError"}
    assert only_end(events).status is Status.ERROR


# What is believed --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("11월 19일 진료비는 36,000원입니다.", WhyFailed.UNTRUE),
        ("진료비는 삼만 육천 원입니다.", WhyFailed.UNTRUE),
        ("환불 처리되었습니다.", WhyFailed.UNTRUE),
        ("네, 환불 신청이 접수되었습니다.", WhyFailed.UNTRUE),
        ("영수증을 발급해 드렸습니다.", WhyFailed.UNTRUE),
        ("예약을 취소해 드렸습니다.", WhyFailed.UNTRUE),
        ("환불 내역이 없습니다.", WhyFailed.UNTRUE),  # nobody has looked
        ("내실 금액이 없습니다.", WhyFailed.UNTRUE),  # 30,000 are due
        ('{"invoices": [{"number": 1, "what": "외래 진료비"}]}', WhyFailed.EMPTY),
        ("OK, done.", WhyFailed.EMPTY),
    ],
)
def test_what_no_tool_returned_is_not_passed_on(words: str, why: WhyFailed) -> None:
    ledger = ScriptedLedger((DUE,))
    answer, events, _ = asked([use("lookup_invoice"), say(words)], ledger=ledger)
    assert answer == Failed(why)
    assert only_end(events).data["outcome"] == why.value


@pytest.mark.parametrize(
    "words",
    [
        TRUE_WORDS,
        "11월 19일 내과 진료비 3만 5천 원은 수납이 완료되었습니다.",
        "삼만 오천 원을 모두 내셨습니다.",
        "10월 진료비 내역은 없습니다.",
        "영수증이 필요하시면 신청하실 수 있습니다.",
    ],
)
def test_what_a_tool_returned_is_passed_on(words: str) -> None:
    answer, _, _ = asked([use("lookup_invoice"), say(words)])
    assert isinstance(answer, Answered), answer
    assert answer.text == words


def test_a_refund_under_way_may_be_told_and_not_as_paid_out() -> None:
    ledger = ScriptedLedger(given_back=(OPEN_REFUND,))
    told = "5,000원 환불은 신청이 접수되어 병원에서 확인하고 있습니다."
    answer, _, _ = asked([use("refund_status"), say(told)], ledger=ledger)
    assert isinstance(answer, Answered)
    answer, _, _ = asked([use("refund_status"), say("5,000원이 환불되었습니다.")], ledger=ledger)
    assert answer == Failed(WhyFailed.UNTRUE)


@pytest.mark.parametrize("blank", ["   ", "[]", "… 。"])
def test_a_blank_answer_of_a_model_goes_to_the_next_model(blank: str) -> None:
    answer, events, _ = asked([say(blank)], FEE, CERTIFICATES)
    assert of_kind(events, Kind.MODEL_FALLBACK)[0].data["reason"] == "empty_answer"
    assert answer != Failed(WhyFailed.MODEL)


def test_steps_hold_no_amounts_and_nothing_about_a_person() -> None:
    replies = [use("lookup_invoice"), use("request_refund", number=1), say(TRUE_WORDS)]
    _, events, _ = asked(replies)
    written = json.dumps([dict(e.data) for e in events], ensure_ascii=False)
    for secret in ("35000", "35,000", WHO, "inv-", "내과", BILL.words):
        assert secret not in written
