"""What code says of what the ledger returned (T12): one sentence an item, by named lines.

Decides how many items a caller can bear and which line fits which state. It states no amount that
is not in the result it is handed, and never says "none" of what could not be read.
"""

from __future__ import annotations

from wonmu.desk.billing.port import CertificateFee, Invoice, InvoiceState, ReceiptKind, Refund
from wonmu.desk.billing.port import RefundState as State
from wonmu.desk.billing.results import (
    FeesRead,
    InvoicesRead,
    NotOffered,
    RefundsRead,
    WhyNot,
)
from wonmu.lines import Lines, Value

MOST = 3
"""Items told at once; nobody keeps more than three bills in mind on the phone."""

Told = InvoicesRead | RefundsRead | FeesRead | NotOffered


def told(lines: Lines, result: Told) -> str:
    """A result in whole sentences, without a question behind it."""
    match result:
        case InvoicesRead(listed=listed):
            return _invoices(lines, [each.invoice for each in listed])
        case RefundsRead(refunds=refunds):
            sentences = [_refund(lines, each) for each in refunds[:MOST]]
            return " ".join(sentences) or lines.say("billing.refunds_none")
        case FeesRead(fees=fees, others=others):
            return _fees(lines, fees, others)
        case NotOffered(why=WhyNot.WHICH_INVOICE):
            return lines.say("billing.no_such_number")
        case NotOffered(why=why):
            return lines.say(f"billing.{why.value}")


def kind_name(lines: Lines, kind: ReceiptKind) -> str:
    return lines.say(f"billing.kind_{kind.value}")


def _invoices(lines: Lines, invoices: list[Invoice]) -> str:
    if not invoices:
        return lines.say("billing.invoices_none")
    # What is still to be paid or can be asked back is what callers mean by "my bill".
    first = sorted(invoices, key=lambda each: not (each.due or each.refundable))
    sentences = [_invoice(lines, each) for each in first[:MOST]]
    if len(invoices) > MOST:
        sentences.append(lines.say("billing.invoices_more", count=len(invoices) - MOST))
    return " ".join(sentences)


def _invoice(lines: Lines, invoice: Invoice) -> str:
    name = f"billing.invoice_{invoice.state.value}"
    if invoice.state in (InvoiceState.OVERPAID, InvoiceState.CANCELLED) and not invoice.refundable:
        name += "_asked"
    have: dict[str, Value] = {
        "day": invoice.visit_day,
        "department": invoice.department,
        "what": invoice.what,
        "amount": invoice.amount,
        "due": invoice.due,
        "paid": invoice.paid,
        "refundable": invoice.refundable,
    }
    return _filled(lines, name, have)


def _refund(lines: Lines, refund: Refund) -> str:
    have: dict[str, Value] = {
        "day": refund.visit_day,
        "what": refund.what,
        "amount": refund.amount,
    }
    name = f"billing.refund_is_{refund.state.value}"
    if refund.settled_on is not None:
        have["settled"] = refund.settled_on
    elif refund.state is State.PAID_OUT:
        name += "_undated"
    sentence = _filled(lines, name, have)
    if refund.state is State.REJECTED and refund.reason:
        return f"{sentence} {lines.say('billing.refund_reason', reason=refund.reason)}"
    return sentence


def _fees(lines: Lines, fees: tuple[CertificateFee, ...], others: tuple[str, ...]) -> str:
    if fees:
        return " ".join(_fee(lines, each) for each in fees[:MOST])
    if others:
        return lines.say("billing.fee_unknown", names=", ".join(others))
    return lines.say("billing.fees_none")


def _fee(lines: Lines, fee: CertificateFee) -> str:
    have: dict[str, Value] = {"name": fee.name, "fee": fee.fee}
    name = "billing.fee"
    if fee.copy_fee is not None:
        have["copy"], name = fee.copy_fee, "billing.fee_copy"
    sentence = _filled(lines, name, have)
    return f"{sentence} {fee.note}" if fee.note else sentence


def _filled(lines: Lines, name: str, have: dict[str, Value]) -> str:
    wanted = lines.placeholders(name)
    return lines.fill(name, {key: value for key, value in have.items() if key in wanted})
