"""Carrying a refund out: once, under one key, and told as what it was (B4, T11, T12)."""

from __future__ import annotations

import asyncio

import pytest
from billing_parts import (
    CALL,
    HOSPITAL,
    KEY,
    KIM,
    NOW,
    PaperLedger,
    overpaid,
    receipt_order,
    refund,
)

from wonmu.desk.billing.port import (
    ReceiptRefusal,
    ReceiptRejected,
    RefundOpen,
    RefundRefusal,
    RefundRejected,
    RefundTaken,
)
from wonmu.desk.billing.refund import (
    DraftRefusal,
    Given,
    NotConsented,
    NotGiven,
    NotKept,
    NotKnown,
    Open,
    RefundDraft,
    RefundOutcome,
    Rejected,
    Staged,
    Taken,
    carry_out,
    carry_out_receipt,
    restore,
    snapshot,
)
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.ids import RefundKey

pytestmark = pytest.mark.unit

BILL = overpaid()
UNKNOWN = LedgerFailure(EmrFault.TIMEOUT, "request_refund", outcome_known=False)
KNOWN = LedgerFailure(EmrFault.UNREACHABLE, "request_refund")


def agreed() -> RefundDraft:
    draft = RefundDraft(KIM)
    staged = draft.stage(BILL, BILL.refundable)
    assert isinstance(staged, Staged)
    draft.readback_started(staged.digest, "신청할까요?", 2)
    draft.readback_heard(staged.digest)
    draft.consent(staged.digest, "네", 2)
    return draft


def carried(ledger: PaperLedger, draft: RefundDraft, key: str = KEY) -> RefundOutcome:
    return asyncio.run(
        carry_out(
            ledger,
            draft,
            key=RefundKey(key),
            hospital_id=HOSPITAL,
            call_id=CALL,
            at=NOW,
            contact="01000001234",
        )
    )


def test_the_order_is_what_was_agreed_to() -> None:
    ledger, draft = PaperLedger((BILL,)), agreed()
    outcome = carried(ledger, draft)
    assert isinstance(outcome, Taken)
    assert not outcome.replayed
    (order,) = ledger.orders
    assert (order.key, order.invoice_id, order.patient_id) == (KEY, BILL.id, KIM)
    assert (order.amount, order.version) == (15_000, BILL.version)  # type: ignore[union-attr]
    assert (order.hospital_id, order.call_id, order.contact) == (HOSPITAL, CALL, "01000001234")
    assert draft.state.committed is not None


def test_done_once_it_is_not_done_again() -> None:
    ledger, draft = PaperLedger((BILL,)), agreed()
    carried(ledger, draft)
    assert carried(ledger, draft) == NotConsented(DraftRefusal.ALREADY_COMMITTED)
    back = restore(snapshot(draft))
    assert back is not None
    assert carried(ledger, back) == NotConsented(DraftRefusal.ALREADY_COMMITTED)
    assert len(ledger.orders) == 1


def test_without_a_consent_the_ledger_is_not_asked() -> None:
    ledger, draft = PaperLedger((BILL,)), RefundDraft(KIM)
    assert carried(ledger, draft) == NotConsented(DraftRefusal.NOTHING_STAGED)
    draft.stage(BILL, BILL.refundable)
    assert carried(ledger, draft) == NotConsented(DraftRefusal.NO_CONSENT)
    assert ledger.asked == []


def test_a_lost_reply_is_asked_for_once_more_under_the_same_key() -> None:
    ledger = PaperLedger((BILL,), failing={"request_refund": [UNKNOWN]})
    taken = RefundTaken(refund(BILL), replayed=True)
    ledger.answers.append(taken)
    draft = agreed()
    assert carried(ledger, draft) == Taken(taken.refund, replayed=True)
    assert [order.key for order in ledger.orders] == [KEY, KEY]


@pytest.mark.parametrize("second", [UNKNOWN, KNOWN], ids=["unknown", "known"])
def test_what_nobody_knows_stays_unknown_and_closed(second: LedgerFailure) -> None:
    ledger = PaperLedger((BILL,), failing={"request_refund": [UNKNOWN, second]})
    draft = agreed()
    assert carried(ledger, draft) == NotKnown(KEY, second.fault)
    assert len(ledger.orders) == 2
    assert carried(ledger, draft, "another") == NotConsented(DraftRefusal.WRITE_RUNNING)
    assert len(ledger.orders) == 2


def test_what_certainly_failed_may_be_tried_again_under_the_same_key() -> None:
    ledger = PaperLedger((BILL,), failing={"request_refund": [KNOWN]})
    draft = agreed()
    assert carried(ledger, draft) == NotKept(EmrFault.UNREACHABLE)
    assert len(ledger.orders) == 1
    assert isinstance(carried(ledger, draft, "another"), Taken)
    assert [order.key for order in ledger.orders] == [KEY, KEY]


def test_what_the_ledger_refuses_leaves_an_empty_draft() -> None:
    for answer, outcome in (
        (RefundOpen(refund(BILL)), Open(refund(BILL))),
        (RefundRejected(RefundRefusal.AMOUNT_CHANGED), Rejected(RefundRefusal.AMOUNT_CHANGED)),
    ):
        draft = agreed()
        assert carried(PaperLedger((BILL,), answers=[answer]), draft) == outcome
        assert draft.state.staged is None


def test_receipts() -> None:
    order = receipt_order(BILL)

    async def main() -> None:
        ledger = PaperLedger((BILL,), failing={"request_receipt": [UNKNOWN]})
        given = await carry_out_receipt(ledger, order)
        assert isinstance(given, Given)
        assert ledger.orders == [order, order]
        ledger = PaperLedger((BILL,), failing={"request_receipt": [UNKNOWN, KNOWN]})
        assert await carry_out_receipt(ledger, order) == NotKnown(order.key, EmrFault.UNREACHABLE)
        ledger = PaperLedger((BILL,), failing={"request_receipt": [KNOWN]})
        assert await carry_out_receipt(ledger, order) == NotKept(EmrFault.UNREACHABLE)
        assert len(ledger.orders) == 1

    asyncio.run(main())


def test_a_receipt_refused() -> None:
    class Refusing(PaperLedger):
        async def request_receipt(self, order: object) -> ReceiptRejected:
            return ReceiptRejected(ReceiptRefusal.NOT_PAID)

    outcome = asyncio.run(carry_out_receipt(Refusing(), receipt_order(BILL)))
    assert outcome == NotGiven(ReceiptRefusal.NOT_PAID)
