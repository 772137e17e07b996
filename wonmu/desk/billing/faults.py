"""A ledger that fails on purpose, to the plan of a faults file (A8, B4, T11).

Stands between the guard and a real ledger and makes happen what real ones do: slowness, refusals,
hangs, replies lost after the write, nonsense, empty answers. What it answers is otherwise the inner
one's; it invents no money.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from wonmu.desk.billing.guard import ledger_failure
from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    Ledger,
    Payment,
    ReceiptOrder,
    ReceiptResult,
    Refund,
    RefundOrder,
    RefundResult,
)
from wonmu.emr.fault_plan import LEDGER_WRITES, FaultKind, FaultPlan, FaultRule
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.ids import PatientId

T = TypeVar("T")


class FaultyLedger:
    """The port with faults. Counts requests, so one plan serves one ledger."""

    def __init__(self, inner: Ledger, plan: FaultPlan) -> None:
        self.inner = inner
        self._plan = plan
        self._seen = [0] * len(plan.rules)

    async def invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        return await self._read("invoices", lambda: self.inner.invoices(patient))

    async def payments(self, patient: PatientId) -> tuple[Payment, ...]:
        return await self._read("payments", lambda: self.inner.payments(patient))

    async def refunds(self, patient: PatientId) -> tuple[Refund, ...]:
        return await self._read("refunds", lambda: self.inner.refunds(patient))

    async def certificates(self) -> tuple[CertificateFee, ...]:
        return await self._read("certificates", self.inner.certificates)

    async def request_refund(self, order: RefundOrder) -> RefundResult:
        return await self._struck("request_refund", lambda: self.inner.request_refund(order))

    async def request_receipt(self, order: ReceiptOrder) -> ReceiptResult:
        return await self._struck("request_receipt", lambda: self.inner.request_receipt(order))

    async def close(self) -> None:
        await self.inner.close()

    async def _read(self, op: str, ask: Callable[[], Awaitable[tuple[T, ...]]]) -> tuple[T, ...]:
        strikes = self._strikes(op)
        answer = await _carry_out(op, strikes, ask)
        return () if any(rule.kind is FaultKind.EMPTY for rule in strikes) else answer

    async def _struck(self, op: str, act: Callable[[], Awaitable[T]]) -> T:
        return await _carry_out(op, self._strikes(op), act)

    def _strikes(self, op: str) -> tuple[FaultRule, ...]:
        """The rules that strike this request, in the file's order; counts it for each."""
        found = []
        for number, rule in enumerate(self._plan.rules):
            if not rule.concerns(op):
                continue
            self._seen[number] += 1
            turn = self._seen[number] - rule.after
            if turn > 0 and (rule.times is None or turn <= rule.times):
                found.append(rule)
        return tuple(found)


async def _carry_out(op: str, strikes: tuple[FaultRule, ...], ask: Callable[[], Awaitable[T]]) -> T:
    for rule in strikes:
        await _before(op, rule)
    answer = await ask()
    for rule in strikes:
        if rule.kind is FaultKind.LOST_REPLY:
            await _silence(rule, f"the reply to {op} was lost")
    return answer


async def _before(op: str, rule: FaultRule) -> None:
    write = op in LEDGER_WRITES
    match rule.kind:
        case FaultKind.LATENCY:
            await asyncio.sleep(rule.seconds or 0.0)
        case FaultKind.ERROR:
            raise _error(op, rule, write=write)
        case FaultKind.INVALID:
            raise ledger_failure(EmrFault.INVALID, op, write=write)
        case FaultKind.HANG:
            await _silence(rule, f"{op} was never answered")
        case FaultKind.LOST_REPLY | FaultKind.EMPTY | FaultKind.TAKEN_SLOT | FaultKind.STALE_LIST:
            pass


def _error(op: str, rule: FaultRule, *, write: bool) -> LedgerFailure:
    """Unreachable at once means that no connection was made: a write certainly did not happen."""
    return ledger_failure(rule.error, op, write=write and rule.error is not EmrFault.UNREACHABLE)


async def _silence(rule: FaultRule, what: str) -> None:
    """Nothing comes; after ``seconds``, if given, the connection breaks."""
    if rule.seconds is None:
        await asyncio.Event().wait()
    await asyncio.sleep(rule.seconds or 0.0)
    raise TimeoutError(what)
