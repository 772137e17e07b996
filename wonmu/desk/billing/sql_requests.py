"""Reads and writes of the embedded ledger, each a step inside one transaction.

A refusal is decided before the first write. Nothing here opens or ends a transaction.
"""

from __future__ import annotations

from datetime import date
from hashlib import sha256
from typing import Any

from sqlalchemy import Select, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from wonmu.clock import SEOUL
from wonmu.desk.billing import rows
from wonmu.desk.billing.port import (
    Invoice,
    InvoiceState,
    ReceiptOrder,
    ReceiptRefusal,
    ReceiptRejected,
    ReceiptRequest,
    ReceiptResult,
    ReceiptState,
    ReceiptTaken,
    Refund,
    RefundOpen,
    RefundOrder,
    RefundRefusal,
    RefundRejected,
    RefundResult,
    RefundState,
    RefundTaken,
)
from wonmu.desk.billing.results import OPEN_REFUNDS
from wonmu.desk.billing.tables import invoices, payments, receipts, refunds
from wonmu.errors import ProgrammingError
from wonmu.ids import InvoiceId, PatientId, RefundId

PAID = frozenset({InvoiceState.PAID, InvoiceState.OVERPAID})
"""A receipt is given for what is paid in full."""

_ASKED_BACK = (
    select(refunds.c.invoice_id, func.sum(refunds.c.amount).label("asked_back"))
    .where(refunds.c.state.in_(rows.COUNTED))
    .group_by(refunds.c.invoice_id)
    .subquery()
)
_INVOICES = select(
    invoices, func.coalesce(_ASKED_BACK.c.asked_back, 0).label("asked_back")
).select_from(invoices.outerjoin(_ASKED_BACK, _ASKED_BACK.c.invoice_id == invoices.c.id))
REFUNDS = select(
    refunds, invoices.c.patient_id, invoices.c.visit_day, invoices.c.what, invoices.c.department
).select_from(refunds.join(invoices, refunds.c.invoice_id == invoices.c.id))
RECEIPTS = select(
    receipts,
    invoices.c.patient_id,
    invoices.c.visit_day,
    invoices.c.what,
    invoices.c.department,
    invoices.c.amount,
).select_from(receipts.join(invoices, receipts.c.invoice_id == invoices.c.id))


def invoices_of(patient: PatientId | None) -> Select[Any]:
    """Of one patient, or of all; latest visit first."""
    query = _INVOICES.order_by(invoices.c.visit_day.desc(), invoices.c.id)
    return query if patient is None else query.where(invoices.c.patient_id == patient)


def payments_of(patient: PatientId | None) -> Select[Any]:
    """Of one patient, or of all; earliest first."""
    query = (
        select(payments, invoices.c.patient_id)
        .join(invoices, payments.c.invoice_id == invoices.c.id)
        .order_by(payments.c.paid_on, payments.c.id)
    )
    return query if patient is None else query.where(invoices.c.patient_id == patient)


async def read_invoices(
    connection: AsyncConnection, patient: PatientId | None
) -> tuple[Invoice, ...]:
    found = (await connection.execute(invoices_of(patient))).all()
    return tuple(rows.invoice(row, int(row.asked_back)) for row in found)


async def take_refund(connection: AsyncConnection, order: RefundOrder) -> RefundResult:
    """Request a refund unless something stands against it; a known key answers first."""
    known = await _refund(connection, REFUNDS.where(refunds.c.key == order.key))
    if known is not None:
        _same_refund(known, order)
        return RefundTaken(known, replayed=True)
    invoice = await _invoice(connection, order.invoice_id)
    if invoice is None or invoice.patient_id != order.patient_id:
        return RefundRejected(RefundRefusal.NOT_YOURS)
    under_way = REFUNDS.where(
        refunds.c.invoice_id == order.invoice_id, refunds.c.state.in_(OPEN_REFUNDS)
    )
    standing = await _refund(connection, under_way)
    if standing is not None:
        return RefundOpen(standing)
    if invoice.refundable == 0:
        return RefundRejected(RefundRefusal.NOTHING_REFUNDABLE)
    same = (order.amount, order.version) == (invoice.refundable, invoice.version)
    if not same or not await grow(connection, order.invoice_id, order.version):
        return RefundRejected(RefundRefusal.AMOUNT_CHANGED)
    return RefundTaken(await _insert_refund(connection, order, invoice))


async def take_receipt(connection: AsyncConnection, order: ReceiptOrder) -> ReceiptResult:
    """Request a receipt; the same key, or the same wish of the same day, answers with the first."""
    known = await _receipt(connection, select(receipts).where(receipts.c.key == order.key))
    if known is not None:
        if (known.invoice_id, known.kind) != (order.invoice_id, order.kind):
            raise ProgrammingError(f"the key {order.key} was used for two different receipts")
        return ReceiptTaken(known, replayed=True)
    invoice = await _invoice(connection, order.invoice_id)
    if invoice is None or invoice.patient_id != order.patient_id:
        return ReceiptRejected(ReceiptRefusal.NOT_YOURS)
    if invoice.state not in PAID:
        return ReceiptRejected(ReceiptRefusal.NOT_PAID)
    day = order.at.astimezone(SEOUL).date()
    same = select(receipts).where(
        receipts.c.invoice_id == order.invoice_id,
        receipts.c.kind == order.kind,
        receipts.c.day == day,
    )
    today = await _receipt(connection, same)
    if today is not None:
        return ReceiptTaken(today, replayed=True)
    return ReceiptTaken(await _insert_receipt(connection, order, day))


async def grow(
    connection: AsyncConnection, invoice_id: InvoiceId, version: int, **changes: object
) -> bool:
    """Change an invoice if it still has this version, which then grows; False if it has not."""
    change = (
        update(invoices)
        .where(invoices.c.id == invoice_id, invoices.c.version == version)
        .values(version=version + 1, **changes)
    )
    return (await connection.execute(change)).rowcount == 1


def _same_refund(known: Refund, order: RefundOrder) -> None:
    if (known.invoice_id, known.amount) != (order.invoice_id, order.amount):
        raise ProgrammingError(f"the key {order.key} was used for two different refunds")


async def _invoice(connection: AsyncConnection, invoice_id: InvoiceId) -> Invoice | None:
    row = (await connection.execute(_INVOICES.where(invoices.c.id == invoice_id))).one_or_none()
    return None if row is None else rows.invoice(row, int(row.asked_back))


async def _refund(connection: AsyncConnection, query: Select[Any]) -> Refund | None:
    row = (await connection.execute(query.limit(1))).one_or_none()
    return None if row is None else rows.refund(row)


async def _receipt(connection: AsyncConnection, query: Select[Any]) -> ReceiptRequest | None:
    row = (await connection.execute(query.limit(1))).one_or_none()
    return None if row is None else rows.receipt(row)


async def _insert_refund(
    connection: AsyncConnection, order: RefundOrder, invoice: Invoice
) -> Refund:
    made = Refund(
        id=RefundId(f"refund-{sha256(order.key.encode()).hexdigest()[:20]}"),
        invoice_id=order.invoice_id,
        visit_day=invoice.visit_day,
        what=invoice.what,
        amount=order.amount,
        state=RefundState.REQUESTED,
        requested_at=order.at.astimezone(SEOUL),
    )
    await connection.execute(
        insert(refunds).values(
            id=made.id,
            key=order.key,
            invoice_id=made.invoice_id,
            amount=made.amount,
            state=made.state,
            requested_at=made.requested_at,
            reason="",
            call_id=order.call_id,
            contact=order.contact,
        )
    )
    return made


async def _insert_receipt(
    connection: AsyncConnection, order: ReceiptOrder, day: date
) -> ReceiptRequest:
    at = order.at.astimezone(SEOUL)
    made = ReceiptRequest(order.key, order.invoice_id, order.kind, ReceiptState.REQUESTED, at)
    await connection.execute(
        insert(receipts).values(
            key=made.key,
            invoice_id=made.invoice_id,
            kind=made.kind,
            state=made.state,
            day=day,
            requested_at=made.requested_at,
            call_id=order.call_id,
            contact=order.contact,
        )
    )
    return made
