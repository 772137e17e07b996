"""The built-in model as a specialist, over a ledger of the tests and over the embedded one (H1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from agents_parts import (
    CANCELLED,
    DUE,
    NOW,
    OPEN_REFUND,
    PAID,
    WHO,
    ScriptedLedger,
    of_kind,
    on_the_loop,
    room,
)
from model_rungs import Recording, check_history

from wonmu.desk.agents.answer import (
    Answer,
    Answered,
    Failed,
    NeedsIdentity,
    Question,
    ReceiptOffer,
    RefundOffer,
    WhyFailed,
)
from wonmu.desk.agents.specialist import BILLING, CERTIFICATES, Specialist, ask
from wonmu.desk.billing.port import RefundState
from wonmu.desk.billing.seed import seed_ledger
from wonmu.desk.billing.sql import open_ledger
from wonmu.ids import PatientId
from wonmu.korean.won import read_won
from wonmu.timeline.events import Event, Kind

pytestmark = pytest.mark.unit

FULL = ScriptedLedger((PAID, CANCELLED, DUE), (OPEN_REFUND,))
EMPTY = ScriptedLedger((), ())


def asked(
    specialist: Specialist, words: str, ledger: ScriptedLedger, patient: PatientId | None = WHO
) -> tuple[Answer, list[str], Recording]:
    recording = Recording()

    async def main() -> tuple[Answer, list[Event]]:
        place = room(recording, ledger=replace(ledger, asked=[]))
        return await ask(specialist, Question(words, patient), place, turn=1), place.recorder.events

    answer, events = on_the_loop(main)
    return answer, [e.data["tool"] for e in of_kind(events, Kind.SPECIALIST_STEP)], recording


@pytest.mark.parametrize("ledger", [FULL, EMPTY], ids=["full", "empty"])
@pytest.mark.parametrize(
    ("specialist", "words", "tools"),
    [
        (BILLING, "지난번 진료비 얼마였죠?", ["lookup_invoice"]),
        (BILLING, "미납된 거 있나요?", ["lookup_invoice"]),
        (BILLING, "환불 어떻게 됐어요?", ["refund_status"]),
        (BILLING, "취소한 진료비 환불해 주세요", ["request_refund"]),
        (BILLING, "영수증 주세요", ["receipt_request"]),
        (BILLING, "진료비랑 환불 상태 알려 주세요", ["lookup_invoice", "refund_status"]),
        (CERTIFICATES, "진단서 얼마예요?", ["certificate_fee"]),
        (CERTIFICATES, "제증명 수수료 알려 주세요", ["certificate_fee"]),
        (CERTIFICATES, "연말정산 서류 주세요", ["receipt_request"]),
    ],
)
def test_it_looks_and_answers_and_is_believed(
    specialist: Specialist, words: str, tools: list[str], ledger: ScriptedLedger
) -> None:
    answer, used, recording = asked(specialist, words, ledger)
    assert isinstance(answer, Answered), answer
    assert used == tools
    assert set(read_won(answer.text)) <= answer.facts.amounts
    for request in recording.requests:
        check_history(request.messages)


def test_an_offer_is_found_and_not_claimed() -> None:
    answer, _, _ = asked(BILLING, "취소한 진료비 환불해 주세요", FULL)
    assert isinstance(answer, Answered)
    assert isinstance(answer.facts.offer, RefundOffer)
    answer, _, _ = asked(BILLING, "영수증 주세요", FULL)
    assert isinstance(answer, Answered)
    assert isinstance(answer.facts.offer, ReceiptOffer)


@pytest.mark.parametrize("state", list(RefundState))
def test_every_state_of_a_refund_can_be_told(state: RefundState) -> None:
    settled = (NOW + timedelta(days=2)).date()
    refund = replace(OPEN_REFUND, state=state, settled_on=settled, reason="보험 적용 진료")
    answer, _, _ = asked(BILLING, "환불 어떻게 됐어요?", ScriptedLedger((PAID,), (refund,)))
    assert isinstance(answer, Answered), answer
    assert "5,000원" in answer.text


def test_without_identity_and_with_a_failing_ledger() -> None:
    answer, _, _ = asked(BILLING, "진료비 얼마 나왔어요?", FULL, patient=None)
    assert answer == NeedsIdentity()
    failing = ScriptedLedger(fails=frozenset({"refunds"}))
    answer, _, _ = asked(BILLING, "환불 어떻게 됐어요?", failing)
    assert isinstance(answer, Failed)
    assert answer.why is WhyFailed.LEDGER


def test_over_the_embedded_ledger_whose_threads_time_must_not_outrun(tmp_path: Path) -> None:
    """Each of its demo patients, within limits of virtual seconds."""
    questions = ("진료비 얼마예요?", "환불 어떻게 됐어요?", "환불해 주세요", "영수증 주세요")

    async def main() -> list[Answer]:
        ledger = await open_ledger(str(tmp_path / "ledger.sqlite"))
        try:
            await seed_ledger(ledger, ["내과", "피부과"], NOW)
            place = replace(room(seconds=5), ledger=ledger)
            return [
                await ask(BILLING, Question(words, PatientId(f"p-{number:04d}")), place, turn=1)
                for number in range(1, 8)
                for words in questions
            ]
        finally:
            await ledger.close()

    answers = on_the_loop(main)
    assert [a for a in answers if not isinstance(a, Answered)] == []
