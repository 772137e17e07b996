"""The draft of a refund as JSON, and back.

Decides what outlives a process: the staged refund, its key, and whether it was requested. A consent
and a read-back never do: who comes back is asked again. A snapshot that cannot be read is None, not
a guess.
"""

from __future__ import annotations

import json
from datetime import date

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from wonmu.desk.billing.port import Invoice, InvoiceState
from wonmu.desk.billing.refund_draft import RefundDraft
from wonmu.desk.billing.refund_state import (
    Committed,
    Minted,
    RefundDraftState,
    Staged,
    digest_of,
)
from wonmu.ids import InvoiceId, PatientId, RefundKey, Won


@checked(frozen=True)
class _Kept:
    """The JSON's shape, version 1."""

    patient: str
    invoice: _KeptInvoice | None = None
    amount: int = 0
    key: str | None = None
    committed: bool = False


@checked(frozen=True)
class _KeptInvoice:
    id: str
    patient_id: str
    visit_day: date
    department: str
    what: str
    amount: int
    paid: int
    state: InvoiceState
    refundable: int
    version: int


_SHAPE = TypeAdapter(_Kept)


def snapshot(draft: RefundDraft) -> str:
    """One JSON object. A request under way is kept by its key only: asked again under the same key,
    the ledger says what became of it."""
    state = draft.state
    found: dict[str, object] = {"patient": state.patient}
    if state.staged is not None:
        found["invoice"] = _invoice_json(state.staged.invoice)
        found["amount"] = state.staged.amount
    if state.minted is not None:
        found["key"] = state.minted.key
        found["committed"] = state.committed is not None
    return json.dumps(found, ensure_ascii=False)


def restore(text: str) -> RefundDraft | None:
    """The draft of a snapshot, without read-back and consent; None when it cannot be read."""
    try:
        kept = _SHAPE.validate_json(text)
    except ValidationError:
        return None
    patient = PatientId(kept.patient)
    if kept.invoice is None:
        return RefundDraft(patient)
    draft = RefundDraft(patient)
    staged = draft.stage(_invoice(kept.invoice), Won(kept.amount))
    if not isinstance(staged, Staged):
        return None
    return RefundDraft(patient, _written(draft.state, staged, kept))


def _written(state: RefundDraftState, staged: Staged, kept: _Kept) -> RefundDraftState:
    if kept.key is None:
        return state
    key = RefundKey(kept.key)
    digest = digest_of(state.patient, staged.invoice, staged.amount)
    minted = Minted(digest, key, writing=False)
    committed = Committed(digest, key) if kept.committed else None
    return RefundDraftState(state.patient, staged, minted=minted, committed=committed)


def _invoice_json(invoice: Invoice) -> dict[str, object]:
    return {
        "id": invoice.id,
        "patient_id": invoice.patient_id,
        "visit_day": invoice.visit_day.isoformat(),
        "department": invoice.department,
        "what": invoice.what,
        "amount": invoice.amount,
        "paid": invoice.paid,
        "state": invoice.state.value,
        "refundable": invoice.refundable,
        "version": invoice.version,
    }


def _invoice(kept: _KeptInvoice) -> Invoice:
    return Invoice(
        id=InvoiceId(kept.id),
        patient_id=PatientId(kept.patient_id),
        visit_day=kept.visit_day,
        department=kept.department,
        what=kept.what,
        amount=Won(kept.amount),
        paid=Won(kept.paid),
        state=kept.state,
        refundable=Won(kept.refundable),
        version=kept.version,
    )
