"""A slow, silent or broken ledger: in time, asked again where safe, never "none" (A8, T11)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from billing_parts import (
    CALL,
    HOSPITAL,
    KEY,
    KIM,
    NOW,
    PaperLedger,
    invoice,
    overpaid,
    receipt_order,
    refund_order,
)
from sqlalchemy.exc import OperationalError

from wonmu.desk.billing.faults import FaultyLedger
from wonmu.desk.billing.guard import GuardedLedger
from wonmu.desk.billing.port import ReceiptTaken, RefundTaken
from wonmu.desk.billing.refund import NotKnown, RefundDraft, Staged, Taken, carry_out
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.loop import run

pytestmark = pytest.mark.unit

BILL = overpaid()
LIMIT = 3.0


def guarded(*rules: FaultRule, bills: tuple[Any, ...] = (BILL,)) -> tuple[GuardedLedger, Any]:
    paper = PaperLedger(bills)
    return GuardedLedger(FaultyLedger(paper, FaultPlan(rules)), LIMIT), paper


def now() -> float:
    return asyncio.get_running_loop().time()


READS = ("invoices", "payments", "refunds", "certificates")


async def ask(ledger: GuardedLedger, op: str) -> tuple[object, ...]:
    match op:
        case "invoices":
            return await ledger.invoices(KIM)
        case "payments":
            return await ledger.payments(KIM)
        case "refunds":
            return await ledger.refunds(KIM)
    return await ledger.certificates()


async def write(ledger: GuardedLedger, op: str) -> None:
    if op == "request_refund":
        await ledger.request_refund(refund_order(BILL))
    else:
        await ledger.request_receipt(receipt_order(BILL))


@pytest.mark.parametrize("op", READS)
def test_a_read_that_failed_once_is_asked_again(op: str) -> None:
    async def main() -> None:
        ledger, paper = guarded(FaultRule(op, FaultKind.ERROR, error=EmrFault.BROKEN, times=1))
        await ask(ledger, op)
        assert paper.asked == [op]

    run(main)  # on the conversation's time: waits cost nothing


@pytest.mark.parametrize("op", READS)
def test_a_read_that_failed_twice_fails(op: str) -> None:
    async def main() -> None:
        ledger, paper = guarded(FaultRule(op, FaultKind.ERROR, error=EmrFault.BROKEN, times=2))
        with pytest.raises(LedgerFailure) as failed:
            await ask(ledger, op)
        assert (failed.value.fault, failed.value.outcome_known) == (EmrFault.BROKEN, True)
        assert paper.asked == []
        await ask(ledger, op)

    run(main)


def test_what_will_not_get_better_is_not_asked_again() -> None:
    async def main() -> None:
        ledger, paper = guarded(FaultRule("invoices", FaultKind.INVALID, times=1))
        with pytest.raises(LedgerFailure) as failed:
            await ledger.invoices(KIM)
        assert failed.value.fault is EmrFault.INVALID
        assert paper.asked == []

    run(main)


@pytest.mark.parametrize(
    "rule",
    [
        FaultRule("any", FaultKind.HANG),
        FaultRule("any", FaultKind.HANG, seconds=2.0),
        FaultRule("any", FaultKind.LATENCY, seconds=60.0),
    ],
)
def test_a_read_ends_within_the_limit_of_a_request(rule: FaultRule) -> None:
    async def main() -> None:
        ledger, _ = guarded(rule)
        began = now()
        with pytest.raises(LedgerFailure) as failed:
            await ledger.invoices(KIM)
        assert failed.value.fault is EmrFault.TIMEOUT
        assert now() - began == pytest.approx(LIMIT)

    run(main)


def test_a_slow_read_in_time_is_an_answer() -> None:
    async def main() -> None:
        ledger, _ = guarded(FaultRule("invoices", FaultKind.LATENCY, seconds=2.5))
        assert await ledger.invoices(KIM) == (BILL,)

    run(main)


def test_an_empty_answer_of_the_plan_is_empty() -> None:
    async def main() -> None:
        ledger, _ = guarded(FaultRule("invoices", FaultKind.EMPTY, after=1, times=1))
        assert await ledger.invoices(KIM) == (BILL,)
        assert await ledger.invoices(KIM) == ()
        assert await ledger.invoices(KIM) == (BILL,)

    run(main)


@pytest.mark.parametrize(
    ("fault", "known"),
    [
        (EmrFault.UNREACHABLE, True),
        (EmrFault.REFUSED, True),
        (EmrFault.BROKEN, False),
        (EmrFault.TIMEOUT, False),
    ],
)
def test_a_write_is_sent_once_and_says_what_is_known(fault: EmrFault, known: bool) -> None:
    async def main() -> None:
        for op in ("request_refund", "request_receipt"):
            ledger, paper = guarded(FaultRule(op, FaultKind.ERROR, error=fault, times=1))
            with pytest.raises(LedgerFailure) as failed:
                await write(ledger, op)
            assert (failed.value.fault, failed.value.outcome_known) == (fault, known)
            assert paper.asked == []

    run(main)


def test_a_write_out_of_time_goes_on_to_its_end() -> None:
    async def main() -> None:
        ledger, paper = guarded(FaultRule("request_refund", FaultKind.LATENCY, seconds=4.0))
        with pytest.raises(LedgerFailure) as failed:
            await ledger.request_refund(refund_order(BILL))
        assert (failed.value.fault, failed.value.outcome_known) == (EmrFault.TIMEOUT, False)
        assert paper.orders == []
        await ledger.close()
        assert len(paper.orders) == 1

    run(main)


def test_closing_does_not_wait_for_ever() -> None:
    async def main() -> None:
        ledger, paper = guarded(FaultRule("request_receipt", FaultKind.HANG))
        with pytest.raises(LedgerFailure):
            await ledger.request_receipt(receipt_order(BILL))
        began = now()
        await ledger.close()
        assert now() - began == pytest.approx(LIMIT)
        assert paper.asked == ["close"]

    run(main)


def test_who_stops_waiting_does_not_stop_the_write() -> None:
    async def main() -> None:
        ledger, paper = guarded(FaultRule("request_refund", FaultKind.LATENCY, seconds=1.0))
        waiting = asyncio.ensure_future(ledger.request_refund(refund_order(BILL)))
        await asyncio.sleep(0.5)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await ledger.close()
        assert len(paper.orders) == 1

    run(main)


@pytest.mark.parametrize(
    ("raised", "fault"),
    [
        (OSError("reset"), EmrFault.UNREACHABLE),
        (TimeoutError("late"), EmrFault.TIMEOUT),
        (OperationalError("", {}, Exception("x")), EmrFault.BROKEN),
    ],
)
def test_what_a_driver_raises_becomes_a_failure(raised: Exception, fault: EmrFault) -> None:
    class Raw(PaperLedger):
        async def invoices(self, patient: object) -> Any:
            raise raised

        async def request_refund(self, order: object) -> Any:
            raise raised

    async def main() -> None:
        ledger = GuardedLedger(Raw(), LIMIT)
        with pytest.raises(LedgerFailure) as failed:
            await ledger.invoices(KIM)
        assert (failed.value.fault, failed.value.outcome_known) == (fault, True)
        with pytest.raises(LedgerFailure) as failed:
            await ledger.request_refund(refund_order(BILL))
        assert (failed.value.fault, failed.value.outcome_known) == (fault, False)

    run(main)


def test_without_faults_everything_passes_through() -> None:
    async def main() -> None:
        ledger, paper = guarded(bills=(BILL, invoice()))
        for op in READS:
            await ask(ledger, op)
        assert isinstance(await ledger.request_refund(refund_order(BILL)), RefundTaken)
        assert isinstance(await ledger.request_receipt(receipt_order(BILL)), ReceiptTaken)
        assert paper.asked == [*READS, "request_refund", "request_receipt"]

    run(main)


# A consented refund on a ledger that loses replies -------------------------------------------


@pytest.mark.parametrize(("lost", "outcome"), [(1, Taken), (2, NotKnown)])
def test_a_lost_reply_is_looked_for_under_the_same_key(lost: int, outcome: type[object]) -> None:
    async def main() -> None:
        ledger, paper = guarded(FaultRule("request_refund", FaultKind.LOST_REPLY, times=lost))
        draft = RefundDraft(KIM)
        staged = draft.stage(BILL, BILL.refundable)
        assert isinstance(staged, Staged)
        draft.readback_started(staged.digest, "신청할까요?", 1)
        draft.readback_heard(staged.digest)
        draft.consent(staged.digest, "네", 1)
        began = now()
        result = await carry_out(ledger, draft, key=KEY, hospital_id=HOSPITAL, call_id=CALL, at=NOW)
        assert isinstance(result, outcome)
        assert {order.key for order in paper.orders} == {KEY}
        assert len(paper.orders) == 2
        assert now() - began <= 2 * LIMIT
        await ledger.close()

    run(main)
