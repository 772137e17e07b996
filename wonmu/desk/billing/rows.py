"""Between the ledger's tables and the port's values. Decides what is refundable, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from sqlalchemy import Row

from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    InvoiceState,
    Payment,
    PaymentMethod,
    ReceiptKind,
    ReceiptRequest,
    ReceiptState,
    Refund,
    RefundState,
)
from wonmu.hospital.billing import Certificate
from wonmu.ids import InvoiceId, PatientId, RefundId, RefundKey, Won

COUNTED = frozenset({RefundState.REQUESTED, RefundState.APPROVED, RefundState.PAID_OUT})
"""What was asked back and not rejected cannot be asked back once more."""


def invoice(row: Row[Any], asked_back: int) -> Invoice:
    """``asked_back``: total of its refunds that were not rejected."""
    state = InvoiceState(row.state)
    return Invoice(
        id=InvoiceId(row.id),
        patient_id=PatientId(row.patient_id),
        visit_day=row.visit_day,
        department=row.department,
        what=row.what,
        amount=Won(row.amount),
        paid=Won(row.paid),
        state=state,
        refundable=refundable(state, row.amount, row.paid, asked_back),
        version=row.version,
    )


def refundable(state: InvoiceState, amount: int, paid: int, asked_back: int) -> Won:
    """What is too much: the surplus of an overpaid invoice, all that was paid for a cancelled."""
    match state:
        case InvoiceState.OVERPAID:
            surplus = paid - amount
        case InvoiceState.CANCELLED:
            surplus = paid
        case InvoiceState.DUE | InvoiceState.PAID:
            surplus = 0
    return Won(max(surplus - asked_back, 0))


def payment(row: Row[Any]) -> Payment:
    return Payment(
        InvoiceId(row.invoice_id), row.paid_on, Won(row.amount), PaymentMethod(row.method)
    )


def refund(row: Row[Any]) -> Refund:
    """``row`` has ``visit_day`` and ``what`` of its invoice beside it."""
    return Refund(
        id=RefundId(row.id),
        invoice_id=InvoiceId(row.invoice_id),
        visit_day=row.visit_day,
        what=row.what,
        amount=Won(row.amount),
        state=RefundState(row.state),
        requested_at=row.requested_at,
        settled_on=row.settled_on,
        reason=row.reason,
    )


def receipt(row: Row[Any]) -> ReceiptRequest:
    return ReceiptRequest(
        key=RefundKey(row.key),
        invoice_id=InvoiceId(row.invoice_id),
        kind=ReceiptKind(row.kind),
        state=ReceiptState(row.state),
        requested_at=row.requested_at,
    )


def fees(certificates: Iterable[Certificate]) -> tuple[CertificateFee, ...]:
    """The published fees of a hospital's settings, in their order."""
    return tuple(
        CertificateFee(
            id=each.id,
            name=each.name,
            fee=Won(each.fee),
            copy_fee=None if each.copy_fee is None else Won(each.copy_fee),
            note=each.note or "",
        )
        for each in certificates
    )


def settled_day(state: RefundState, day: date) -> date | None:
    """The day on which a refund in this state was settled, if it is settled."""
    return day if state in (RefundState.PAID_OUT, RefundState.REJECTED) else None
