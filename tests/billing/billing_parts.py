"""Bills, a ledger that remembers in a list, and orders, for the tests in this folder."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime

from wonmu.clock import SEOUL
from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    InvoiceState,
    Payment,
    PaymentMethod,
    ReceiptKind,
    ReceiptOrder,
    ReceiptRequest,
    ReceiptResult,
    ReceiptState,
    ReceiptTaken,
    Refund,
    RefundOrder,
    RefundResult,
    RefundState,
    RefundTaken,
)
from wonmu.errors import LedgerFailure
from wonmu.ids import CallId, HospitalId, InvoiceId, PatientId, RefundId, RefundKey, Won

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)
KIM, LEE, NOBODY = PatientId("p-0001"), PatientId("p-0002"), PatientId("p-0009")
HOSPITAL, CALL, KEY = HospitalId("hanbit"), CallId("call-1"), RefundKey("refund-key-1")
DEPARTMENTS = ("내과", "정형외과", "소아청소년과", "피부과")


def invoice(
    name: str = "inv-1",
    *,
    refundable: int = 0,
    state: InvoiceState = InvoiceState.PAID,
    patient: PatientId = KIM,
    amount: int = 30_000,
    paid: int = 30_000,
    version: int = 1,
) -> Invoice:
    return Invoice(
        id=InvoiceId(name),
        patient_id=patient,
        visit_day=date(2026, 11, 20),
        department="내과",
        what="외래 진료비",
        amount=Won(amount),
        paid=Won(paid),
        state=state,
        refundable=Won(refundable),
        version=version,
    )


def overpaid(
    name: str = "inv-2", surplus: int = 15_000, *, version: int = 2, patient: PatientId = KIM
) -> Invoice:
    return invoice(
        name,
        refundable=surplus,
        state=InvoiceState.OVERPAID,
        paid=30_000 + surplus,
        version=version,
        patient=patient,
    )


DUE = invoice("inv-3", state=InvoiceState.DUE, amount=52_000, paid=2_000)
CANCELLED = invoice("inv-4", state=InvoiceState.CANCELLED, refundable=30_000)
FEES = (
    CertificateFee("diagnosis", "진단서", Won(20_000), Won(1_000), ""),
    CertificateFee("diagnosis-en", "영문진단서", Won(25_000), None, "이틀쯤 걸립니다."),
    CertificateFee("records", "진료기록 사본", Won(1_000), None, "여섯 장째부터 100원입니다."),
)


def payment(bill: Invoice, amount: int | None = None) -> Payment:
    paid = bill.paid if amount is None else amount
    return Payment(bill.id, bill.visit_day, Won(paid), PaymentMethod.CARD)


def refund(
    bill: Invoice, amount: int = 15_000, state: RefundState = RefundState.REQUESTED, name: str = "r"
) -> Refund:
    settled = date(2026, 11, 30) if state in (RefundState.PAID_OUT, RefundState.REJECTED) else None
    return Refund(
        RefundId(name), bill.id, bill.visit_day, bill.what, Won(amount), state, NOW, settled
    )


def refund_order(
    bill: Invoice, key: str = KEY, *, amount: int | None = None, version: int | None = None
) -> RefundOrder:
    return RefundOrder(
        key=RefundKey(key),
        hospital_id=HOSPITAL,
        patient_id=bill.patient_id,
        invoice_id=bill.id,
        amount=bill.refundable if amount is None else Won(amount),
        version=bill.version if version is None else version,
        call_id=CALL,
        at=NOW,
        contact="01000001234",
    )


def receipt_order(
    bill: Invoice, key: str = "receipt-key-1", kind: ReceiptKind = ReceiptKind.RECEIPT
) -> ReceiptOrder:
    return ReceiptOrder(
        RefundKey(key), HOSPITAL, bill.patient_id, bill.id, kind, CALL, NOW, "01000001234"
    )


@dataclass
class PaperLedger:
    """Answers what it was given; ``failing``: which requests fail, in what way, one by one.

    It takes every order, so that what was sent can be looked at.
    """

    bills: tuple[Invoice, ...] = ()
    paid: tuple[Payment, ...] = ()
    back: tuple[Refund, ...] = ()
    fees: tuple[CertificateFee, ...] = FEES
    failing: dict[str, list[LedgerFailure | None]] = field(default_factory=dict)
    answers: list[RefundResult] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    orders: list[RefundOrder | ReceiptOrder] = field(default_factory=list)

    async def invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        self._ask("invoices")
        return tuple(bill for bill in self.bills if bill.patient_id == patient)

    async def payments(self, patient: PatientId) -> tuple[Payment, ...]:
        self._ask("payments")
        mine = {bill.id for bill in self.bills if bill.patient_id == patient}
        return tuple(each for each in self.paid if each.invoice_id in mine)

    async def refunds(self, patient: PatientId) -> tuple[Refund, ...]:
        self._ask("refunds")
        return self.back

    async def certificates(self) -> tuple[CertificateFee, ...]:
        self._ask("certificates")
        return self.fees

    async def request_refund(self, order: RefundOrder) -> RefundResult:
        self.orders.append(order)
        self._ask("request_refund")
        if self.answers:
            return self.answers.pop(0)
        bill = next(bill for bill in self.bills if bill.id == order.invoice_id)
        return RefundTaken(replace(refund(bill, order.amount), id=RefundId("taken")))

    async def request_receipt(self, order: ReceiptOrder) -> ReceiptResult:
        self.orders.append(order)
        self._ask("request_receipt")
        return ReceiptTaken(
            ReceiptRequest(
                order.key, order.invoice_id, order.kind, ReceiptState.REQUESTED, order.at
            )
        )

    async def close(self) -> None:
        self._ask("close")

    def _ask(self, op: str) -> None:
        self.asked.append(op)
        queue = self.failing.get(op)
        failure = queue.pop(0) if queue else None
        if failure is not None:
            raise failure
