"""The ledger's port, guarded: every request ends in time (A8, T11).

A read that failed is sent once more if there is time left; both tries together end within the
limit of a request. A write is sent once and never stopped half way: when the limit is over nobody
knows its outcome, the write itself goes on to its end, and ``close`` waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

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
from wonmu.emr.failures import MEANING
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.ids import PatientId

T = TypeVar("T")


def ledger_failure(fault: EmrFault, doing: str, *, write: bool = False) -> LedgerFailure:
    """A failure that means what the table of the record system's faults says."""
    known = not write or MEANING[fault].unwritten
    return LedgerFailure(fault, doing, outcome_known=known)


class GuardedLedger:
    """The port, around another one. ``seconds``: limit of one request."""

    def __init__(self, inner: Ledger, seconds: float) -> None:
        self.inner = inner
        self._seconds = seconds
        self._writes: set[asyncio.Task[object]] = set()

    async def invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        return await self._read("invoices", lambda: self.inner.invoices(patient))

    async def payments(self, patient: PatientId) -> tuple[Payment, ...]:
        return await self._read("payments", lambda: self.inner.payments(patient))

    async def refunds(self, patient: PatientId) -> tuple[Refund, ...]:
        return await self._read("refunds", lambda: self.inner.refunds(patient))

    async def certificates(self) -> tuple[CertificateFee, ...]:
        return await self._read("certificates", self.inner.certificates)

    async def request_refund(self, order: RefundOrder) -> RefundResult:
        return await self._write("request_refund", lambda: self.inner.request_refund(order))

    async def request_receipt(self, order: ReceiptOrder) -> ReceiptResult:
        return await self._write("request_receipt", lambda: self.inner.request_receipt(order))

    async def close(self) -> None:
        """Give writes still under way the limit of a request to end, then close the inner one."""
        if self._writes:
            _, late = await asyncio.wait(set(self._writes), timeout=self._seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self.inner.close()

    async def _read(self, op: str, ask: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(self._seconds):
                try:
                    return await _translated(op, ask, write=False)
                except LedgerFailure as failure:
                    if not MEANING[failure.fault].again:
                        raise
                return await _translated(op, ask, write=False)
        except TimeoutError:
            raise ledger_failure(EmrFault.TIMEOUT, op) from None

    async def _write(self, op: str, ask: Callable[[], Awaitable[T]]) -> T:
        task = asyncio.ensure_future(_translated(op, ask, write=True))
        self._writes.add(task)
        task.add_done_callback(self._written)
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(task)
        except TimeoutError:
            raise ledger_failure(EmrFault.TIMEOUT, op, write=True) from None

    def _written(self, task: asyncio.Task[object]) -> None:
        self._writes.discard(task)
        if not task.cancelled():
            task.exception()  # seen; a failure nobody waits for any more is not an error of ours


async def _translated(op: str, ask: Callable[[], Awaitable[T]], *, write: bool) -> T:
    """Ask once; what a driver or a network raises becomes a ``LedgerFailure``."""
    try:
        return await ask()
    except TimeoutError as error:
        raise ledger_failure(EmrFault.TIMEOUT, op, write=write) from error
    except OSError as error:
        raise ledger_failure(EmrFault.UNREACHABLE, op, write=write) from error
    except SQLAlchemyError as error:
        raise ledger_failure(EmrFault.BROKEN, op, write=write) from error
