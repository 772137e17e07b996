"""Carrying out one consented refund, or one receipt (B4, T12).

Decides nothing about money: the draft says what was consented to, the ledger says whether it still
holds. A reply that was lost is asked for once more under the same key. It must never call a request
taken that the ledger did not confirm, nor call it undone when nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wonmu.desk.billing.port import (
    Ledger,
    ReceiptOrder,
    ReceiptRefusal,
    ReceiptRejected,
    ReceiptRequest,
    ReceiptResult,
    ReceiptTaken,
    Refund,
    RefundOpen,
    RefundOrder,
    RefundRefusal,
    RefundRejected,
    RefundResult,
    RefundTaken,
)
from wonmu.desk.billing.refund_draft import RefundDraft
from wonmu.desk.billing.refund_state import DraftRefusal, Minted, Refused, Staged
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.ids import CallId, HospitalId, RefundKey


@dataclass(frozen=True, slots=True)
class Taken:
    """The request stands under ``refund``; only now may it be called taken."""

    refund: Refund
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """Another request for this invoice is open; nothing was taken."""

    refund: Refund


@dataclass(frozen=True, slots=True)
class Rejected:
    """The ledger refused; nothing was taken and the draft is empty again."""

    why: RefundRefusal


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Nobody knows whether it was taken; staff must look. The draft stays closed."""

    key: RefundKey
    fault: EmrFault


@dataclass(frozen=True, slots=True)
class NotKept:
    """The ledger failed and certainly took nothing; it may be tried again."""

    fault: EmrFault


@dataclass(frozen=True, slots=True)
class NotConsented:
    """The draft does not allow it; the ledger was not asked."""

    why: DraftRefusal


@dataclass(frozen=True, slots=True)
class Given:
    """The request for a receipt stands."""

    request: ReceiptRequest
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class NotGiven:
    """The ledger refused; nothing was taken."""

    why: ReceiptRefusal


RefundOutcome = Taken | Open | Rejected | NotKnown | NotKept | NotConsented
ReceiptOutcome = Given | NotGiven | NotKnown | NotKept


async def carry_out(
    ledger: Ledger,
    draft: RefundDraft,
    *,
    key: RefundKey,
    hospital_id: HospitalId,
    call_id: CallId,
    at: datetime,
    contact: str = "",
) -> RefundOutcome:
    """Request what the draft holds a consent for. ``key`` counts if it has none yet; ``contact``
    is whom staff may call. The draft knows the outcome when this returns."""
    staged = draft.state.staged
    if staged is None:
        return NotConsented(DraftRefusal.NOTHING_STAGED)
    running = draft.state.minted
    if running is not None and running.writing and draft.state.committed is None:
        return NotConsented(DraftRefusal.WRITE_RUNNING)
    minted = draft.mint(staged.digest, key)
    if isinstance(minted, Refused):
        return NotConsented(minted.why)
    order = _order(staged, minted, draft, hospital_id, call_id, at, contact)
    try:
        result = await _refund(ledger, order)
    except LedgerFailure as failure:
        draft.write_failed(staged.digest, outcome_known=failure.outcome_known)
        if failure.outcome_known:
            return NotKept(failure.fault)
        return NotKnown(minted.key, failure.fault)
    return _settled(draft, staged, minted, result)


async def carry_out_receipt(ledger: Ledger, order: ReceiptOrder) -> ReceiptOutcome:
    """Request a receipt."""
    try:
        result = await _receipt(ledger, order)
    except LedgerFailure as failure:
        if failure.outcome_known:
            return NotKept(failure.fault)
        return NotKnown(order.key, failure.fault)
    match result:
        case ReceiptTaken(request, replayed):
            return Given(request, replayed)
        case ReceiptRejected(why):
            return NotGiven(why)


def _settled(
    draft: RefundDraft, staged: Staged, minted: Minted, result: RefundResult
) -> RefundOutcome:
    match result:
        case RefundTaken(refund, replayed):
            draft.commit(staged.digest, minted.key)
            return Taken(refund, replayed)
        case RefundOpen(refund):
            draft.lost(staged.digest)
            return Open(refund)
        case RefundRejected(why):
            draft.lost(staged.digest)
            return Rejected(why)


async def _refund(ledger: Ledger, order: RefundOrder) -> RefundResult:
    try:
        return await ledger.request_refund(order)
    except LedgerFailure as failure:
        if failure.outcome_known:
            raise
    try:
        return await ledger.request_refund(order)
    except LedgerFailure as failure:
        raise _still_unknown(failure) from failure


async def _receipt(ledger: Ledger, order: ReceiptOrder) -> ReceiptResult:
    try:
        return await ledger.request_receipt(order)
    except LedgerFailure as failure:
        if failure.outcome_known:
            raise
    try:
        return await ledger.request_receipt(order)
    except LedgerFailure as failure:
        raise _still_unknown(failure) from failure


def _still_unknown(failure: LedgerFailure) -> LedgerFailure:
    """That the second request certainly did nothing says nothing about the first."""
    return LedgerFailure(failure.fault, failure.doing, outcome_known=False)


def _order(
    staged: Staged,
    minted: Minted,
    draft: RefundDraft,
    hospital_id: HospitalId,
    call_id: CallId,
    at: datetime,
    contact: str,
) -> RefundOrder:
    return RefundOrder(
        key=minted.key,
        hospital_id=hospital_id,
        patient_id=draft.state.patient,
        invoice_id=staged.invoice.id,
        amount=staged.amount,
        version=staged.invoice.version,
        call_id=call_id,
        at=at,
        contact=contact,
    )
