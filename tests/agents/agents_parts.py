"""A ledger that answers as told, and a room to ask specialists in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, TypeVar

from wonmu import loop
from wonmu.clock import SEOUL
from wonmu.desk.agents.answer import Question
from wonmu.desk.agents.specialist import Workroom
from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    InvoiceState,
    Payment,
    ReceiptOrder,
    ReceiptResult,
    Refund,
    RefundOrder,
    RefundResult,
    RefundState,
)
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.hospital.billing import SpecialistLimits
from wonmu.ids import CallId, CountingIds, InvoiceId, PatientId, RefundId, Won
from wonmu.lines import Lines
from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.record import Recorder

T = TypeVar("T")

LINES = Lines.load()
WHO = PatientId("pt-0001")
NOW = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)
BILL = Question("지난번 진료비가 얼마였죠?", WHO)
REFUND_WISH = Question("취소한 진료비를 환불해 주세요", WHO)
FEE = Question("진단서 떼는 데 얼마예요?")


def invoice(
    number: int, amount: int, paid: int, state: InvoiceState, refundable: int = 0
) -> Invoice:
    day = date(2026, 11, 20 - number)
    what = "외래 진료비"
    given = InvoiceId(f"inv-77{number}")
    return Invoice(given, WHO, day, "내과", what, Won(amount), Won(paid), state, Won(refundable), 1)


PAID = invoice(1, 35_000, 35_000, InvoiceState.PAID)
CANCELLED = invoice(2, 20_000, 20_000, InvoiceState.CANCELLED, refundable=20_000)
DUE = invoice(3, 50_000, 20_000, InvoiceState.DUE)
OPEN_REFUND = Refund(
    RefundId("ref-771"),
    PAID.id,
    PAID.visit_day,
    "외래 진료비",
    Won(5_000),
    RefundState.REQUESTED,
    NOW,
)
FEES = (
    CertificateFee("diagnosis", "진단서", Won(20_000), Won(1_000), ""),
    CertificateFee("record", "진료기록 사본", Won(1_000), None, ""),
)


@dataclass
class ScriptedLedger:
    """Answers after ``seconds``; ``fails`` names what fails."""

    bills: tuple[Invoice, ...] = (PAID,)
    given_back: tuple[Refund, ...] = ()
    seconds: float = 0.0
    fails: frozenset[str] = frozenset()
    fault: EmrFault = EmrFault.TIMEOUT
    asked: list[str] = field(default_factory=list)

    async def invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        await self._answer("invoices")
        return self.bills

    async def payments(self, patient: PatientId) -> tuple[Payment, ...]:
        await self._answer("payments")
        return ()

    async def refunds(self, patient: PatientId) -> tuple[Refund, ...]:
        await self._answer("refunds")
        return self.given_back

    async def certificates(self) -> tuple[CertificateFee, ...]:
        await self._answer("certificates")
        return FEES

    async def request_refund(self, order: RefundOrder) -> RefundResult:
        raise AssertionError("a specialist must never write")

    async def request_receipt(self, order: ReceiptOrder) -> ReceiptResult:
        raise AssertionError("a specialist must never write")

    async def close(self) -> None:
        return None

    async def _answer(self, what: str) -> None:
        self.asked.append(what)
        await asyncio.sleep(self.seconds)
        if what in self.fails:
            raise LedgerFailure(self.fault, f"reading {what}")


def room(
    *rungs: Rung,
    ledger: ScriptedLedger | None = None,
    steps: int = 6,
    seconds: float = 20.0,
    asks: int = 1,
    patient_model: bool = True,
) -> Workroom:
    """Made inside the running loop. ``patient_model``: models may be as slow as they like."""
    clock = loop.LoopClock(NOW)
    slow = Limits(first_token_seconds=600, quiet_seconds=500, gap_seconds=600, whole_seconds=900)
    return Workroom(
        hospital="한빛병원",
        ledger=ledger if ledger is not None else ScriptedLedger(),
        lines=LINES,
        recorder=Recorder(CallId("call-1"), clock, CountingIds()),
        clock=clock,
        rungs=tuple(rungs),
        limits=SpecialistLimits(steps=steps, seconds=seconds, asks=asks),
        model_limits=slow if patient_model else Limits(),
    )


def on_the_loop(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run on virtual time; fails if a task is left behind."""

    async def watched() -> T:
        result = await main()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"left behind: {left}"
        return result

    return loop.run(watched)


def of_kind(events: Sequence[Event], kind: Kind) -> list[Event]:
    return [event for event in events if event.kind is kind]


def only_end(events: Sequence[Event]) -> Event:
    """The end of the one question asked; fails unless there is one start and one end of it."""
    (started,) = of_kind(events, Kind.SPECIALIST_STARTED)
    (ended,) = of_kind(events, Kind.SPECIALIST_ENDED)
    assert started.span == ended.span
    return ended
