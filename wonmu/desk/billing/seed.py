"""Fills an embedded ledger with the bills of the fictional patients of ``wonmu.emr.seed``.

The same day and departments give the same ledger. A ledger that has any invoice is left as it is.
Everything is made up. What demos and tests rely on, by patient:

    p-0001 김민수          one paid, one due, one overpaid (15,000 to give back)
    p-0002 이서연          two to give back: a cancelled check-up (100,000) and 12,000
    p-0003 박지호          one paid
    p-0004 박지우          one refund requested, nothing more to give back
    p-0005 최하윤          one due, a part of it paid
    p-0006 최하준          one paid in two payments
    p-0007 김영희          one refund in each state; what was rejected (4,000) can be asked again
    p-0008 김영희          one due
    p-0009 정재희          nothing at all
    p-0010 정제희          one rejected refund that can be asked again (9,000)
    p-0011 박정수 (1948)   two due, one paid
    p-0012 박정수 (1976)   one cancelled prepayment (50,000 to give back)
    p-0013, p-0014 이민지  one paid each
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlalchemy import insert, select

from wonmu.clock import SEOUL
from wonmu.desk.billing.port import InvoiceState, PaymentMethod, RefundState
from wonmu.desk.billing.sql import SqlLedger
from wonmu.desk.billing.tables import invoices, payments, refunds
from wonmu.storage import filling

CARD, CASH, TRANSFER = PaymentMethod.CARD, PaymentMethod.CASH, PaymentMethod.TRANSFER
OUTPATIENT, TESTS, PREPAID = "외래 진료비", "검사비", "예약 선수금"
REASON = "본인부담금 재계산 결과 환불 대상이 아님"

_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class _Refund:
    """``after``: days from the visit to the request; ``settled``: from the request to its end."""

    state: RefundState
    amount: int
    after: int = 3
    settled: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Bill:
    """``ago``: days before today; ``department``: a number, as there are different ones."""

    patient: int
    ago: int
    department: int
    what: str
    amount: int
    paid: tuple[tuple[int, PaymentMethod], ...]
    cancelled: bool = False
    refund: _Refund | None = None

    @property
    def state(self) -> InvoiceState:
        given = sum(amount for amount, _ in self.paid)
        if self.cancelled:
            return InvoiceState.CANCELLED
        if given < self.amount:
            return InvoiceState.DUE
        return InvoiceState.PAID if given == self.amount else InvoiceState.OVERPAID


_BILLS = (
    _Bill(1, 11, 0, OUTPATIENT, 35_000, ((35_000, CARD),)),
    _Bill(1, 5, 1, OUTPATIENT, 52_000, ()),
    _Bill(1, 26, 0, TESTS, 28_000, ((43_000, CARD),)),
    _Bill(2, 8, 3, PREPAID, 100_000, ((100_000, TRANSFER),), cancelled=True),
    _Bill(2, 19, 3, OUTPATIENT, 24_500, ((36_500, CARD),)),
    _Bill(3, 14, 2, OUTPATIENT, 18_500, ((18_500, CARD),)),
    _Bill(
        4, 20, 2, OUTPATIENT, 15_200, ((21_200, CARD),),
        refund=_Refund(RefundState.REQUESTED, 6_000),
    ),
    _Bill(5, 6, 2, OUTPATIENT, 31_000, ((11_000, CASH),)),
    _Bill(6, 6, 2, OUTPATIENT, 31_000, ((11_000, CASH), (20_000, CARD))),
    _Bill(
        7, 9, 0, OUTPATIENT, 12_300, ((17_300, CARD),), refund=_Refund(RefundState.REQUESTED, 5_000)
    ),
    _Bill(
        7, 23, 1, TESTS, 80_000, ((110_000, CARD),), refund=_Refund(RefundState.APPROVED, 30_000)
    ),
    _Bill(
        7, 48, 0, PREPAID, 70_000, ((70_000, CASH),), cancelled=True,
        refund=_Refund(RefundState.PAID_OUT, 70_000, settled=6),
    ),
    _Bill(
        7, 62, 1, OUTPATIENT, 22_000, ((26_000, CARD),),
        refund=_Refund(RefundState.REJECTED, 4_000, settled=5, reason=REASON),
    ),
    _Bill(8, 4, 1, OUTPATIENT, 41_700, ()),
    _Bill(
        10, 33, 0, OUTPATIENT, 16_000, ((25_000, CASH),),
        refund=_Refund(RefundState.REJECTED, 9_000, settled=7, reason=REASON),
    ),
    _Bill(11, 3, 1, OUTPATIENT, 27_400, ()),
    _Bill(11, 17, 0, TESTS, 64_000, ()),
    _Bill(11, 40, 1, OUTPATIENT, 13_100, ((13_100, CASH),)),
    _Bill(12, 7, 3, PREPAID, 50_000, ((50_000, CARD),), cancelled=True),
    _Bill(13, 12, 0, OUTPATIENT, 19_800, ((19_800, CARD),)),
    _Bill(14, 15, 3, OUTPATIENT, 45_000, ((45_000, TRANSFER),)),
)  # fmt: skip


async def seed_ledger(ledger: SqlLedger, departments: Sequence[str], now: datetime) -> int:
    """Fill an empty ledger, in one transaction; how many invoices were added.

    ``departments``: names of the hospital's departments, at least one. ``now`` is aware.
    """
    today = now.astimezone(SEOUL).date()
    bills = tuple(enumerate(_BILLS, 1))
    async with filling(ledger.engine) as connection:
        if (await connection.execute(select(invoices.c.id).limit(1))).first() is not None:
            return 0
        await connection.execute(
            insert(invoices), [_invoice(n, bill, departments, today) for n, bill in bills]
        )
        await connection.execute(
            insert(payments), [row for n, bill in bills for row in _payments(n, bill, today)]
        )
        await connection.execute(
            insert(refunds), [row for n, bill in bills for row in _refunds(n, bill, today)]
        )
    return len(bills)


def _invoice(number: int, bill: _Bill, departments: Sequence[str], today: date) -> dict[str, Any]:
    return {
        "id": _id(number),
        "patient_id": f"p-{bill.patient:04d}",
        "visit_day": _visit(bill, today),
        "department": departments[bill.department % len(departments)],
        "what": bill.what,
        "amount": bill.amount,
        "paid": sum(amount for amount, _ in bill.paid),
        "state": bill.state,
        "version": 1 + len(bill.paid) + (bill.refund is not None),
    }


def _payments(number: int, bill: _Bill, today: date) -> Iterator[dict[str, Any]]:
    for count, (amount, method) in enumerate(bill.paid, 1):
        yield {
            "id": f"pay-{number:04d}-{count}",
            "invoice_id": _id(number),
            "paid_on": _visit(bill, today),
            "amount": amount,
            "method": method,
        }


def _refunds(number: int, bill: _Bill, today: date) -> Iterator[dict[str, Any]]:
    refund = bill.refund
    if refund is None:
        return
    requested = _visit(bill, today) + timedelta(days=refund.after)
    settled = None if refund.settled is None else requested + timedelta(days=refund.settled)
    yield {
        "id": f"refund-desk-{number:04d}",
        "key": None,
        "invoice_id": _id(number),
        "amount": refund.amount,
        "state": refund.state,
        "requested_at": datetime.combine(requested, time(14, 20), SEOUL),
        "settled_on": settled,
        "reason": refund.reason,
        "call_id": None,
        "contact": "",
    }


def _visit(bill: _Bill, today: date) -> date:
    """So many days ago, or the Saturday before if that was a Sunday."""
    day = today - timedelta(days=bill.ago)
    return day - timedelta(days=1) if day.weekday() > _SATURDAY else day


def _id(number: int) -> str:
    return f"inv-{number:04d}"
