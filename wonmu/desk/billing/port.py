"""The billing ledger: its port and its values (수납 · 환불 · 영수증 · 제증명).

Only shapes. A failure is ``LedgerFailure``, never an empty answer (T11). Nothing here knows whether
the caller may hear it: identity is the caller's matter (D3). Amounts are whole won.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from wonmu.ids import CallId, HospitalId, InvoiceId, PatientId, RefundId, RefundKey, Won


class InvoiceState(StrEnum):
    DUE = "due"
    """Nothing or not all of it is paid (미수납)."""
    PAID = "paid"
    OVERPAID = "overpaid"
    """More was paid than is owed, e.g. a deposit or a corrected insurance share."""
    CANCELLED = "cancelled"
    """The visit did not happen; what was paid for it can be given back."""


class PaymentMethod(StrEnum):
    CARD = "card"
    CASH = "cash"
    TRANSFER = "transfer"


class RefundState(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    PAID_OUT = "paid_out"
    REJECTED = "rejected"


class ReceiptKind(StrEnum):
    RECEIPT = "receipt"
    """진료비 영수증"""
    DETAIL = "detail"
    """진료비 세부내역서"""
    YEAR_END = "year_end"
    """연말정산용 의료비 납입확인서"""


class ReceiptState(StrEnum):
    REQUESTED = "requested"
    ISSUED = "issued"


@dataclass(frozen=True, slots=True)
class Invoice:
    """One bill. ``refundable``: what may be asked back now, 0 for nothing; it already leaves out
    refunds that are requested, approved or paid out. ``version`` changes with every change."""

    id: InvoiceId
    patient_id: PatientId
    visit_day: date
    department: str
    what: str
    amount: Won
    paid: Won
    state: InvoiceState
    refundable: Won
    version: int

    @property
    def due(self) -> Won:
        """What is still to be paid."""
        return Won(max(self.amount - self.paid, 0) if self.state is InvoiceState.DUE else 0)


@dataclass(frozen=True, slots=True)
class Payment:
    invoice_id: InvoiceId
    paid_on: date
    amount: Won
    method: PaymentMethod


@dataclass(frozen=True, slots=True)
class Refund:
    """``settled_on``: day it was paid out or rejected. ``reason``: why it was rejected."""

    id: RefundId
    invoice_id: InvoiceId
    visit_day: date
    what: str
    amount: Won
    state: RefundState
    requested_at: datetime
    settled_on: date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    key: RefundKey
    invoice_id: InvoiceId
    kind: ReceiptKind
    state: ReceiptState
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class CertificateFee:
    """A published fee; nothing personal. ``copy_fee`` None: each copy costs ``fee``."""

    id: str
    name: str
    fee: Won
    copy_fee: Won | None
    note: str


@dataclass(frozen=True, slots=True)
class RefundOrder:
    """A consented refund. ``amount`` must equal what is refundable, to the won; ``version`` is
    that of the invoice the caller consented to."""

    key: RefundKey
    hospital_id: HospitalId
    patient_id: PatientId
    invoice_id: InvoiceId
    amount: Won
    version: int
    call_id: CallId
    at: datetime
    contact: str = ""


@dataclass(frozen=True, slots=True)
class ReceiptOrder:
    key: RefundKey
    hospital_id: HospitalId
    patient_id: PatientId
    invoice_id: InvoiceId
    kind: ReceiptKind
    call_id: CallId
    at: datetime
    contact: str = ""


@dataclass(frozen=True, slots=True)
class RefundTaken:
    """The request stands. ``replayed``: it stood already under this very key."""

    refund: Refund
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class RefundOpen:
    """Another request for this invoice is open; nothing was taken."""

    refund: Refund


class RefundRefusal(StrEnum):
    NOTHING_REFUNDABLE = "nothing_refundable"
    AMOUNT_CHANGED = "amount_changed"
    """The amount or the invoice is no longer what was consented to."""
    NOT_YOURS = "not_yours"
    """No such invoice of this patient."""


@dataclass(frozen=True, slots=True)
class RefundRejected:
    why: RefundRefusal


@dataclass(frozen=True, slots=True)
class ReceiptTaken:
    request: ReceiptRequest
    replayed: bool = False


class ReceiptRefusal(StrEnum):
    NOT_PAID = "not_paid"
    NOT_YOURS = "not_yours"


@dataclass(frozen=True, slots=True)
class ReceiptRejected:
    why: ReceiptRefusal


RefundResult = RefundTaken | RefundOpen | RefundRejected
ReceiptResult = ReceiptTaken | ReceiptRejected


class Ledger(Protocol):
    """Every method raises ``LedgerFailure``; an empty tuple means: asked, and there is none."""

    async def invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        """All invoices, latest visit first."""
        ...

    async def payments(self, patient: PatientId) -> tuple[Payment, ...]: ...

    async def refunds(self, patient: PatientId) -> tuple[Refund, ...]:
        """All refunds, latest request first."""
        ...

    async def certificates(self) -> tuple[CertificateFee, ...]: ...

    async def request_refund(self, order: RefundOrder) -> RefundResult:
        """Once for one key; raises with ``outcome_known=False`` when nobody knows if it stands."""
        ...

    async def request_receipt(self, order: ReceiptOrder) -> ReceiptResult:
        """Once for one key, and once for one invoice, kind and day."""
        ...

    async def close(self) -> None: ...
