"""What the specialist tools answer: JSON for a model, typed parts for code (H1, T11).

Decides the shapes a model is shown and which amounts of money may be told after them. It must never
show a raw id, and never turn a failure into an empty list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from wonmu.clock import SEOUL
from wonmu.desk.agents.answer import Facts, ReceiptOffer, RefundOffer
from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    InvoiceState,
    Payment,
    ReceiptKind,
    Refund,
    RefundState,
)
from wonmu.errors import EmrFault
from wonmu.ids import InvoiceId, Won
from wonmu.korean.won import read_won

INVOICES, PAYMENTS, REFUNDS, CERTIFICATES = "invoices", "payments", "refunds", "certificates"
"""Names of what was read, as in ``Facts.read``."""

OPEN_REFUNDS = frozenset({RefundState.REQUESTED, RefundState.APPROVED})
"""A refund in one of these states is still under way."""

Body = Mapping[str, object]


class WhyNot(StrEnum):
    """Why nothing can be offered."""

    NOTHING_REFUNDABLE = "nothing_refundable"
    ALREADY_REQUESTED = "already_requested"
    NOT_PAID = "not_paid"
    WHICH_INVOICE = "which_invoice"
    NO_SUCH_NUMBER = "no_such_number"


@dataclass(frozen=True, slots=True)
class Numbered:
    """An invoice with the number under which the model knows it."""

    number: int
    invoice: Invoice


class _Result:
    """What all results have in common."""

    __slots__ = ()

    @property
    def body(self) -> Body:
        """What a model is shown, before it becomes text."""
        raise NotImplementedError

    @property
    def facts(self) -> Facts:
        """Amounts that may now be told, what was read without fault, and what may be offered."""
        return Facts()

    @property
    def json(self) -> str:
        """What a model is shown: one JSON object."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class InvoicesRead(_Result):
    """All invoices, latest visit first; none is a fact. ``payments`` None: could not be read."""

    listed: tuple[Numbered, ...]
    payments: tuple[Payment, ...] | None

    @property
    def body(self) -> Body:
        return {"invoices": [_invoice(each, self.payments) for each in self.listed]}

    @property
    def facts(self) -> Facts:
        invoices = [each.invoice for each in self.listed]
        amounts = invoice_amounts(invoices)
        if self.payments is None:
            return Facts(amounts, frozenset({INVOICES}))
        paid = payment_amounts(self.payments)
        return Facts(amounts | paid, frozenset({INVOICES, PAYMENTS}))


@dataclass(frozen=True, slots=True)
class RefundsRead(_Result):
    """All refunds, latest request first; none is a fact."""

    refunds: tuple[Refund, ...]

    @property
    def body(self) -> Body:
        return {"refunds": [_refund(each) for each in self.refunds]}

    @property
    def facts(self) -> Facts:
        return Facts(refund_amounts(self.refunds), refunds_read(self.refunds))


@dataclass(frozen=True, slots=True)
class FeesRead(_Result):
    """Published certificates that answer to the name asked for, or all if none was named.

    ``others``: names of the rest, when nothing answers to the name.
    """

    fees: tuple[CertificateFee, ...]
    others: tuple[str, ...] = ()

    @property
    def body(self) -> Body:
        found: dict[str, object] = {"certificates": [_fee(each) for each in self.fees]}
        if self.others:
            found["others"] = list(self.others)
        return found

    @property
    def facts(self) -> Facts:
        return Facts(fee_amounts(self.fees), frozenset({CERTIFICATES}))


@dataclass(frozen=True, slots=True)
class RefundOffered(_Result):
    """Nothing is requested yet: code asks the caller for the yes."""

    number: int
    offer: RefundOffer

    @property
    def body(self) -> Body:
        invoice = self.offer.invoice
        return {
            "refund_offer": {
                "number": self.number,
                "visit_day": invoice.visit_day.isoformat(),
                "what": invoice.what,
                "amount": self.offer.amount,
            }
        }

    @property
    def facts(self) -> Facts:
        amounts = invoice_amounts([self.offer.invoice]) | {self.offer.amount}
        return Facts(amounts, frozenset({INVOICES}), self.offer)


@dataclass(frozen=True, slots=True)
class ReceiptOffered(_Result):
    """Nothing is requested yet: code does it."""

    number: int
    offer: ReceiptOffer

    @property
    def body(self) -> Body:
        return {
            "receipt_offer": {
                "number": self.number,
                "visit_day": self.offer.invoice.visit_day.isoformat(),
                "kind": self.offer.kind.value,
            }
        }

    @property
    def facts(self) -> Facts:
        return Facts(invoice_amounts([self.offer.invoice]), frozenset({INVOICES}), self.offer)


@dataclass(frozen=True, slots=True)
class NotOffered(_Result):
    """Nothing can be offered. ``choices``: with WHICH_INVOICE, those that come into question, under
    the numbers of the whole list. ``read``: what was read to find that out."""

    why: WhyNot
    choices: tuple[Numbered, ...] = ()
    kind: ReceiptKind | None = None
    """What was asked for: a receipt of this kind, or (None) a refund."""
    read: frozenset[str] = frozenset({INVOICES})

    @property
    def body(self) -> Body:
        found: dict[str, object] = {"refused": self.why.value}
        if self.choices:
            found["invoices"] = [_invoice(each, None) for each in self.choices]
        return found

    @property
    def facts(self) -> Facts:
        which: Literal["refund"] | ReceiptKind | None = None
        if self.why is WhyNot.WHICH_INVOICE:
            which = self.kind or "refund"
        amounts = invoice_amounts([each.invoice for each in self.choices])
        return Facts(amounts, self.read, which=which)


@dataclass(frozen=True, slots=True)
class IdentityNeeded(_Result):
    """The question is about a person, and nobody is identified; nothing was asked."""

    @property
    def body(self) -> Body:
        return {"error": "identity_needed"}


@dataclass(frozen=True, slots=True)
class LedgerDown(_Result):
    """The ledger did not answer. Nothing is known, not even that there is nothing."""

    fault: EmrFault

    @property
    def body(self) -> Body:
        return {"error": "ledger_failed"}


LookupResult = InvoicesRead | IdentityNeeded | LedgerDown
StatusResult = RefundsRead | IdentityNeeded | LedgerDown
RefundAnswer = RefundOffered | NotOffered | IdentityNeeded | LedgerDown
ReceiptAnswer = ReceiptOffered | NotOffered | IdentityNeeded | LedgerDown
FeeResult = FeesRead | LedgerDown
BillingResult = (
    InvoicesRead
    | RefundsRead
    | FeesRead
    | RefundOffered
    | ReceiptOffered
    | NotOffered
    | IdentityNeeded
    | LedgerDown
)


def invoice_amounts(invoices: Iterable[Invoice]) -> frozenset[Won]:
    """What a truthful answer may state: each figure of each invoice, and their totals."""
    listed = tuple(invoices)
    each = {
        amount
        for invoice in listed
        for amount in (invoice.amount, invoice.paid, invoice.due, invoice.refundable)
    }
    totals = {
        _sum(invoice.amount for invoice in listed),
        _sum(invoice.paid for invoice in listed),
        _sum(invoice.due for invoice in listed),
        _sum(invoice.refundable for invoice in listed),
    }
    differences = {Won(abs(invoice.amount - invoice.paid)) for invoice in listed}
    by_state = {
        _sum(getattr(invoice, figure) for invoice in listed if invoice.state is state)
        for state in InvoiceState
        for figure in ("amount", "paid")
    }
    return frozenset(each | totals | differences | by_state) if listed else frozenset({Won(0)})


def payment_amounts(payments: Iterable[Payment]) -> frozenset[Won]:
    """Each payment, what was paid on one day, and for one invoice."""
    listed = tuple(payments)
    by_day = {_sum(p.amount for p in listed if p.paid_on == day) for day in _days(listed)}
    by_invoice = {
        _sum(p.amount for p in listed if p.invoice_id == invoice)
        for invoice in {payment.invoice_id for payment in listed}
    }
    return frozenset({payment.amount for payment in listed} | by_day | by_invoice)


def refund_amounts(refunds: Iterable[Refund]) -> frozenset[Won]:
    """Each refund, the total of each state, and of what is still under way."""
    listed = tuple(refunds)
    by_state = {_sum(r.amount for r in listed if r.state is state) for state in RefundState}
    under_way = _sum(refund.amount for refund in listed if refund.state in OPEN_REFUNDS)
    return frozenset({refund.amount for refund in listed} | by_state | {under_way})


def fee_amounts(fees: Iterable[CertificateFee]) -> frozenset[Won]:
    """Each fee, each fee of a further copy, what one with one copy costs, and what a note says."""
    found: set[Won] = set()
    for each in fees:
        copy = each.fee if each.copy_fee is None else each.copy_fee
        found |= {each.fee, copy, Won(each.fee + copy), *read_won(each.note)}
    return frozenset(found)


def refunds_read(refunds: Iterable[Refund]) -> frozenset[str]:
    """That refunds were read, and "refund_<state>" for each state that one of them is in: whether
    a refund may be told as standing or paid depends on it (``wonmu.policy.money_claims``)."""
    return frozenset({REFUNDS, *(f"refund_{refund.state.value}" for refund in refunds)})


def _days(payments: Iterable[Payment]) -> frozenset[object]:
    return frozenset(payment.paid_on for payment in payments)


def _sum(amounts: Iterable[Won]) -> Won:
    return Won(sum(amounts))


def _invoice(each: Numbered, payments: tuple[Payment, ...] | None) -> Body:
    invoice = each.invoice
    shown: dict[str, object] = {
        "number": each.number,
        "visit_day": invoice.visit_day.isoformat(),
        "department": invoice.department,
        "what": invoice.what,
        "amount": invoice.amount,
        "paid": invoice.paid,
        "due": invoice.due,
        "refundable": invoice.refundable,
        "state": invoice.state.value,
    }
    if payments is not None:
        shown["payments"] = [_payment(p) for p in payments if p.invoice_id == invoice.id]
    return shown


def _payment(payment: Payment) -> Body:
    return {
        "day": payment.paid_on.isoformat(),
        "amount": payment.amount,
        "method": payment.method.value,
    }


def _refund(refund: Refund) -> Body:
    settled = refund.settled_on
    return {
        "visit_day": refund.visit_day.isoformat(),
        "what": refund.what,
        "amount": refund.amount,
        "state": refund.state.value,
        "requested_on": refund.requested_at.astimezone(SEOUL).date().isoformat(),
        "settled_on": settled.isoformat() if settled else None,
        "reason": refund.reason or None,
    }


def _fee(fee: CertificateFee) -> Body:
    return {"name": fee.name, "fee": fee.fee, "copy_fee": fee.copy_fee, "note": fee.note or None}


def numbered(invoices: Iterable[Invoice], listed: tuple[InvoiceId, ...]) -> tuple[Numbered, ...]:
    """Invoices under their numbers in the list; those that are not in it are left out."""
    numbers = {invoice: number for number, invoice in enumerate(listed, 1)}
    return tuple(Numbered(numbers[each.id], each) for each in invoices if each.id in numbers)
