"""Whether a specialist's last message may be believed (T11, T12).

Decides from what its tools really returned, never from what it says about them: a failed ledger
stays a failure however it is worded, an amount that no tool returned is not passed on, and neither
is an act, since a specialist can do none. Imports no LangChain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wonmu.desk.agents.answer import Answer, Answered, Failed, NeedsIdentity, WhyFailed
from wonmu.desk.billing.port import Invoice, InvoiceState, Refund, RefundState
from wonmu.desk.billing.results import (
    BillingResult,
    FeesRead,
    InvoicesRead,
    NotOffered,
    Numbered,
    ReceiptOffered,
    RefundOffered,
    RefundsRead,
    WhyNot,
)
from wonmu.desk.billing.work import BillingTools
from wonmu.policy.amounts import unproven_amounts
from wonmu.policy.billing_claims import Known, unproven

_WORD = re.compile(r"[가-힣]{2}")
_NO_SPEECH = re.compile(r"^\s*(?:[{\[<]|```)")
_REFUND_KNOWN = {
    RefundState.REQUESTED: Known.REFUND_REQUESTED,
    RefundState.APPROVED: Known.REFUND_APPROVED,
    RefundState.PAID_OUT: Known.REFUND_PAID_OUT,
    RefundState.REJECTED: Known.REFUND_REJECTED,
}


def judged(text: str, tools: BillingTools) -> Answer:
    """The answer that this last message is, after this work."""
    if tools.fault is not None:
        return Failed(WhyFailed.LEDGER, tools.fault)
    if tools.identity_needed:
        return NeedsIdentity()
    # Written for a program, not for a person: no words either.
    if not _WORD.search(text) or _NO_SPEECH.match(text):
        return Failed(WhyFailed.EMPTY)
    if not is_true(text, tools):
        return Failed(WhyFailed.UNTRUE)
    return Answered(" ".join(text.split()), tools.facts)


def is_true(text: str, tools: BillingTools) -> bool:
    """Whether every amount and every statement in the text has its proof in the tools' answers."""
    if unproven_amounts(text, tools.facts.amounts):
        return False
    return unproven(text, known(tools.results)) is None


def known(results: Iterable[BillingResult]) -> frozenset[Known]:
    """What these answers prove."""
    found: set[Known] = set()
    for result in results:
        match result:
            case InvoicesRead(listed):
                found |= _of_invoices(each.invoice for each in listed)
                found |= _of_the_whole(listed)
            case RefundsRead(refunds):
                found |= _of_refunds(refunds)
            case FeesRead():
                found.add(Known.FEES_READ)
            case RefundOffered(_, offer):
                found |= _of_invoices([offer.invoice])
            case ReceiptOffered(_, offer):
                found |= _of_invoices([offer.invoice])
            case NotOffered(why, choices):
                found |= _of_invoices(each.invoice for each in choices) | _of_refusal(why)
    return frozenset(found)


def _of_invoices(invoices: Iterable[Invoice]) -> set[Known]:
    found = {Known.INVOICES_READ}
    for invoice in invoices:
        if invoice.paid > 0 and invoice.state is not InvoiceState.CANCELLED:
            found.add(Known.SOMETHING_PAID)
        if invoice.state is InvoiceState.CANCELLED:
            found.add(Known.VISIT_CANCELLED)
    return found


def _of_the_whole(listed: tuple[Numbered, ...]) -> set[Known]:
    found: set[Known] = set()
    if not any(each.invoice.due for each in listed):
        found.add(Known.NOTHING_DUE)
    if not any(each.invoice.refundable for each in listed):
        found.add(Known.NOTHING_REFUNDABLE)
    return found


def _of_refunds(refunds: tuple[Refund, ...]) -> set[Known]:
    found = {Known.REFUNDS_READ}
    found |= {_REFUND_KNOWN[refund.state] for refund in refunds}
    return found if refunds else found | {Known.NO_REFUND}


def _of_refusal(why: WhyNot) -> set[Known]:
    match why:
        case WhyNot.ALREADY_REQUESTED:
            return {Known.REFUNDS_READ, Known.REFUND_REQUESTED}
        case WhyNot.NOTHING_REFUNDABLE:
            return {Known.NOTHING_REFUNDABLE, Known.REFUNDS_READ}
    return set()
