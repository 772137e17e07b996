"""What the built-in specialist says has its proof in what the real tools returned (T11, T12)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest
from billing_talk import Played, play_specialist
from hypothesis import given, settings
from hypothesis import strategies as st

from wonmu.desk.agents.answer import Answered
from wonmu.desk.agents.proof import judged
from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    InvoiceState,
    Payment,
    PaymentMethod,
    ReceiptKind,
    ReceiptOrder,
    ReceiptResult,
    Refund,
    RefundOrder,
    RefundResult,
    RefundState,
)
from wonmu.desk.billing.work import BillingTools
from wonmu.ids import InvoiceId, PatientId, RefundId, Won

pytestmark = pytest.mark.unit

ASKED = (
    "진료비 얼마 나왔어요?",
    "미납된 거 있어요?",
    "수납하려고요",
    "결제했나요?",
    "1월 1일 진료비 결제됐나요?",
    "정형외과 진료비 얼마 나왔어요",
    "최근 진료비 얼마예요",
    "병원비가 너무 많이 나왔어요",
    "환불 언제 돼요?",
    "환불 됐나요?",
    "환불해 주세요",
    "환불 되나요?",
    "두 번 결제됐어요",
    "11월 12일 거 환불해 주세요",
    "두 번째 거 환불해 주세요",
    "진료비랑 환불 언제 되는지 알려 주세요",
    "진료비 얼마 나왔어요? 환불도 해 주세요",
    "영수증 주세요",
    "두 번째 거 영수증 주세요",
    "연말정산 서류 주세요",
    "영수증이랑 환불이요",
)

_DAY = st.dates(date(2026, 1, 1), date(2026, 12, 1))


@st.composite
def _invoices(draw: st.DrawFn) -> tuple[Invoice, ...]:
    found = []
    for number in range(draw(st.integers(0, 5))):
        amount = draw(st.integers(0, 300)) * 100
        state = draw(st.sampled_from(InvoiceState))
        paid = {
            InvoiceState.DUE: draw(st.integers(0, amount)),
            InvoiceState.PAID: amount,
            InvoiceState.OVERPAID: amount + 100 * draw(st.integers(1, 90)),
            InvoiceState.CANCELLED: draw(st.integers(0, amount)),
        }[state]
        back = {InvoiceState.OVERPAID: paid - amount, InvoiceState.CANCELLED: paid}.get(state, 0)
        asked = draw(st.booleans())
        found.append(
            Invoice(
                InvoiceId(f"inv-{number}"),
                PatientId("p1"),
                draw(_DAY),
                draw(st.sampled_from(["내과", "정형외과"])),
                draw(st.sampled_from(["외래 진료비", "도수치료비", "검사비"])),
                Won(amount),
                Won(paid),
                state,
                Won(0 if asked else back),
                1,
            )
        )
    return tuple(found)


class _Ledger:
    def __init__(self, invoices: tuple[Invoice, ...], states: list[RefundState]) -> None:
        self._invoices = invoices
        self._refunds = tuple(
            Refund(
                RefundId(f"r{at}"),
                invoice.id,
                invoice.visit_day,
                invoice.what,
                Won(1000 + at),
                state,
                datetime(2026, 11, 1, tzinfo=UTC),
                date(2026, 11, 9) if state is RefundState.PAID_OUT else None,
            )
            for at, (invoice, state) in enumerate(zip(invoices, states, strict=False))
        )

    async def invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        return self._invoices

    async def payments(self, patient: PatientId) -> tuple[Payment, ...]:
        return tuple(
            Payment(invoice.id, invoice.visit_day, invoice.paid, PaymentMethod.CARD)
            for invoice in self._invoices
            if invoice.paid
        )

    async def refunds(self, patient: PatientId) -> tuple[Refund, ...]:
        return self._refunds

    async def certificates(self) -> tuple[CertificateFee, ...]:
        return (CertificateFee("c1", "진단서", Won(20000), Won(1000), ""),)

    async def request_refund(self, order: RefundOrder) -> RefundResult:
        raise AssertionError("a specialist writes nothing")

    async def request_receipt(self, order: ReceiptOrder) -> ReceiptResult:
        raise AssertionError("a specialist writes nothing")

    async def close(self) -> None:
        return None


def _worked(words: str, tools: BillingTools) -> Played:
    async def run(name: str, arguments: Mapping[str, Any]) -> str:
        match name:
            case "lookup_invoice":
                return (await tools.lookup_invoice()).json
            case "refund_status":
                return (await tools.refund_status()).json
            case "request_refund":
                return (await tools.request_refund(arguments["number"])).json
            case "receipt_request":
                kind = ReceiptKind(arguments["kind"])
                return (await tools.receipt_request(kind, arguments["number"])).json
        return (await tools.certificate_fee(arguments["name"])).json

    return play_specialist(words, lambda name, given: asyncio.run(run(name, given)))


@given(
    st.sampled_from(ASKED),
    _invoices(),
    st.lists(st.sampled_from(RefundState), max_size=5),
)
@settings(max_examples=200, deadline=None)
def test_every_last_message_has_its_proof(
    words: str, invoices: tuple[Invoice, ...], states: list[RefundState]
) -> None:
    tools = BillingTools(_Ledger(invoices, states), PatientId("p1"))
    played = _worked(words, tools)
    assert isinstance(judged(played.last, tools), Answered), played.last


def test_the_proof_catches_a_wrong_amount() -> None:
    tools = BillingTools(_Ledger((), []), PatientId("p1"))
    played = _worked("진료비 얼마예요?", tools)
    assert isinstance(judged(played.last, tools), Answered)
    assert not isinstance(judged("진료비는 12,345원입니다.", tools), Answered)
